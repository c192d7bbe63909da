"""Sets of vertices as the bits of an integer of any size, and disjoint sets that merge."""

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


class DisjointSets:
    """The numbers below a count, at first each alone.

    >>> sets = DisjointSets(3)
    >>> sets.join(0, 1), sets.join(1, 0), sets.root(0) == sets.root(2)
    (True, False, False)
    """

    def __init__(self, count: int) -> None:
        """Start with as many sets as numbers."""
        self._parent = list(range(count))

    def root(self, item: int) -> int:
        """The number that stands for the set of ``item``."""
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def join(self, a: int, b: int) -> bool:
        """Merge two sets; False if they were one already."""
        root_a, root_b = self.root(a), self.root(b)
        self._parent[root_b] = root_a
        return root_a != root_b
