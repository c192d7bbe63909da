"""What each edge carries and what it is worth, as far as that is known at once."""

from __future__ import annotations

import numpy as np

from chordlearn.data import Dataset
from chordlearn.errors import TooLargeError
from chordlearn.graphs import can_remove, edges_of, score_change
from chordlearn.network.distribution import entropy_of
from chordlearn.network.evaluation import value_of_masks
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.propagation import Table
from chordlearn.scores import ScoreFunction

Edge = tuple[str, str]
Strengths = dict[Edge, float]
Losses = dict[Edge, float | None]


def edge_information(network: FittedNetwork) -> Strengths:
    """What the two ends of each edge tell of each other when their common neighbours are known, in nats.

    For an edge of so many cliques that this table would be too large, the least within one clique is taken.

    >>> import chordlearn as cl
    >>> information = edge_information(cl.fit(cl.learn("heart")))
    >>> max(information, key=information.get), round(information["mental", "phys"], 4)
    (('mental', 'phys'), 0.1861)
    """
    return {(a, b): _information(network, a, b) for a, b in network.edges}


def removal_losses(network: FittedNetwork, data: Dataset, function: ScoreFunction) -> Losses:
    """The score lost by taking out each edge, all else as it is; None where what is left is not chordal.

    >>> import chordlearn as cl
    >>> losses = removal_losses(cl.fit(cl.learn("heart")), cl.read("heart"), cl.BDeu())
    >>> round(losses["mental", "phys"], 2)
    338.92
    """
    graph, names = network.structure.graph, network.variables
    value = value_of_masks(network.structure, data, function)
    return {
        (names[a], names[b]): -score_change(graph, a, b, value) if can_remove(graph, a, b) else None
        for a, b in edges_of(graph)
    }


def _information(network: FittedNetwork, a: str, b: str) -> float:
    holding = [
        (clique, table)
        for clique, table in zip(network.cliques, network.tables, strict=True)
        if a in clique and b in clique
    ]
    if len(holding) > 1:
        common = [name for name in network.structure.neighbours(a) if name in network.structure.neighbours(b)]
        try:
            return network.mutual_information(a, b, on=common)
        except TooLargeError:
            pass
    return min(_within(table, clique.index(a), clique.index(b)) for clique, table in holding)


def _within(table: Table, i: int, j: int) -> float:
    without_i, without_j = (entropy_of(np.asarray(table.sum(axis=axis))) for axis in (i, j))
    neither = entropy_of(np.asarray(table.sum(axis=(i, j))))
    return max(0.0, without_i + without_j - entropy_of(table) - neither)
