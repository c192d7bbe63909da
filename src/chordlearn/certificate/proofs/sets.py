"""Sets of variables as bit masks, and tables with an entry for every one of them or for the small ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
"""A mark for every set, by number."""


class Numbering(Protocol):
    """Gives each set of a problem a number, its place in tables; the empty set has 0."""

    @property
    def n(self) -> int:
        """How many variables there are."""

    @property
    def largest(self) -> int:
        """How many variables a set can have."""

    @property
    def count(self) -> int:
        """How many sets have a number."""

    def number(self, variables: Sequence[int]) -> int:
        """The number of the set of these variables, which rise."""

    def members(self, number: int) -> list[int]:
        """The variables of a set, rising."""


class AllSets:
    """All sets of few variables: a set's number is its mask."""

    def __init__(self, n: int) -> None:
        self.n = self.largest = n
        self.count = 1 << n

    def number(self, variables: Sequence[int]) -> int:
        """The mask."""
        return mask_of(variables)

    def members(self, number: int) -> list[int]:
        """The variables of a mask."""
        return members(number)


def members(mask: int) -> list[int]:
    """The variables of a set, rising.

    >>> members(0b1011)
    [0, 1, 3]
    """
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def mask_of(variables: Iterable[int]) -> int:
    """The set of these variables.

    >>> mask_of([0, 1, 3]) == 0b1011
    True
    """
    mask = 0
    for variable in variables:
        mask |= 1 << variable
    return mask


def spread_upwards(flags: Flags) -> None:
    """Mark every superset of a marked set, in place.

    >>> flags = np.array([False, True, False, False])
    >>> spread_upwards(flags)
    >>> flags
    array([False,  True, False,  True])
    """
    for halves in _halves(flags):
        halves[:, 1] |= halves[:, 0]


def minimal_sets(flags: Flags) -> list[int]:
    """The marked sets none of whose proper subsets is marked, rising; the marks are closed upwards.

    >>> minimal_sets(np.array([False, True, False, True]))
    [1]
    """
    minimal = flags.copy()
    for i in range(_variables(flags)):
        minimal.reshape(-1, 2, 1 << i)[:, 1] &= ~flags.reshape(-1, 2, 1 << i)[:, 0]
    return np.flatnonzero(minimal).tolist()


def containing(n: int, pair: Sequence[int]) -> Flags:
    """Which sets contain both of a pair."""
    masks = np.arange(1 << n)
    return (masks >> pair[0] & masks >> pair[1] & 1).astype(np.bool_)


@lru_cache(maxsize=4)
def sizes(n: int) -> NDArray[np.uint8]:
    """How many variables each set has."""
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32))


def _variables(table: Flags) -> int:
    return len(table).bit_length() - 1


def _halves(flags: Flags) -> list[Flags]:
    return [flags.reshape(-1, 2, 1 << i) for i in range(_variables(flags))]
