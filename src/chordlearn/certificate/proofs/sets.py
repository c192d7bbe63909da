"""All sets of few variables: a set's number is its mask, its place in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
"""A mark for every set, by number; the empty set has 0."""


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


def spread_upwards(flags: Flags) -> None:
    """Mark every superset of a marked set, in place.

    >>> flags = np.array([False, True, False, False])
    >>> spread_upwards(flags)
    >>> flags
    array([False,  True, False,  True])
    """
    for i in range(number_of_variables(flags)):
        halves = flags.reshape(-1, 2, 1 << i)
        halves[:, 1] |= halves[:, 0]


def minimal(flags: Flags) -> Flags:
    """The marked sets none of whose proper subsets is marked; the marks are closed upwards.

    >>> minimal(np.array([False, True, False, True]))
    array([False,  True, False, False])
    """
    found = flags.copy()
    for i in range(number_of_variables(flags)):
        found.reshape(-1, 2, 1 << i)[:, 1] &= ~flags.reshape(-1, 2, 1 << i)[:, 0]
    return found


def number_of_variables(table: NDArray[Any]) -> int:
    """Of how many variables a table has all sets."""
    return len(table).bit_length() - 1


def containing(n: int, pair: Sequence[int]) -> Flags:
    """Which of all sets contain both of a pair."""
    masks = np.arange(1 << n)
    return (masks >> pair[0] & masks >> pair[1] & 1).astype(np.bool_)


@lru_cache(maxsize=4)
def sizes(n: int) -> NDArray[np.uint8]:
    """How many variables each of all sets has."""
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32))
