"""The maximal cliques of a chordal graph."""

from __future__ import annotations

from collections.abc import Sequence

from chordlearn.graphs.adjacency import Graph
from chordlearn.graphs.bits import by_members
from chordlearn.graphs.chordality import perfect_elimination_order


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


def are_maximal(graph: Graph, cliques: Sequence[int]) -> bool:
    """Whether these are exactly the maximal cliques of a chordal graph, each once.

    >>> are_maximal((2, 5, 2), [0b110, 0b011])
    True
    """
    return tuple(sorted(cliques, key=by_members)) == maximal_cliques(graph)
