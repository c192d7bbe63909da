"""The sets that may be complete in a network above the threshold, and how prices make them fewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from chordlearn.certificate.proofs.cuts import Cut, Edge
from chordlearn.certificate.proofs.families import MOST_UNITS, SetList
from chordlearn.certificate.proofs.sets import Flags
from chordlearn.certificate.results.report import Failed

Words = NDArray[np.uint64]


class SetsLeft:
    """Sets with all their parts, by size, in a case with some edges and without others."""

    def __init__(self, n: int, found: SetList, there: frozenset[Edge] = frozenset()) -> None:
        """What is found without one of its parts is left out."""
        self.n = n
        self.there = there
        """The edges of this case."""
        ends = found.ends.tolist()
        members = found.members.tolist()
        sets = [tuple(members[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]
        order = sorted(range(len(sets)), key=lambda place: len(sets[place]))
        number: dict[tuple[int, ...], int] = {(): -1}
        kept: list[int] = []
        for place in order:
            if all(part in number for part in _parts(sets[place])):
                number[sets[place]] = len(kept)
                kept.append(place)
        sets = [sets[place] for place in kept]
        self.scores = found.scores[kept]
        self.sizes = np.array([len(variables) for variables in sets], dtype=np.int64)
        self.masks = _masks(n, sets)
        # For each variable of each set: the set, the variable, and the set without it (-1 for the empty one).
        self.whose = np.repeat(np.arange(len(sets)), self.sizes)
        self.variable = np.array([i for variables in sets for i in variables], dtype=np.int64)
        self.part = np.array([number[part] for variables in sets for part in _parts(variables)], np.int64)
        self.price([])

    def __len__(self) -> int:
        """How many there are."""
        return len(self.scores)

    @property
    def listed(self) -> SetList:
        """The sets and their scores without prices."""
        return SetList(self.variable, np.cumsum(self.sizes), self.scores)

    def with_edge(self, edge: Edge) -> SetsLeft:
        """The case in which the two are adjacent."""
        case = copy(self)
        case.there = self.there | {edge}
        return case

    def without_edge(self, edge: Edge) -> SetsLeft:
        """The case in which they are not."""
        case = copy(self)
        case._keep(~_holds(self.masks, _masks(self.n, [edge])[0]))
        return case

    def price(self, cuts: Sequence[Cut]) -> None:
        """Take other prices."""
        self.constant = sum(cut.constant for cut in cuts)
        self.worths = self.scores.copy()
        for cut in cuts:
            units, *parts, at = cut.parts
            apart, among, lacked = _masks(self.n, [*parts, [at] if at >= 0 else []])
            counts = _holds(self.masks, apart) & _meets(self.masks, among) & ~_meets(self.masks, lacked)
            self.worths[counts] += int(units)

    def shrink(self, threshold: int) -> None:
        """Leave out what no network above the threshold can have, until nothing changes."""
        while len(self):
            gains = self.worths[self.whose] - np.append(self.worths, 0)[self.part]
            most = np.full(self.n, -MOST_UNITS, dtype=np.int64)
            np.maximum.at(most, self.variable, gains)
            if np.abs(most).max() > MOST_UNITS // self.n:
                if most.min() > -MOST_UNITS:
                    raise Failed("what families are worth at most is too large to be added up exactly")
                # A variable has not even itself.
                self._keep(np.zeros(len(self), dtype=np.bool_))
                return
            bound = int(most.sum()) - self.constant
            starts = np.flatnonzero(np.diff(self.whose, prepend=-1))
            loss = np.add.reduceat(most[self.variable], starts) - self.worths
            kept = bound - loss > threshold if bound > threshold else np.zeros(len(self), dtype=np.bool_)
            sizes = self.sizes[self.whose]
            for size in range(2, int(self.sizes[-1]) + 1):
                entries = slice(*np.searchsorted(sizes, [size, size + 1]))
                kept[self.whose[entries][~kept[self.part[entries]]]] = False
            if kept.all():
                return
            self._keep(kept)

    def _keep(self, kept: Flags) -> None:
        """Keep only these sets, whose parts are all among them."""
        number = np.append(np.cumsum(kept) - 1, -1)
        entries = kept[self.whose]
        self.whose = number[self.whose[entries]]
        self.variable = self.variable[entries]
        self.part = number[self.part[entries]]
        self.sizes, self.masks = self.sizes[kept], self.masks[kept]
        self.scores, self.worths = self.scores[kept], self.worths[kept]


def _parts(variables: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The set without each of its variables."""
    return (variables[:k] + variables[k + 1 :] for k in range(len(variables)))


def _masks(n: int, sets: Sequence[Sequence[int]]) -> Words:
    """A row of words for each set."""
    masks = np.zeros((len(sets), n // 64 + 1), dtype=np.uint64)
    for place, variables in enumerate(sets):
        for i in variables:
            masks[place, i // 64] |= np.uint64(1 << i % 64)
    return masks


def _holds(masks: Words, part: Words) -> Flags:
    """Which sets hold all of a part."""
    found = np.ones(len(masks), dtype=np.bool_)
    for word in np.flatnonzero(part):
        found &= masks[:, word] & part[word] == part[word]
    return found


def _meets(masks: Words, part: Words) -> Flags:
    """Which sets hold some of a part."""
    found = np.zeros(len(masks), dtype=np.bool_)
    for word in np.flatnonzero(part):
        found |= masks[:, word] & part[word] != 0
    return found
