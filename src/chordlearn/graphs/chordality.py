"""Is a graph chordal? A perfect elimination order says yes, a chordless cycle says no."""

from __future__ import annotations

from chordlearn.graphs.adjacency import Graph, components, shortest_path
from chordlearn.graphs.masks import by_members, members


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
