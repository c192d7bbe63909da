"""Sets excluded by bounds, and cases told apart by an edge until the bounds close each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from chordlearn.certificate.proofs.bounds import Case, rest_bounds
from chordlearn.certificate.proofs.scores import Integers
from chordlearn.certificate.proofs.sets import AllSets, members

MOST_CASES = 300
PAIRS_TRIED = 12
WORTH_A_ROUND = 0.9
"""Between splits another round is made while it leaves at most this part of the sets."""


class TooManyCases(Exception):  # noqa: N818
    """The bounds alone do not get there."""


class Casework:
    """The lines of bounds.txt, made by going through the cases."""

    def __init__(
        self, integers: Integers, threshold: int, tell: Callable[[float], None] = lambda cases: None
    ) -> None:
        self.integers = integers
        self.threshold = threshold
        self.tell = tell
        self.lines: list[str] = []
        self.cases = 0

    def exclude(self, case: Case, *, to_the_end: bool) -> Case | None:
        """Exclude sets round by round; None when nothing is left of the case."""
        while True:
            rest = rest_bounds(self.integers, case.allowed, case.required)
            excluded = case.allowed & (self.integers + rest <= self.threshold)
            if not excluded.any():
                return case
            all_sets = AllSets(case.n)
            all_sets.spread_upwards(excluded)
            sets = np.flatnonzero(all_sets.minimal(excluded)).tolist()
            self.lines.append("round")
            for mask in sets:
                words = (self.integers[mask], rest[mask], *members(mask))
                self.lines.append(" ".join(map(str, words)))
            if sets == [0]:
                return None
            smaller = case.excluding(sets)
            worth = smaller.allowed.sum() <= WORTH_A_ROUND * case.allowed.sum()
            case = smaller
            if not (worth or to_the_end):
                return case

    def close(self, case: Case) -> None:
        """Split the case until every part is closed by its bounds."""
        waiting: list[Case] = [case]
        while waiting:
            self.cases += 1
            if self.cases > MOST_CASES:
                raise TooManyCases
            self.tell(self.cases)
            left = self.exclude(waiting.pop(), to_the_end=False)
            if left is not None:
                a, b = self._best_split(left)
                self.lines.append(f"split {a} {b}")
                waiting += [left.with_edge(a, b), left.without(a, b)]

    def _best_split(self, case: Case) -> tuple[int, int]:
        """The pair whose two cases have the lowest bounds, among those in most sets."""
        open_pairs = [
            (a, b)
            for a, b in combinations(range(case.n), 2)
            if case.allowed[1 << a | 1 << b] and not case.required[a] >> b & 1
        ]
        if not open_pairs:
            # All edges are settled and the bound still allows the graph: it scores above the threshold.
            raise TooManyCases
        masks = np.flatnonzero(case.allowed)
        in_sets = {pair: int((masks >> pair[0] & masks >> pair[1] & 1).sum()) for pair in open_pairs}
        tried = sorted(open_pairs, key=lambda pair: -in_sets[pair])[:PAIRS_TRIED]
        return max(tried, key=lambda pair: self._progress(case, pair))

    def _progress(self, case: Case, pair: tuple[int, int]) -> float:
        room = [self._room(part) for part in (case.without(*pair), case.with_edge(*pair))]
        now = self._room(case)
        closed = sum(left <= 0 for left in room)
        return closed * 2.0**100 + (now - room[0] + 1.0) * (now - room[1] + 1.0)

    def _room(self, case: Case) -> float:
        """By how much the bound of a case is above the threshold; 0 if it is not."""
        rest = rest_bounds(self.integers, case.allowed, case.required)
        return max(0.0, float(rest[0] - self.threshold))
