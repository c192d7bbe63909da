"""Cuts that every chordal graph satisfies, and what no network exceeds by their multipliers.

Let x(S) be 1 if the set S is complete and 0 if not. In a chordal graph

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chordlearn.certificate.proofs.integers import Integers
from chordlearn.certificate.proofs.sets import Flags
from chordlearn.certificate.proofs.small_sets import SmallSets
from chordlearn.certificate.results.report import Failed

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
