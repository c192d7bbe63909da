"""What each edge of a network is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chordlearn.analysis.independence import IndependenceTest, independence_test
from chordlearn.analysis.posteriors import Posterior
from chordlearn.analysis.posteriors import posterior as all_networks
from chordlearn.analysis.resampling import Bootstrap
from chordlearn.analysis.resampling import bootstrap as resampled_networks
from chordlearn.backends.base.outcome import Observer, SilentObserver
from chordlearn.data.dataset import Dataset
from chordlearn.errors import ContradictionError, TooLargeError
from chordlearn.graphs import can_remove, edges_of, score_change
from chordlearn.network.completions import whole_rows
from chordlearn.network.distribution import entropy_of
from chordlearn.network.evaluation import recorded_function, score_network, value_of_masks
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.propagation import Table
from chordlearn.pipeline.inputs import chosen_function
from chordlearn.pipeline.learning import learn
from chordlearn.pipeline.updating import data_of
from chordlearn.problem.constraints import recorded_constraints
from chordlearn.scores import ScoreFunction, ScoreTable, compute_scores
from chordlearn.system.json import JsonMixin

Edge = tuple[str, str]
Strengths = dict[Edge, float]
Losses = dict[Edge, float | None]


@dataclass(frozen=True)
class EdgeStrength(JsonMixin):
    """How much speaks for an edge."""

    edge: Edge
    loss: float | None
    """The score lost without the edge; None if no allowed network lacks it.

    Where the score is a log marginal likelihood this is a log Bayes factor."""
    by: str
    """`removal` (of this edge alone) or `relearning` (the best network without it)."""
    conditional_mutual_information: float | None
    """Of its ends given their common neighbours, in nats; None if that table would be too large."""
    test: IndependenceTest
    """Of their independence given the common neighbours, on the counts."""
    probability: float | None = None
    """Of the edge, over all networks, if that was asked for."""
    frequency: float | None = None
    """Of the edge in networks of resampled data, if that was asked for."""


def edge_strengths(
    network: FittedNetwork,
    data: Any = None,
    *,
    score: str | ScoreFunction | None = None,
    relearn: bool = False,
    posterior: Posterior | bool = False,
    bootstrap: Bootstrap | int = 0,
    max_clique: int | None = None,
    require: Iterable[Edge] | None = None,
    forbid: Iterable[Edge] | None = None,
    threads: int | None = None,
    observer: Observer | None = None,
) -> tuple[EdgeStrength, ...]:
    """What each edge is worth: the score lost without it, its mutual information, and the test of statistics.

    An edge whose removal leaves a chordal graph is removed, all else staying as it is. For any other edge,
    and for all with ``relearn``, the best network without it is learned under the same constraints. By
    default data, score function and constraints are those that the network records. With ``posterior`` and
    ``bootstrap`` (how many networks) also its probability over all networks and its frequency in networks of
    resampled data; what :func:`chordlearn.posterior` and :func:`chordlearn.bootstrap` found is taken too.

    >>> import chordlearn as cl
    >>> heart = cl.fit(cl.learn("heart"))
    >>> strongest = max(edge_strengths(heart), key=lambda found: found.loss)
    >>> strongest.edge, round(strongest.loss, 2), strongest.by
    (('mental', 'phys'), 338.92, 'removal')
    """
    observer = observer or SilentObserver()
    recorded = recorded_constraints(network.provenance.get("constraints"))
    max_clique = recorded.max_clique if max_clique is None else max_clique
    require = recorded.required if require is None else require
    forbid = recorded.forbidden if forbid is None else forbid
    data = whole_rows(network, data_of(network, data))
    recorded_score = network.provenance.get("score_function")
    function = recorded_function(recorded_score) if score is None else chosen_function(score)
    structure = network.structure
    losses = removal_losses(network, data, function)
    whole = score_network(structure, data, function)
    needed = {frozenset(edge) for edge in require}
    asked: dict[str, Any] = {"max_clique": max_clique, "require": require, "forbid": forbid}
    asked |= {"score": function, "threads": threads, "observer": observer}
    if posterior is True:
        posterior = all_networks(data, **asked)
    if isinstance(bootstrap, int) and bootstrap:
        bootstrap = resampled_networks(data, samples=bootstrap, **asked)
    probabilities = {frozenset(e): p.value for e, p in posterior.edges.items()} if posterior else {}
    frequencies = (
        None if isinstance(bootstrap, int) else {frozenset(e): f for e, f in bootstrap.edges.items()}
    )
    table: ScoreTable | None = None
    found = []
    for number, (edge, loss) in enumerate(losses.items()):
        observer.progress("weighing edges", None, None, f"{number} of {len(losses)}")
        information = _information(network, edge)
        by = "removal"
        if frozenset(edge) in needed:
            loss = None
        elif loss is None or relearn:
            if table is None:
                table = compute_scores(data, function, max_size=max_clique, threads=threads or 1)
            best = _best_score(table, max_clique, require, (*forbid, edge), threads)
            loss, by = None if best is None else whole - best, "relearning"
        common = [name for name in structure.neighbours(edge[0]) if name in structure.neighbours(edge[1])]
        test = independence_test(data, *edge, common)
        pair = frozenset(edge)
        frequency = None if frequencies is None else frequencies.get(pair, 0.0)
        found.append(EdgeStrength(edge, loss, by, information, test, probabilities.get(pair), frequency))
    return tuple(found)


def _best_score(
    table: ScoreTable,
    max_clique: int | None,
    require: Iterable[Edge],
    forbid: Iterable[Edge],
    threads: int | None,
) -> float | None:
    try:
        return learn(table, max_clique=max_clique, require=require, forbid=forbid, threads=threads).score
    except ContradictionError:
        return None


def removal_losses(network: FittedNetwork, data: Dataset, function: ScoreFunction) -> Losses:
    """The score lost by removing each edge, all else as it is; None where what is left is not chordal.

    >>> import chordlearn as cl
    >>> losses = removal_losses(cl.fit(cl.learn("heart")), cl.read("heart"), cl.BDeu())
    >>> round(losses["mental", "phys"], 2)
    338.92
    """
    graph, names = network.structure.graph, network.variables
    value = value_of_masks(network.structure, whole_rows(network, data), function)
    return {
        (names[a], names[b]): -score_change(graph, a, b, value) if can_remove(graph, a, b) else None
        for a, b in edges_of(graph)
    }


def edge_information(network: FittedNetwork) -> Strengths:
    """The mutual information of the ends of each edge given their common neighbours, in nats.

    For an edge in so many cliques that this table would be too large, the least within one clique is taken.

    >>> import chordlearn as cl
    >>> information = edge_information(cl.fit(cl.learn("heart")))
    >>> max(information, key=information.get), round(information["mental", "phys"], 4)
    (('mental', 'phys'), 0.1861)
    """
    return {edge: _information_or_least(network, edge) for edge in network.edges}


def _information_or_least(network: FittedNetwork, edge: Edge) -> float:
    holding = [
        (clique, table)
        for clique, table in zip(network.cliques, network.tables, strict=True)
        if set(edge) <= set(clique)
    ]
    found = _information(network, edge) if len(holding) > 1 else None
    return found if found is not None else min(_within(table, clique, edge) for clique, table in holding)


def _information(network: FittedNetwork, edge: Edge) -> float | None:
    first, second = (network.structure.neighbours(name) for name in edge)
    try:
        return network.mutual_information(*edge, on=[name for name in first if name in second])
    except TooLargeError:
        return None


def _within(table: Table, clique: tuple[str, ...], edge: Edge) -> float:
    i, j = map(clique.index, edge)
    without_i, without_j, neither = (np.asarray(table.sum(axis=axes)) for axes in (i, j, (i, j)))
    return max(0.0, entropy_of(without_i) + entropy_of(without_j) - entropy_of(table) - entropy_of(neither))
