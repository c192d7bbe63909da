"""Sets of variables by number, and tables with an entry for every one of them or for the small ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
"""A mark for every set, by number; the empty set has 0."""
Rows = NDArray[np.int64]
"""A set in each row: its variables, rising."""
Numbers = NDArray[np.int64]


def members(mask: int) -> list[int]:
    """The variables of a mask, rising.

    >>> members(0b1011)
    [0, 1, 3]
    """
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def mask_of(variables: Iterable[int]) -> int:
    """The mask of these variables.

    >>> mask_of([0, 1, 3]) == 0b1011
    True
    """
    mask = 0
    for variable in variables:
        mask |= 1 << variable
    return mask


class AllSets:
    """All sets of few variables: a set's number is its mask."""

    def __init__(self, n: int) -> None:
        self.n = self.largest = n
        self.count = 1 << n

    def number(self, variables: Sequence[int]) -> int:
        """The mask."""
        return mask_of(variables)

    def members(self, number: int) -> list[int]:
        """The variables of a mask, rising."""
        return members(number)

    def larger_than(self, size: int) -> Flags:
        """Which sets have more variables."""
        return sizes(self.n) > size

    def spread_upwards(self, flags: Flags) -> None:
        """Mark every superset of a marked set, in place.

        >>> flags = np.array([False, True, False, False])
        >>> AllSets(2).spread_upwards(flags)
        >>> flags
        array([False,  True, False,  True])
        """
        for i in range(self.n):
            halves = flags.reshape(-1, 2, 1 << i)
            halves[:, 1] |= halves[:, 0]

    def minimal(self, flags: Flags) -> Flags:
        """The marked sets none of whose proper subsets is marked; the marks are closed upwards.

        >>> AllSets(2).minimal(np.array([False, True, False, True]))
        array([False,  True, False, False])
        """
        minimal = flags.copy()
        for i in range(self.n):
            minimal.reshape(-1, 2, 1 << i)[:, 1] &= ~flags.reshape(-1, 2, 1 << i)[:, 0]
        return minimal


def containing(n: int, pair: Sequence[int]) -> Flags:
    """Which of all sets contain both of a pair."""
    masks = np.arange(1 << n)
    return (masks >> pair[0] & masks >> pair[1] & 1).astype(np.bool_)


@lru_cache(maxsize=4)
def sizes(n: int) -> NDArray[np.uint8]:
    """How many variables each of all sets has."""
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32))


class SmallSets:
    """All sets of up to so many variables, numbered by size; of one size, by their last variables first.

    >>> sets = SmallSets(4, largest=2)
    >>> sets.count, sets.number([0, 3]), sets.members(8)
    (11, 8, [0, 3])
    """

    def __init__(self, n: int, largest: int) -> None:
        self.n = n
        self.largest = min(largest, n)
        self._choose = [[comb(i, size) for size in range(self.largest + 1)] for i in range(n)]
        self._choose_array = np.array(self._choose, dtype=np.int64).reshape(n, self.largest + 1)
        self._first = [0]
        for size in range(self.largest + 1):
            self._first.append(self._first[-1] + comb(n, size))
        self.count = self._first[-1]
        self._of_size = [self._rows(size) for size in range(self.largest + 1)]

    def number(self, variables: Sequence[int]) -> int:
        """The number of the set of these variables, which rise."""
        place = sum(self._choose[variable][k] for k, variable in enumerate(variables, start=1))
        return self._first[len(variables)] + place

    def members(self, number: int) -> list[int]:
        """The variables of a set, rising."""
        size = next(size for size in range(self.largest + 1) if number < self._first[size + 1])
        return list(map(int, self._of_size[size][number - self._first[size]]))

    def of_size(self, size: int) -> Rows:
        """The sets of a size, in the order of their numbers."""
        return self._of_size[size]

    def place(self, size: int) -> slice:
        """Where the sets of a size stand in a table."""
        return slice(self._first[size], self._first[size + 1])

    def numbers(self, rows: Rows) -> Numbers:
        """The numbers of sets of one size."""
        size = rows.shape[1]
        numbers = np.full(len(rows), self._first[size], dtype=np.int64)
        for k in range(size):
            numbers += self._choose_array[rows[:, k], k + 1]
        return numbers

    def parts(self, size: int, part: int) -> Iterator[Numbers]:
        """The numbers of the parts of ``part`` variables of all sets of a size: one array for each choice."""
        for chosen in _positions(size, part):
            yield self.numbers(self._of_size[size][:, chosen])

    def chosen_from(self, variables: Sequence[int], size: int) -> Rows:
        """The sets of a size that consist of some of these variables, which rise."""
        # The sets of the first variables come first among those of their size.
        places = self._of_size[size][: comb(len(variables), size)]
        return np.array(variables, dtype=np.int64)[places]

    def larger_than(self, size: int) -> Flags:
        """Which sets have more variables."""
        larger = np.ones(self.count, dtype=np.bool_)
        larger[: self._first[min(size, self.largest) + 1]] = False
        return larger

    def spread_upwards(self, flags: Flags) -> None:
        """Mark every superset of a marked set, in place."""
        for size in range(1, self.largest + 1):
            for part in self.parts(size, size - 1):
                flags[self.place(size)] |= flags[part]

    def minimal(self, flags: Flags) -> Flags:
        """The marked sets none of whose proper parts is marked."""
        below = np.zeros_like(flags)
        for size in range(1, self.largest + 1):
            for part in self.parts(size, size - 1):
                below[self.place(size)] |= flags[part] | below[part]
        return flags & ~below

    def _rows(self, size: int) -> Rows:
        rows = np.array(list(combinations(range(self.n), size)), dtype=np.int64)
        return rows.reshape(comb(self.n, size), size)[np.lexsort(rows.T) if size else slice(None)]


@lru_cache
def _positions(size: int, part: int) -> list[list[int]]:
    """The ways to choose some positions out of so many."""
    return [list(chosen) for chosen in combinations(range(size), part)]


Numbering = AllSets | SmallSets
"""Gives each set of a problem a number, its place in tables."""
