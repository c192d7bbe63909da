"""Junction trees: spanning forests of the clique graph, and what makes them right.

The clique graph joins every two cliques that share a vertex; the edge is labelled with what they share
and weighs as many vertices. Its maximum-weight spanning forests are the junction trees of a chordal
graph (one tree per connected component), and their labels are the separators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chordlearn.graphs.masks import DisjointSets, by_members, members

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
