"""Junction trees: spanning forests of the clique graph, and what makes them right.

The clique graph joins every two cliques that share a vertex; the edge is labelled with what they share
and weighs as many vertices. Its maximum-weight spanning forests are the junction trees of a chordal
graph (one tree per connected component), and their labels are the separators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from chordlearn.graphs.adjacency import graph_from_edges, reachable
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


def is_acyclic(count: int, edges: Iterable[TreeEdge]) -> bool:
    """Whether edges between ``count`` cliques form no cycle.

    >>> is_acyclic(3, [(0, 1), (1, 2)]), is_acyclic(3, [(0, 1), (1, 2), (0, 2)])
    (True, False)
    """
    joined = DisjointSets(count)
    return all(joined.join(*edge) for edge in edges)


def unbalanced(cliques: Sequence[int], edges: Iterable[TreeEdge]) -> list[int]:
    """The vertices that do not occur in exactly one more clique than edge label.

    >>> unbalanced([0b0011, 0b0110], [])
    [1]
    """
    surplus: Counter[int] = Counter()
    for clique in cliques:
        surplus.update(members(clique))
    for label in labels(cliques, edges):
        surplus.subtract(members(label))
    return sorted(vertex for vertex, count in surplus.items() if count != 1)


def is_balanced(cliques: Sequence[int], edges: Iterable[TreeEdge]) -> bool:
    """The balancing condition: every vertex occurs in one more clique than edge label.

    For the cliques of a chordal graph, an acyclic set of edges of the clique graph is a junction tree
    exactly when it is balanced.

    >>> is_balanced([0b0011, 0b0110], [(0, 1)])
    True
    """
    return not unbalanced(cliques, edges)


def has_running_intersection(cliques: Sequence[int], edges: Sequence[TreeEdge]) -> bool:
    """Whether the edges form a forest in which what two cliques share lies in every clique between them.

    That is: for every vertex, the cliques that contain it hang together. Cliques in different trees share
    nothing.

    >>> has_running_intersection([0b0011, 0b0110, 0b1100], [(0, 2), (1, 2)])
    False
    """
    if not is_acyclic(len(cliques), edges):
        return False
    forest = graph_from_edges(len(cliques), edges)
    containing: dict[int, int] = {}
    for i, clique in enumerate(cliques):
        for vertex in members(clique):
            containing[vertex] = containing.get(vertex, 0) | 1 << i
    return all(reachable(forest, homes & -homes, homes) == homes for homes in containing.values())


def number_of_junction_trees(cliques: Sequence[int]) -> int:
    """The exact number of junction trees (forests, if disconnected) over these maximal cliques.

    Take a separator S that labels m edges, and the t cliques that contain it. In any junction tree these
    cliques hang together, and without the edges labelled S they fall into m + 1 blocks, which are the same
    in every junction tree; let their sizes be f₀ … fₘ. Cliques in different blocks share exactly S, so S
    may join the blocks by any tree, and there are f₀ ⋯ fₘ · t^(m−1) of them. The choices for
    different separators are independent, and the numbers multiply.

    >>> number_of_junction_trees([0b0011, 0b0101, 0b1001])
    3
    """
    forest = junction_forest(cliques)
    edge_labels = labels(cliques, forest)
    total = 1
    for separator, multiplicity in Counter(edge_labels).items():
        blocks = DisjointSets(len(cliques))
        for edge, label in zip(forest, edge_labels, strict=True):
            if label & separator == separator and label != separator:
                blocks.join(*edge)
        sizes = Counter(blocks.root(i) for i, clique in enumerate(cliques) if clique & separator == separator)
        for size in sizes.values():
            total *= size
        total *= sizes.total() ** (multiplicity - 1)
    return total
