"""The texts of a proof by bounds and a SAT solver.

Sets are excluded by bounds. What is left is refuted by a SAT solver or, where that is too hard, split by
an edge until the bounds close every case.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.bounds import Case, rest_bounds
from chordlearn.certificate.proofs.instance import build_instance, contradiction
from chordlearn.certificate.proofs.scores import Integers
from chordlearn.certificate.proofs.sets import members, minimal, spread_upwards
from chordlearn.errors import ProofError, option
from chordlearn.problem.problem import Problem
from chordlearn.proof.hints import short_proof
from chordlearn.proof.scaling import Scaled
from chordlearn.proof.searching import find_cores, stop_after

FEW_SETS = 256
"""So many allowed sets all go into the instance; of more, bounds exclude some first."""
MANY_SETS = 2000
"""With more sets left, the instance is not worth trying."""
MOST_CASES = 300
PAIRS_TRIED = 12
WORTH_A_ROUND = 0.9
"""Between splits another round is made while it leaves at most this part of the sets."""


def prove(
    problem: Problem, scaled: Scaled, *, reduce: bool = True, deadline: float | None = None
) -> dict[str, str]:
    """The texts of bounds.txt and, if a case is left to the SAT solver, of the instance and its refutation.

    Raises ``ProofError`` at the deadline (of time.monotonic), or when the proof gets too long.
    """
    whole = Case(np.isfinite(problem.values), (0,) * problem.n)
    for a, b in problem.required:
        whole = whole.with_edge(a, b)
    if not reduce or int(whole.allowed.sum()) <= FEW_SETS:
        refuted = _refute(whole, scaled, deadline)
        if refuted is not None:
            return as_file(claims.BOUNDS, ["open"]) | refuted
    if not reduce:
        raise ProofError(
            f"The SAT solver did not finish a proof with every set; "
            f"without {option('reduce', False)} it may be shorter."
        )
    casework = Casework(scaled.integers, scaled.threshold, deadline)
    left = casework.exclude(whole, to_the_end=True)
    if left is not None:
        if int(left.allowed.sum()) <= MANY_SETS:
            refuted = _refute(left, scaled, deadline)
            if refuted is not None:
                return as_file(claims.BOUNDS, [*casework.lines, "open"]) | refuted
        casework.close(left)
    return as_file(claims.BOUNDS, casework.lines)


def _refute(case: Case, scaled: Scaled, deadline: float | None) -> dict[str, str] | None:
    """The texts about the instance, None if it is too hard for the SAT solver."""
    instance = build_instance(scaled.integers, case)
    found = find_cores(instance, instance.best - scaled.threshold, deadline)
    stop_after(deadline)
    if found is None:
        return None
    cores, learned = found
    stated, _ = contradiction(instance, cores)
    selectors = range(stated.variables - len(cores) + 1, stated.variables + 1)
    goals = [*((-selector,) for selector in selectors), ()]
    lemmas = short_proof(stated.clauses, [*learned, *goals], deadline)
    return (
        as_file(claims.INSTANCE, stated.lines())
        | as_file(claims.CORES, cores)
        | as_file(claims.LEMMAS, lemmas)
    )


def as_file(name: str, lines: Iterable[object]) -> dict[str, str]:
    """The text of a file by its name."""
    return {name: "".join(f"{line}\n" for line in lines)}


class Casework:
    """The lines of bounds.txt, made by going through the cases."""

    def __init__(self, integers: Integers, threshold: int, deadline: float | None) -> None:
        self.integers = integers
        self.threshold = threshold
        self.deadline = deadline
        self.lines: list[str] = []
        self.cases = 0

    def exclude(self, case: Case, *, to_the_end: bool) -> Case | None:
        """Exclude sets round by round; None when nothing is left of the case."""
        while True:
            rest = rest_bounds(self.integers, case.allowed, case.required)
            excluded = case.allowed & (self.integers + rest <= self.threshold)
            if not excluded.any():
                return case
            spread_upwards(excluded)
            sets = np.flatnonzero(minimal(excluded)).tolist()
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
                raise _too_many(self.cases - 1)
            stop_after(self.deadline)
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
            raise _too_many(self.cases - 1)
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


def _too_many(cases: int) -> ProofError:
    return ProofError(
        f"The proof has more than the {cases} cases that are tried; "
        f"with fewer columns or a smaller {option('max_clique')} it is shorter."
    )
