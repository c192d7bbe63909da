"""How many junction trees a chordal graph has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chordlearn.graphs.disjoint import DisjointSets
from chordlearn.graphs.junction import junction_forest, labels


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
