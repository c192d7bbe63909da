"""Sets of vertices as the bits of an integer of any size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def members(mask: int) -> Iterator[int]:
    """The indices in a mask, rising.

    >>> list(members(0b1011))
    [0, 1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def mask_of(indices: Iterable[int]) -> int:
    """The mask of some indices; repeated ones count once.

    >>> mask_of([0, 3])
    9
    """
    mask = 0
    for index in indices:
        mask |= 1 << index
    return mask


def by_members(mask: int) -> tuple[int, ...]:
    """Sort key that puts sets in the order of their rising index tuples.

    >>> sorted([0b100, 0b011, 0b101], key=by_members)
    [3, 5, 4]
    """
    return tuple(members(mask))
