"""Disjoint sets that merge, to follow how edges join vertices into trees."""

from __future__ import annotations


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
