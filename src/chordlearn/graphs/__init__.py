"""Graph theory on bit masks: chordality, cliques, junction trees, moves.

A graph is a sequence with the neighbour mask of each vertex; a clique or separator is a mask. Masks are
Python integers, so any number of vertices fits.

>>> from chordlearn.graphs import graph_from_edges, maximal_cliques, separators
>>> cliques = maximal_cliques(graph_from_edges(4, [(0, 1), (1, 2), (0, 2), (2, 3)]))
>>> [bin(clique) for clique in cliques], [bin(separator) for separator in separators(cliques)]
(['0b111', '0b1100'], ['0b100'])
"""

from chordlearn.graphs.adjacency import (
    Graph,
    blocks,
    by_members,
    components,
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    is_complete,
    mask_of,
    members,
    reachable,
    shortest_path,
)
from chordlearn.graphs.chordal_counts import EdgePrior, count_chordal_graphs, edge_prior
from chordlearn.graphs.chordality import (
    TreeEdge,
    can_add,
    can_remove,
    chordless_cycle,
    clique_graph,
    is_chordal,
    junction_forest,
    labels,
    maximal_cliques,
    perfect_elimination_order,
    score_change,
    score_of,
    search_order,
    separators,
    toggled,
)

__all__ = [
    "EdgePrior",
    "Graph",
    "TreeEdge",
    "blocks",
    "by_members",
    "can_add",
    "can_remove",
    "chordless_cycle",
    "clique_graph",
    "components",
    "count_chordal_graphs",
    "edge_prior",
    "edges_of",
    "graph_from_cliques",
    "graph_from_edges",
    "is_chordal",
    "is_complete",
    "junction_forest",
    "labels",
    "mask_of",
    "maximal_cliques",
    "members",
    "perfect_elimination_order",
    "reachable",
    "score_change",
    "score_of",
    "search_order",
    "separators",
    "shortest_path",
    "toggled",
]
