"""The file cuts.txt: a bound for every case, and sets excluded on the way, replayed step by step.

prices                 the lines that follow are cuts, each with a multiplier
M component i j …       (for these, see chordlearn.certificate.proofs.prices)
M around i … : j … : k
M edge i j
exclude                by these prices the sets that follow are excluded, with their supersets
BOUND i j …            no network in which this set is complete scores more than BOUND, which is enough
split i j              from here on the case without the edge, then (after its end) the case with it
closed BOUND           by the last prices no network of this case scores more than BOUND, which is enough
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chordlearn.certificate.proofs.integers import Integers
from chordlearn.certificate.proofs.lines import check_set, numbers_in
from chordlearn.certificate.proofs.prices import Cut, Prices, moebius_weights
from chordlearn.certificate.proofs.sets import Flags
from chordlearn.certificate.proofs.small_sets import SmallSets
from chordlearn.certificate.results.report import Failed

Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class CutCase:
    """What may still occur: which sets may be complete, and which edges must be there."""

    sets: SmallSets
    allowed: Flags
    there: frozenset[Edge]

    def excluding(self, sets: Sequence[Sequence[int]]) -> CutCase:
        """The case without these sets and all their supersets."""
        excluded = np.zeros(self.sets.count, dtype=np.bool_)
        excluded[[self.sets.number(variables) for variables in sets]] = True
        self.sets.spread_upwards(excluded)
        return replace(self, allowed=self.allowed & ~excluded)

    def with_edge(self, edge: Edge) -> CutCase:
        """The case in which the two are adjacent."""
        return replace(self, there=self.there | {edge})


@dataclass
class CutReplay:
    """What a replay came to."""

    cases: int = 0
    cuts: int = 0
    excluded: int = 0


class CutProof:
    """The lines of the file as they are read, one after the other."""

    def __init__(self, text: Sequence[str], integers: Integers, whole: CutCase, threshold: int) -> None:
        self.text = text
        self.position = 0
        self.whole = whole
        self.weights = moebius_weights(integers, whole.sets, whole.allowed)
        self.threshold = threshold

    def replay(self) -> CutReplay:
        """Follow the file to its end, and check every number in it."""
        done = CutReplay()
        waiting = [self.whole]
        while waiting:
            case = waiting.pop()
            done.cases += 1
            prices: Prices | None = None
            while True:
                word, *rest = self._next().split(maxsplit=1)
                if word == "prices" and not rest:
                    cuts = self._cuts(case)
                    done.cuts += len(cuts)
                    prices = Prices(self.weights, case.sets, case.allowed, cuts)
                elif word == "exclude" and not rest and prices is not None:
                    sets = self._excluded(prices)
                    done.excluded += len(sets)
                    case, prices = case.excluding(sets), None
                elif word == "split" and rest:
                    edge = self._edge(numbers_in(rest[0], self._where))
                    waiting += [case.with_edge(edge), case.excluding([edge])]
                    break
                elif word == "closed" and rest and prices is not None:
                    self._close(numbers_in(rest[0], self._where), prices)
                    break
                else:
                    raise Failed(f"{self._where} begins with {word[:20]!r}, which is out of place")
        if self.position != len(self.text):
            raise Failed(f"line {self.position + 1} of cuts.txt comes after everything was settled")
        return done

    @property
    def _where(self) -> str:
        return f"line {self.position} of cuts.txt"

    def _next(self) -> str:
        self.position += 1
        line = self.text[self.position - 1] if self.position <= len(self.text) else ""
        if not line.strip():
            raise Failed(f"{self._where} is missing")
        return line

    def _numbered_lines(self) -> list[str]:
        """The lines that begin with a number, up to the next that does not."""
        first = self.position
        while self.position < len(self.text) and self.text[self.position][:1] in "-0123456789":
            self._next()
        return list(self.text[first : self.position])

    def _cuts(self, case: CutCase) -> list[Cut]:
        lines = self._numbered_lines()
        first = self.position - len(lines) + 1
        return [self._cut(line, case, f"line {i} of cuts.txt") for i, line in enumerate(lines, start=first)]

    def _cut(self, line: str, case: CutCase, where: str) -> Cut:
        words = line.split(maxsplit=2)
        if len(words) != 3:
            raise Failed(f"{where} is no cut")
        multiplier, kind, variables = words
        (units,) = numbers_in(multiplier, where)
        parts = [numbers_in(part, where) for part in variables.split(":")]
        if units < 0:
            raise Failed(f"{where} has a multiplier below 0")
        for part in parts:
            check_set(part, case.sets.n, where)
        if kind == "component" and len(parts) == 1:
            return Cut(units, "component", tuple(parts[0]))
        if kind == "edge" and len(parts) == 1:
            edge = self._edge(parts[0])
            if edge not in case.there:
                raise Failed(f"{where} counts on an edge that need not be there")
            return Cut(units, "edge", edge)
        if kind == "around" and len(parts) == 3 and len(parts[2]) == 1:
            apart, among, (at,) = parts
            if set(apart) & set(among) or at not in among or len(apart) >= case.sets.largest:
                raise Failed(f"{where} is no cut")
            return Cut(units, "around", tuple(among), tuple(apart), at)
        raise Failed(f"{where} is no cut")

    def _excluded(self, prices: Prices) -> list[list[int]]:
        bounds = prices.bounds_with()
        sets = []
        lines = self._numbered_lines()
        for i, line in enumerate(lines, start=self.position - len(lines) + 1):
            where = f"line {i} of cuts.txt"
            stated, *variables = numbers_in(line, where)
            check_set(variables, prices.sets.n, where)
            if not 2 <= len(variables) <= prices.sets.largest:
                raise Failed(f"{where} excludes a set of {len(variables)} variables")
            self._compare(stated, int(bounds[prices.sets.number(variables)]), where)
            sets.append(variables)
        return sets

    def _close(self, stated: list[int], prices: Prices) -> None:
        if len(stated) != 1:
            raise Failed(f"{self._where} does not state one bound")
        self._compare(stated[0], prices.bound(), self._where)

    def _compare(self, stated: int, bound: int, where: str) -> None:
        if stated != bound:
            raise Failed(f"{where} states the bound {stated}, but it is {bound}")
        if bound > self.threshold:
            raise Failed(f"{where} settles networks that may score {bound}")

    def _edge(self, variables: Sequence[int]) -> Edge:
        check_set(variables, self.whole.sets.n, self._where)
        if len(variables) != 2 or self.whole.sets.largest < 2:
            raise Failed(f"{self._where} is about something else than an edge")
        return variables[0], variables[1]
