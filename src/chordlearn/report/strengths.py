"""How much each edge carries."""

from __future__ import annotations

import numpy as np

from chordlearn.network import FittedNetwork
from chordlearn.network.distribution import entropy_of

Strengths = dict[tuple[str, str], float]


def edge_strengths(network: FittedNetwork) -> Strengths:
    """What the two ends of each edge tell of each other when the rest of their clique is known, in nats.

    It is zero if and only if the edge could be left out without changing the distribution of the clique. An
    edge in several cliques takes the smallest of its values.

    >>> import chordlearn as cl
    >>> strengths = edge_strengths(cl.fit(cl.learn("heart")))
    >>> max(strengths, key=strengths.get), round(strengths["mental", "phys"], 4)
    (('mental', 'phys'), 0.1861)
    """
    found: Strengths = {}
    place = {name: i for i, name in enumerate(network.variables)}
    for clique, table in zip(network.cliques, network.tables, strict=True):
        whole = entropy_of(table)
        alone = [entropy_of(np.asarray(table.sum(axis=i))) for i in range(len(clique))]
        for i, a in enumerate(clique):
            for j in range(i + 1, len(clique)):
                rest = entropy_of(np.asarray(table.sum(axis=(i, j))))
                value = max(0.0, alone[i] + alone[j] - whole - rest)
                edge = (a, clique[j]) if place[a] < place[clique[j]] else (clique[j], a)
                found[edge] = min(value, found.get(edge, value))
    return {edge: found[edge] for edge in network.edges}
