"""The network as objects of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.directed import conditionals

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork


def to_networkx(structure: ChordalNetwork) -> Any:
    """The graph of networkx; each node has its `states`, if they are known.

    >>> to_networkx(ChordalNetwork.from_edges("abc", ["ab"])).number_of_edges()
    1
    """
    networkx = _imported("networkx", "networkx")
    graph = networkx.Graph()
    for i, name in enumerate(structure.variables):
        graph.add_node(name, **({} if structure.states is None else {"states": structure.states[i]}))
    graph.add_edges_from(structure.edges)
    return graph


def to_pgmpy(network: FittedNetwork, *, directed: bool = False) -> Any:
    """A `DiscreteMarkovNetwork` of pgmpy with P(clique | separator) as factors; or a Bayesian network.

    The directed one goes through a perfect elimination order and stands for the same distribution.
    """
    _imported("pgmpy", "pgmpy")
    from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork

    states = dict(zip(network.variables, map(list, network.states), strict=True))
    if not directed:
        model = DiscreteMarkovNetwork()
        model.add_nodes_from(network.variables)
        model.add_edges_from(network.edges)
        for node in network.forest:
            names = [network.variables[i] for i in node.clique]
            table = np.exp(node.log_table)
            model.add_factors(
                DiscreteFactor(names, list(table.shape), table, state_names={n: states[n] for n in names})
            )
        return model
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(network.variables)
    for conditional in conditionals(network.structure, network.tables):
        model.add_edges_from((parent, conditional.variable) for parent in conditional.parents)
        names = [conditional.variable, *conditional.parents]
        model.add_cpds(
            TabularCPD(
                conditional.variable,
                conditional.table.shape[-1],
                conditional.table.reshape(-1, conditional.table.shape[-1]).T,
                evidence=list(conditional.parents) or None,
                evidence_card=list(conditional.table.shape[:-1]) or None,
                state_names={name: states[name] for name in names},
            )
        )
    return model


def _imported(module: str, package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise InputError(f"{package} is not installed; get it with: pip install {package}.") from None
