"""Chordal graphs: how to know them, their cliques, junction trees and scores, and steps of a single edge.

The clique graph joins every two cliques that share a vertex; the edge is labelled with what they share
and weighs as many vertices. Its maximum-weight spanning forests are the junction trees of a chordal
graph (one tree per connected component), and their labels are the separators.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from chordlearn.graphs.adjacency import (
    DisjointSets,
    Graph,
    by_members,
    components,
    is_complete,
    members,
    reachable,
    shortest_path,
)


def search_order(graph: Graph) -> list[int]:
    """Maximum cardinality search: next comes the vertex with most visited neighbours, the lowest of several.

    >>> search_order((2, 5, 2))
    [0, 1, 2]
    """
    with_count = [(1 << len(graph)) - 1]
    count = [0] * len(graph)
    unvisited = with_count[0]
    order = []
    top = 0
    while unvisited:
        while not with_count[top]:
            top -= 1
        vertex = next(members(with_count[top]))
        order.append(vertex)
        unvisited ^= 1 << vertex
        with_count[top] ^= 1 << vertex
        top += 1
        with_count.extend([0] * (top + 1 - len(with_count)))
        for other in members(graph[vertex] & unvisited):
            with_count[count[other]] ^= 1 << other
            count[other] += 1
            with_count[count[other]] |= 1 << other
    return order


def perfect_elimination_order(graph: Graph) -> tuple[int, ...] | None:
    """An order in which the later neighbours of each vertex are complete, or None without one.

    Only chordal graphs have one.

    >>> perfect_elimination_order((2, 5, 2))
    (2, 1, 0)
    >>> perfect_elimination_order((0b1010, 0b0101, 0b1010, 0b0101)) is None
    True
    """
    order = search_order(graph)
    position = {vertex: i for i, vertex in enumerate(order)}
    visited = 0
    for vertex in order:
        earlier = graph[vertex] & visited
        if earlier:
            latest = max(members(earlier), key=position.__getitem__)
            if earlier & ~graph[latest] != 1 << latest:
                return None
        visited |= 1 << vertex
    return tuple(reversed(order))


def is_chordal(graph: Graph) -> bool:
    """Whether every cycle of four or more vertices has a chord.

    >>> is_chordal((2, 5, 2))
    True
    """
    return perfect_elimination_order(graph) is not None


def chordless_cycle(graph: Graph) -> tuple[int, ...] | None:
    """A cycle of four or more vertices without a chord, or None if the graph is chordal.

    Around a vertex a, each part of the graph that a does not touch must be attached to a complete set of
    neighbours of a; two that are not adjacent close a cycle through that part.

    >>> chordless_cycle((0b1010, 0b0101, 0b1010, 0b0101))
    (0, 1, 2, 3)
    """
    if is_chordal(graph):
        return None
    everything = (1 << len(graph)) - 1
    for a, near in enumerate(graph):
        for part in components(graph, everything & ~near & ~(1 << a)):
            attached = [b for b in members(near) if graph[b] & part]
            for i, b in enumerate(attached):
                for c in attached[i + 1 :]:
                    if not graph[b] >> c & 1:
                        path = shortest_path(graph, b, c, part)
                        assert path is not None
                        return (a, *path)
    raise AssertionError("a graph without perfect elimination order has a chordless cycle")


def maximal_cliques(graph: Graph) -> tuple[int, ...]:
    """The maximal cliques of a chordal graph as masks, in the order of their index tuples.

    Raises ValueError if the graph is not chordal.

    >>> maximal_cliques((2, 5, 2, 0))
    (3, 6, 8)
    """
    order = perfect_elimination_order(graph)
    if order is None:
        raise ValueError("the graph is not chordal")
    families = []
    visited = 0
    for vertex in reversed(order):
        families.append(graph[vertex] & visited | 1 << vertex)
        visited |= 1 << vertex
    # Along maximum cardinality search a family is maximal exactly when the next one does not outgrow it.
    maximal = [
        family
        for i, family in enumerate(families)
        if i + 1 == len(families) or families[i + 1].bit_count() <= family.bit_count()
    ]
    return tuple(sorted(maximal, key=by_members))


TreeEdge = tuple[int, int]
"""Two positions in a list of cliques, the lower first."""


def clique_graph(cliques: Sequence[int]) -> list[TreeEdge]:
    """All pairs of cliques that share a vertex.

    >>> clique_graph([0b0011, 0b0110, 0b1000])
    [(0, 1)]
    """
    homes: dict[int, int] = {}
    pairs = []
    for j, clique in enumerate(cliques):
        touched = 0
        for vertex in members(clique):
            here = homes.get(vertex, 0)
            touched |= here
            homes[vertex] = here | 1 << j
        pairs += [(i, j) for i in members(touched)]
    return pairs


def junction_forest(cliques: Sequence[int]) -> tuple[TreeEdge, ...]:
    """A maximum-weight spanning forest of the clique graph; of several the same one every time.

    >>> junction_forest([0b0011, 0b0110, 0b1100])
    ((0, 1), (1, 2))
    """
    heaviest_first = sorted(
        clique_graph(cliques), key=lambda edge: (-(cliques[edge[0]] & cliques[edge[1]]).bit_count(), edge)
    )
    joined = DisjointSets(len(cliques))
    return tuple(sorted(edge for edge in heaviest_first if joined.join(*edge)))


def labels(cliques: Sequence[int], edges: Iterable[TreeEdge]) -> list[int]:
    """What the two cliques of each edge share.

    >>> labels([0b0011, 0b0110], [(0, 1)])
    [2]
    """
    return [cliques[i] & cliques[j] for i, j in edges]


def separators(cliques: Sequence[int]) -> tuple[int, ...]:
    """The separators of the chordal graph with these maximal cliques, each as often as it occurs, sorted.

    >>> separators([0b0011, 0b0101, 0b1001])
    (1, 1)
    """
    return tuple(sorted(labels(cliques, junction_forest(cliques)), key=by_members))


def score_of(cliques: Iterable[int], separators: Iterable[int], value: Callable[[int], float]) -> float:
    """Σ v(cliques) − Σ v(separators), rounded once; −∞ if a clique's value is −∞.

    >>> score_of([0b011, 0b110], [0b010], lambda mask: -float(mask.bit_count()))
    -3.0
    """
    gains = [float(value(clique)) for clique in cliques]
    if -math.inf in gains:
        return -math.inf
    return math.fsum(gains + [-float(value(separator)) for separator in separators])


def can_add(graph: Graph, a: int, b: int) -> bool:
    """Whether a chordal graph stays chordal with the missing edge ab: common neighbours separate a from b.

    >>> can_add((2, 5, 2), 0, 2), can_add((0b0010, 0b0101, 0b1010, 0b0100), 0, 3)
    (True, False)
    """
    if a == b or graph[a] >> b & 1:
        return False
    everything = (1 << len(graph)) - 1
    return not reachable(graph, 1 << a, everything & ~(graph[a] & graph[b])) >> b & 1


def can_remove(graph: Graph, a: int, b: int) -> bool:
    """Whether a chordal graph stays chordal without its edge ab: common neighbours are complete.

    >>> can_remove((6, 5, 3), 0, 1), can_remove((0b1110, 0b0101, 0b1011, 0b0101), 0, 2)
    (True, False)
    """
    return bool(graph[a] >> b & 1) and is_complete(graph, graph[a] & graph[b])


def toggled(graph: Graph, a: int, b: int) -> tuple[int, ...]:
    """The graph with the edge ab added if it was missing, else removed.

    >>> toggled((2, 5, 2), 0, 2)
    (6, 5, 3)
    """
    changed = list(graph)
    changed[a] ^= 1 << b
    changed[b] ^= 1 << a
    return tuple(changed)


def score_change(graph: Graph, a: int, b: int, value: Callable[[int], float]) -> float:
    """By how much a legal toggle of the edge ab changes the score; ``value`` gives v of a mask.

    >>> score_change((0, 0), 0, 1, [0.0, -3.0, -4.0, -5.0].__getitem__)
    2.0
    """
    common = graph[a] & graph[b]
    with_a, with_b = common | 1 << a, common | 1 << b
    gain = value(with_a | with_b) + value(common) - value(with_a) - value(with_b)
    return -gain if graph[a] >> b & 1 else gain
