"""The format of the UAI inference competitions: numbers only, and undirected networks as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chordlearn.network.formats.identifiers import decimals

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork


def uai(network: FittedNetwork) -> str:
    """A Markov network of P(clique | separator) for each clique; their product is the joint distribution.

    Variables and states are numbered in their order. Each table's variables stand in falling order, the last
    changing fastest: so the file also means the same to readers that always let the lowest change fastest.

    >>> import chordlearn as cl
    >>> coin = cl.fit(cl.ChordalNetwork.from_cliques(["coin"], [["coin"]]), {"coin": [0, 0, 1]})
    >>> print(uai(coin))
    MARKOV
    1
    2
    1
    1 0
    <BLANKLINE>
    2
    0.625 0.375
    <BLANKLINE>
    """
    nodes = network.forest
    lines = [
        "MARKOV",
        str(len(network.variables)),
        " ".join(str(len(labels)) for labels in network.states),
        str(len(nodes)),
        *(f"{len(node.clique)} {' '.join(map(str, reversed(node.clique)))}" for node in nodes),
    ]
    for node in nodes:
        table = decimals(np.exp(node.log_table).T)
        lines += ["", str(len(table)), " ".join(table)]
    return "\n".join(lines) + "\n"
