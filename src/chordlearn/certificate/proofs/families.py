"""The file families.txt: why no network, with cliques of any size, scores more; replayed step by step.

prices                 the lines that follow are cuts, each with a multiplier M, as in cuts.txt
M component i j …
M around i … : j … : k
M edge i j
most U U …             after the first prices: by these no family of a variable is worth more than its number
left COUNT             by these prices so many sets may still be complete in a network above the threshold
closed                 by these prices there is no such network (of this case)
split i j              from here on the case without the edge, then (after its end) the case with it

Let V(K) be the integer score of the set K, and the multipliers of the cuts that hold K's part of them: of a
component C, if C meets K; of what is around T, if T is in K, C meets K, and k is not in K. Along a perfect
order each variable i with its neighbours P before it is worth V(P ∪ i) − V(P). These sum to the score, what
is left over in the cuts, which is not negative, and the multipliers of all components. If K is complete, some
perfect order begins with K, whose variables are worth V(K) together. So a network in which K is complete
scores at most V(K), and the most that the other variables' families are worth, less those multipliers.

What families of any size are worth at most is checked by a search of its own over all sets of parents. After
that every family of a network above the threshold consists of sets that are left, so that the most a variable
is worth need only be sought among these.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._checker import Families, FamilyCheck
from chordlearn.certificate.proofs.claim import Reader, numbers_in
from chordlearn.certificate.proofs.cuts import Cut, Edge, as_edge, read_cut
from chordlearn.certificate.results.report import Failed
from chordlearn.certificate.results.values import Formula, score_formula
from chordlearn.data.dataset import Dataset

Units = NDArray[np.int64]
Words = NDArray[np.uint64]

MOST_SETS = 2_000_000
"""That may be left after the first exclusion."""
MOST_UNITS = 1 << 58
"""Of scores and multipliers together: sums over all variables then stay inside 64 bits."""
MOST_MULTIPLIER = 1 << 52
NODES_AT_ONCE = 20_000
WITH_SEARCH = ("bdeu", "bic", "aic")
"""Score functions for which families of any size can be searched."""


class FamilyProof:
    """What a proof about families of any size is about: the scores of sets in units, each rounded once."""

    def __init__(
        self, dataset: Dataset, function: Mapping[str, Any], constraints: Mapping[str, Any], factor: float
    ) -> None:
        self.dataset = dataset
        self.n = len(dataset.variables)
        self.name, self.parameters = function["name"], function["parameters"]
        if self.name not in WITH_SEARCH:
            raise Failed(f"families of any size are checked for {', '.join(WITH_SEARCH)}, not {self.name}")
        self.factor = factor
        self.largest = min(constraints["max_clique"] or self.n, self.n)
        number = {name: i for i, name in enumerate(dataset.variables)}
        self.forbidden = [(number[a], number[b]) for a, b in constraints["forbidden"]]
        total = int(dataset.weights.sum())
        self.formula: Formula = score_formula(self.name, self.parameters, total)
        self.states = [len(labels) for labels in dataset.states]
        self.codes = np.ascontiguousarray(dataset.codes, dtype=np.uint16)
        self.weights = np.ascontiguousarray(dataset.weights, dtype=np.int64)
        sizes = total * (math.fsum(map(math.log, self.states)) + math.log(total) + 1)
        sizes += abs(self.formula.edge_prior) * self.n**2
        self.error = 0.5 / factor + sizes * 2.0**-50
        """By how much the score of a set in units may be off, as a score."""
        if 2 * sizes * factor > MOST_UNITS:
            raise Failed(f"with the factor {factor:g} the scores cannot be added up exactly")

    def threshold(self, score: float, tolerance: float) -> int:
        """The largest integer score that proves that nothing scores more than the tolerance above a score."""
        room = score + tolerance - 2 * self.n * self.error - (abs(score) + tolerance) * 2.0**-50
        return math.floor(room * self.factor)

    def score(self, groups: Units, variables: int, cells: int) -> int:
        """V of a set without prices, by the group in which each row lies, in units."""
        counts = np.bincount(groups, self.weights)
        how_often = Counter(counts[counts > 0].astype(np.int64).tolist())
        return round(self.formula.value(how_often, cells, variables) * self.factor)

    def slack(self) -> float:
        """By so much the worth of a family must stay below the number stated for it, for rounding."""
        return 2 * self.error

    def check_most(self, cuts: Sequence[Cut], most: Sequence[int]) -> int:
        """Search all families; raises ``Failed`` if one is worth more. Gives how many were looked into."""
        families = Families(
            self.codes,
            self.weights,
            self.states,
            self.name,
            float(self.parameters.get("ess", 1.0)),
            self.formula.edge_prior,
            self.largest - 1,
            self.forbidden,
            [(cut.multiplier / self.factor, list(cut.apart), list(cut.among), cut.at) for cut in cuts],
        )

        def search(child: int) -> int:
            check = FamilyCheck(families, child, most[child] / self.factor - self.slack())
            while not check.advance(NODES_AT_ONCE):
                if stopped:
                    return 0
            if check.counterexample is not None:
                names = [self.dataset.variables[i] for i in (child, *check.counterexample)]
                raise Failed(
                    f"the family of {' with '.join(map(repr, names))} may be worth more than is stated"
                )
            return check.nodes

        stopped: list[bool] = []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            try:
                return sum(pool.map(search, range(self.n)))
            finally:
                # Also after Ctrl-C nobody waits for what is not needed any more.
                stopped.append(True)


@dataclass
class FamilyReplay:
    """What a replay found."""

    families: int = 0
    """So many families were looked into."""
    sets: int = 0
    """So many sets were left by the first prices."""
    cases: int = 0


def replay_families(file: Reader, proof: FamilyProof, threshold: int) -> FamilyReplay:
    """Follow the file to its end, and check every number in it."""
    cuts = _read_prices(file, proof.n)
    word, *rest = file.line().split(maxsplit=1)
    if word != "most" or not rest:
        raise Failed(f"{file.where} does not say what families are worth at most")
    most = numbers_in(rest[0], file.where)
    if len(most) != proof.n or max(map(abs, most)) > MOST_UNITS // proof.n:
        raise Failed(f"{file.where} has no number for every variable")
    families = proof.check_most(cuts, most)
    whole = SetsLeft.of(proof, cuts, most, threshold)
    whole.shrink(threshold)
    done = FamilyReplay(families, len(whole))
    waiting = [whole]
    while waiting:
        done.cases += 1
        waiting += _replay_case(file, waiting.pop(), threshold)
    file.end()
    return done


def _replay_case(file: Reader, left: SetsLeft, threshold: int) -> list[SetsLeft]:
    """Follow the file to the end of a case; the cases into which it is split, the next one last."""
    while True:
        word, *rest = file.line().split(maxsplit=1)
        stated = numbers_in(rest[0], file.where) if rest else []
        if word == "closed" and not rest:
            if not left.is_empty:
                raise Failed(f"{file.where} comes too early: {len(left)} sets are left")
            return []
        if word == "left" and rest:
            if stated != [len(left)]:
                raise Failed(f"{file.where} should say that {len(left)} sets are left")
        elif word == "prices" and not rest:
            left.price(_read_cuts(file, left.n, left.there))
            left.shrink(threshold)
        elif word == "split" and rest:
            a, b = as_edge(stated, left.n, file.where)
            return [left.with_edge(a, b), left.without_edge(a, b)]
        else:
            raise Failed(f"{file.where} begins with {word[:20]!r}, which is out of place")


def _read_prices(file: Reader, n: int) -> list[Cut]:
    if file.line() != "prices":
        raise Failed(f"{file.where} should begin prices")
    return _read_cuts(file, n, frozenset())


def _read_cuts(file: Reader, n: int, there: frozenset[Edge]) -> list[Cut]:
    cuts = [read_cut(line, n, file.where, n, there) for line in file.lines_with_numbers()]
    if sum(cut.multiplier for cut in cuts) > MOST_MULTIPLIER:
        raise Failed(f"the multipliers before {file.where} are too large to be added up exactly")
    return cuts


class SetsLeft:
    """The sets that may be complete in a network above the threshold, with all their parts."""

    def __init__(self, n: int, scores: Mapping[tuple[int, ...], int], cuts: list[Cut]) -> None:
        """By size, with all parts."""
        self.n = n
        number = {(): -1} | {variables: place for place, variables in enumerate(scores)}
        self.sizes = np.array([len(variables) for variables in scores], dtype=np.int64)
        self.masks = _masks(n, list(scores))
        self.scores = np.array(list(scores.values()), dtype=np.int64)
        # For each variable of each set: the set, the variable, and the set without it (-1 for the empty one).
        self.whose = np.repeat(np.arange(len(scores)), self.sizes)
        self.variable = np.array([i for variables in scores for i in variables], dtype=np.int64)
        self.part = np.array(
            [number[part] for variables in scores for part in _parts(variables)], dtype=np.int64
        )
        self.alive = np.ones(len(scores), dtype=np.bool_)
        self.is_empty = False
        self.there: frozenset[Edge] = frozenset()
        """The edges of this case."""
        self.price(cuts)

    def __len__(self) -> int:
        """How many there are."""
        return int(self.alive.sum())

    @classmethod
    def of(cls, proof: FamilyProof, cuts: list[Cut], most: Sequence[int], threshold: int) -> SetsLeft:
        """What the most that families are worth leaves; raises ``Failed`` if that is too much."""
        total = sum(most) - _constant(cuts)
        found: dict[tuple[int, ...], int] = {}
        for variables, score in _grown(proof, cuts, most, total - threshold):
            found[variables] = score
            if len(found) > MOST_SETS:
                raise Failed(f"the first prices leave more than {MOST_SETS:,} sets")
        closed: dict[tuple[int, ...], int] = {}
        for variables in sorted(found, key=lambda variables: (len(variables), variables)):
            if len(variables) == 1 or all(part in closed for part in _parts(variables)):
                closed[variables] = found[variables]
        return cls(proof.n, closed, cuts)

    def with_edge(self, a: int, b: int) -> SetsLeft:
        """The case in which the two are adjacent."""
        case = copy(self)
        case.alive, case.there = self.alive.copy(), self.there | {(a, b)}
        return case

    def without_edge(self, a: int, b: int) -> SetsLeft:
        """The case in which they are not."""
        case = copy(self)
        pair = _masks(self.n, [(a, b)])
        case.alive = self.alive & ~((self.masks & pair) == pair).all(axis=1)
        return case

    def price(self, cuts: list[Cut]) -> None:
        """Take other prices."""
        self.constant = _constant(cuts)
        self.worths = self.scores + _prices(self.masks, cuts)

    def shrink(self, threshold: int) -> None:
        """Leave out what no network above the threshold can have, until nothing changes."""
        while not self.is_empty:
            worths, before = np.append(self.worths, 0), len(self)
            usable = self.alive[self.whose]
            gains = worths[self.whose[usable]] - worths[self.part[usable]]
            most = np.full(self.n, -MOST_UNITS, dtype=np.int64)
            np.maximum.at(most, self.variable[usable], gains)
            total = int(most.sum()) - self.constant
            if (most == -MOST_UNITS).any() or total <= threshold:
                self.is_empty = True
                self.alive[:] = False
                return
            starts = np.flatnonzero(np.diff(self.whose, prepend=-1))
            loss = np.add.reduceat(most[self.variable], starts) - self.worths
            self.alive &= total - loss > threshold
            for size in range(2, int(self.sizes.max()) + 1):
                rows = self.sizes[self.whose] == size
                self.alive[self.whose[rows][~self.alive[self.part[rows]]]] = False
            if len(self) == before:
                return


def _grown(
    proof: FamilyProof, cuts: list[Cut], most: Sequence[int], slack: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Sets, depth first, whose loss is less than the slack; a set grows by what its parts survive with."""
    barred = {frozenset(pair) for pair in proof.forbidden}
    masks = [(*(_mask(part) for part in _three(cut)), cut.multiplier) for cut in cuts]

    def price(mask: int) -> int:
        return sum(
            units
            for apart, among, at, units in masks
            if apart & mask == apart and among & mask and not at & mask
        )

    def grow(
        inside: tuple[int, ...], groups: Units, cells: int, spent: int, candidates: Sequence[int]
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        left: list[tuple[int, int, Units]] = []
        for i in candidates:
            if any(frozenset((i, j)) in barred for j in inside):
                continue
            larger = (*inside, i)
            finer = groups * proof.states[i] + proof.codes[:, i]
            _, finer = np.unique(finer, return_inverse=True)
            score = proof.score(finer, len(larger), cells * proof.states[i])
            if spent + most[i] - score - price(_mask(larger)) < slack:
                left.append((i, score, finer))
        for k, (i, score, finer) in enumerate(left):
            larger = (*inside, i)
            yield larger, score
            if len(larger) < proof.largest:
                later = [other for other, _, _ in left[k + 1 :]]
                yield from grow(larger, finer, cells * proof.states[i], spent + most[i], later)

    yield from grow((), np.zeros(len(proof.weights), dtype=np.int64), 1, 0, range(proof.n))


def _parts(variables: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The set without each of its variables."""
    return (variables[:k] + variables[k + 1 :] for k in range(len(variables)))


def _constant(cuts: Sequence[Cut]) -> int:
    return sum(cut.multiplier for cut in cuts if cut.kind != "around")


def _three(cut: Cut) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """What must be there, what must be met, and what must be lacked."""
    if cut.kind == "edge":
        return cut.among, cut.among, []
    return cut.apart, cut.among, [cut.at] if cut.at >= 0 else []


def _mask(variables: Sequence[int]) -> int:
    return sum(1 << i for i in variables)


def _masks(n: int, sets: Sequence[Sequence[int]]) -> Words:
    masks = np.zeros((len(sets), n // 64 + 1), dtype=np.uint64)
    for place, variables in enumerate(sets):
        for i in variables:
            masks[place, i // 64] |= np.uint64(1 << i % 64)
    return masks


def _prices(masks: Words, cuts: Sequence[Cut]) -> Units:
    """What cuts add to each set."""
    n = 64 * masks.shape[1] - 1
    sums = np.zeros(len(masks), dtype=np.int64)
    for cut in cuts:
        apart, among, at = _masks(n, _three(cut))
        holds = ((masks & apart) == apart).all(axis=1) & (masks & among).any(axis=1)
        sums[holds & ~(masks & at).any(axis=1)] += cut.multiplier
    return sums
