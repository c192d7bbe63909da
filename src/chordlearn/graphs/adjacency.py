"""Sets of vertices as bits of an integer, and graphs as one such set, the neighbours, per vertex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


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


Graph = Sequence[int]
"""The neighbours of each vertex as a bit mask; symmetric, without loops."""


def graph_from_edges(n: int, edges: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The graph on n vertices with these edges.

    >>> graph_from_edges(3, [(0, 2)])
    (4, 0, 1)
    """
    neighbours = [0] * n
    for a, b in edges:
        neighbours[a] |= 1 << b
        neighbours[b] |= 1 << a
    return tuple(neighbours)


def graph_from_cliques(n: int, cliques: Iterable[int]) -> tuple[int, ...]:
    """The graph on n vertices whose edges are the pairs inside the cliques.

    >>> graph_from_cliques(3, [0b011, 0b110])
    (2, 5, 2)
    """
    neighbours = [0] * n
    for clique in cliques:
        for vertex in members(clique):
            neighbours[vertex] |= clique
    return tuple(mask & ~(1 << vertex) for vertex, mask in enumerate(neighbours))


def edges_of(graph: Graph) -> tuple[tuple[int, int], ...]:
    """All edges (a, b) with a < b, in rising order.

    >>> edges_of((2, 5, 2))
    ((0, 1), (1, 2))
    """
    return tuple((a, a + 1 + b) for a, mask in enumerate(graph) for b in members(mask >> (a + 1)))


def is_complete(graph: Graph, vertices: int) -> bool:
    """Whether every two of the vertices are adjacent.

    >>> is_complete((2, 5, 2), 0b011), is_complete((2, 5, 2), 0b111)
    (True, False)
    """
    return all(vertices & ~graph[vertex] == 1 << vertex for vertex in members(vertices))


def reachable(graph: Graph, start: int, within: int) -> int:
    """The vertices reached from the set ``start`` along paths whose later vertices are in ``within``.

    >>> reachable((2, 5, 2), 0b001, within=0b011)
    3
    """
    reached = frontier = start
    while frontier:
        around = 0
        for vertex in members(frontier):
            around |= graph[vertex]
        frontier = around & within & ~reached
        reached |= frontier
    return reached


def components(graph: Graph, within: int | None = None) -> list[int]:
    """The connected components, each a mask, ordered by lowest vertex; of the part ``within`` if given.

    >>> components((2, 1, 0))
    [3, 4]
    """
    left = (1 << len(graph)) - 1 if within is None else within
    found = []
    while left:
        component = reachable(graph, left & -left, left)
        found.append(component)
        left &= ~component
    return found


def shortest_path(graph: Graph, start: int, end: int, within: int) -> list[int] | None:
    """A shortest path from vertex to vertex whose inner vertices are in ``within``; None if there is none.

    >>> shortest_path((2, 5, 2), 0, 2, within=0b010)
    [0, 1, 2]
    """
    layers = [1 << start]
    allowed = (within | 1 << end) & ~(1 << start)
    while not layers[-1] >> end & 1:
        around = 0
        for vertex in members(layers[-1]):
            around |= graph[vertex]
        layer = around & allowed
        if not layer:
            return None
        allowed &= ~layer
        layers.append(layer)
    path = [end]
    for layer in reversed(layers[:-1]):
        path.append(next(members(layer & graph[path[-1]])))
    return path[::-1]


def blocks(graph: Graph) -> list[int]:
    """The largest connected parts of two vertices or more that no single vertex separates, as masks.

    Every edge lies in exactly one, and so does every cycle and every complete set of two or more.

    >>> blocks((0b00110, 0b00101, 0b01011, 0b00100, 0))
    [7, 12]
    """
    depth: dict[int, int] = {}
    low: dict[int, int] = {}
    found: list[int] = []
    for root in range(len(graph)):
        if root in depth:
            continue
        depth[root] = low[root] = 0
        path, visited = [root], [root]
        pending = [iter(members(graph[root]))]
        while path:
            vertex = path[-1]
            neighbour = next(pending[-1], None)
            if neighbour is None:
                path.pop()
                pending.pop()
                if not path:
                    break
                parent = path[-1]
                low[parent] = min(low[parent], low[vertex])
                if low[vertex] >= depth[parent]:
                    # The parent separates all that was visited from the vertex on.
                    block = 1 << parent
                    while True:
                        last = visited.pop()
                        block |= 1 << last
                        if last == vertex:
                            break
                    found.append(block)
            elif neighbour not in depth:
                depth[neighbour] = low[neighbour] = depth[vertex] + 1
                path.append(neighbour)
                visited.append(neighbour)
                pending.append(iter(members(graph[neighbour])))
            else:
                low[vertex] = min(low[vertex], depth[neighbour])
    return sorted(found)
