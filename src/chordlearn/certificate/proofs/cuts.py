"""The file cuts.txt: a bound for every case, and sets excluded on the way, replayed step by step.

prices                 the lines that follow are cuts, each with a multiplier M
M component i j …       for these, see below
M around i … : j … : k
M edge i j
exclude                by these prices the sets that follow are excluded, with their supersets
BOUND i j …            no network in which this set is complete scores more than BOUND, which is enough
split i j              from here on the case without the edge, then (after its end) the case with it
closed BOUND           by the last prices no network of this case scores more than BOUND, which is enough

Let x(S) be 1 if the set S is complete and 0 if not. In a chordal graph these cuts hold:

    component C:     Σ (−1)^(|S|+1) x(S) ≥ 1           over the non-empty S in C
    around T : C : j   Σ (−1)^(|S|+1) x(T ∪ S) ≥ x(T ∪ j)   over the non-empty S in C; j is one of C

because the left side counts the connected components of the graph on C, or on those of C that are joined to
all of the complete set T. Where an edge is known to be there,

    edge a b:        x(a b) ≥ 1

A network scores Σ m(S) x(S) with the Möbius weights m of the integer scores. Its score and a multiplier, not
negative, times what is left over in each cut is at least the score, and again a sum of prices p(S) x(S) and
a constant. Along a perfect order each variable i brings a family, i and its neighbours before it, and with it
the prices of the family's sets that hold i. So no network scores more than the constant and each variable's
best family together; nor, with the set C complete, more than the constant, the prices inside C, and the best
families of the variables outside.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from chordlearn.certificate.proofs.claim import Reader, check_set, numbers_in
from chordlearn.certificate.proofs.scores import Integers
from chordlearn.certificate.proofs.sets import Flags, SmallSets
from chordlearn.certificate.results.report import Failed

Edge = tuple[int, int]
MOST_UNITS = 1 << 61
"""Of all sums: they stay inside 64 bits."""


@dataclass(frozen=True)
class Cut:
    """A cut and its multiplier."""

    multiplier: int
    kind: Literal["component", "around", "edge"]
    among: tuple[int, ...]
    """C, or the two variables of an edge."""
    apart: tuple[int, ...] = ()
    """T."""
    at: int = -1
    """j."""

    def __str__(self) -> str:
        """Its line in the file of cuts.

        >>> str(Cut(7, "around", (3, 5), apart=(1, 2), at=3))
        '7 around 1 2 : 3 5 : 3'
        """
        among = " ".join(map(str, self.among))
        if self.kind == "around":
            among = f"{' '.join(map(str, self.apart))} : {among} : {self.at}"
        return f"{self.multiplier} {self.kind} {among}"


def moebius_weights(integers: Integers, sets: SmallSets, allowed: Flags) -> Integers:
    """m by number; 0 for single variables and for sets that may not be complete.

    >>> sets = SmallSets(3, largest=3)
    >>> moebius_weights(np.array([0, 0, 0, 0, 2, 3, 4, 10]), sets, np.ones(8, dtype=np.bool_)).tolist()
    [0, 0, 0, 0, 2, 3, 4, 1]
    """
    # A weight is a sum of the scores of all parts.
    if int(np.abs(integers).max()) << sets.largest > MOST_UNITS:
        raise Failed("the scores of so large cliques cannot be added up exactly")
    weights = np.where(allowed, integers, 0)
    for size in range(3, sets.largest + 1):
        place = sets.place(size)
        for part_size in range(2, size):
            for part in sets.parts(size, part_size):
                weights[place] -= weights[part]
        weights[place] *= allowed[place]
    return weights


class Prices:
    """What networks can score by some cuts, if only the allowed sets are complete."""

    def __init__(self, weights: Integers, sets: SmallSets, allowed: Flags, cuts: Sequence[Cut]) -> None:
        largest = int(np.abs(weights).max()) + 2 * sum(cut.multiplier for cut in cuts)
        if largest * 2**sets.largest * (sets.n + 1) > MOST_UNITS:
            raise Failed("the multipliers are too large to be added up exactly")
        self.sets = sets
        self.allowed = allowed
        self.constant = 0
        self._prices = weights.copy()
        for cut in cuts:
            self._add(cut)
        self._worths = self._sums_of_parts()
        self._best = self._best_families()

    def bound(self) -> int:
        """No network scores more."""
        return self.constant + int(self._best.sum())

    def bounds_with(self) -> Integers:
        """By number: no network scores more in which this set, of two variables or more, is complete."""
        bounds = np.full(self.sets.count, self.bound(), dtype=np.int64)
        for size in range(2, self.sets.largest + 1):
            place = self.sets.place(size)
            bounds[place] += self._worths[place] - self._best[self.sets.of_size(size)].sum(axis=1)
        return bounds

    def _add(self, cut: Cut) -> None:
        """Add the multiplier times what is left over in the cut."""
        if cut.kind == "edge":
            self.constant -= cut.multiplier
            self._prices[self.sets.number(cut.among)] += cut.multiplier
            return
        if cut.kind == "component":
            # Single variables are complete in every graph.
            self.constant += (len(cut.among) - 1) * cut.multiplier
        else:
            self._prices[self.sets.number(sorted((*cut.apart, cut.at)))] -= cut.multiplier
        fewest = 2 if cut.kind == "component" else 1
        most = min(len(cut.among), self.sets.largest - len(cut.apart))
        for size in range(fewest, most + 1):
            chosen = self.sets.chosen_from(cut.among, size)
            if cut.apart:
                apart = np.broadcast_to(np.array(cut.apart, dtype=np.int64), (len(chosen), len(cut.apart)))
                chosen = np.sort(np.hstack([chosen, apart]), axis=1)
            self._prices[self.sets.numbers(chosen)] += cut.multiplier if size % 2 else -cut.multiplier

    def _sums_of_parts(self) -> Integers:
        """The price of each set and all its parts of two variables or more."""
        worths = np.zeros_like(self._prices)
        for size in range(2, self.sets.largest + 1):
            for part_size in range(2, size + 1):
                for part in self.sets.parts(size, part_size):
                    worths[self.sets.place(size)] += self._prices[part]
        return worths

    def _best_families(self) -> Integers:
        best = np.zeros(self.sets.n, dtype=np.int64)
        for size in range(2, self.sets.largest + 1):
            place, rows = self.sets.place(size), self.sets.of_size(size)
            allowed = self.allowed[place]
            # The parts of one variable less leave out the last variable first.
            for left_out, part in zip(range(size - 1, -1, -1), self.sets.parts(size, size - 1), strict=True):
                families = (self._worths[place] - self._worths[part])[allowed]
                np.maximum.at(best, rows[allowed, left_out], families)
        return best


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
    """The result of a replay."""

    cases: int = 0
    cuts: int = 0
    excluded: int = 0


def replay_cuts(file: Reader, integers: Integers, whole: CutCase, threshold: int) -> CutReplay:
    """Follow the file to its end, and check every number in it."""
    weights = moebius_weights(integers, whole.sets, whole.allowed)
    done = CutReplay()
    waiting = [whole]
    while waiting:
        case = waiting.pop()
        done.cases += 1
        prices: Prices | None = None
        while True:
            word, *rest = file.line().split(maxsplit=1)
            if word == "prices" and not rest:
                cuts = [
                    read_cut(line, case.sets.n, file.where, case.sets.largest, case.there)
                    for line in file.lines_with_numbers()
                ]
                done.cuts += len(cuts)
                prices = Prices(weights, case.sets, case.allowed, cuts)
            elif word == "exclude" and not rest and prices is not None:
                sets = _read_excluded(file, prices, threshold)
                done.excluded += len(sets)
                case, prices = case.excluding(sets), None
            elif word == "split" and rest:
                edge = as_edge(numbers_in(rest[0], file.where), case.sets.n, file.where, case.sets.largest)
                waiting += [case.with_edge(edge), case.excluding([edge])]
                break
            elif word == "closed" and rest and prices is not None:
                stated = numbers_in(rest[0], file.where)
                if len(stated) != 1:
                    raise Failed(f"{file.where} does not state one bound")
                _compare(stated[0], prices.bound(), threshold, file.where)
                break
            else:
                raise Failed(f"{file.where} begins with {word[:20]!r}, which is out of place")
    file.end()
    return done


def read_cut(line: str, n: int, where: str, largest: int | None = None, there: Collection[Edge] = ()) -> Cut:
    """The cut in a line, of n variables, where some edges are known to be there.

    >>> read_cut("7 around 1 2 : 3 5 : 3", 6, "line 1").at
    3
    """
    words = line.split(maxsplit=2)
    if len(words) != 3:
        raise Failed(f"{where} is no cut")
    multiplier, kind, variables = words
    (units,) = numbers_in(multiplier, where)
    parts = [numbers_in(part, where) for part in variables.split(":")]
    if units < 0:
        raise Failed(f"{where} has a multiplier below 0")
    for part in parts:
        check_set(part, n, where)
    if kind == "component" and len(parts) == 1:
        return Cut(units, "component", tuple(parts[0]))
    if kind == "edge" and len(parts) == 1:
        if tuple(parts[0]) not in there:
            raise Failed(f"{where} counts on an edge that need not be there")
        return Cut(units, "edge", tuple(parts[0]))
    if kind == "around" and len(parts) == 3 and len(parts[2]) == 1:
        apart, among, (at,) = parts
        if not set(apart) & set(among) and at in among and len(apart) < (largest or n):
            return Cut(units, "around", tuple(among), tuple(apart), at)
    raise Failed(f"{where} is no cut")


def _read_excluded(file: Reader, prices: Prices, threshold: int) -> list[list[int]]:
    bounds = prices.bounds_with()
    sets = []
    for line in file.lines_with_numbers():
        stated, *variables = numbers_in(line, file.where)
        check_set(variables, prices.sets.n, file.where)
        if not 2 <= len(variables) <= prices.sets.largest:
            raise Failed(f"{file.where} excludes a set of {len(variables)} variables")
        _compare(stated, int(bounds[prices.sets.number(variables)]), threshold, file.where)
        sets.append(variables)
    return sets


def _compare(stated: int, bound: int, threshold: int, where: str) -> None:
    if stated != bound:
        raise Failed(f"{where} states the bound {stated}, but it is {bound}")
    if bound > threshold:
        raise Failed(f"{where} settles networks that may score {bound}")


def as_edge(variables: Sequence[int], n: int, where: str, largest: int = 2) -> Edge:
    """The edge between two of n variables; nothing else.

    >>> as_edge([0, 3], 4, "line 1")
    (0, 3)
    """
    check_set(variables, n, where)
    if len(variables) != 2 or largest < 2:
        raise Failed(f"{where} is about something else than an edge")
    return variables[0], variables[1]
