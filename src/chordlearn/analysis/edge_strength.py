"""What each edge of a network is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chordlearn.backends.base.outcome import Observer, SilentObserver
from chordlearn.errors import ContradictionError, TooLargeError
from chordlearn.graphs import can_remove, edges_of, members, score_change
from chordlearn.network.evaluation import recorded_function, score_network, value_of_masks
from chordlearn.network.fitted import FittedNetwork
from chordlearn.pipeline.fitting import data_of
from chordlearn.pipeline.learning import learn
from chordlearn.problem.constraints import recorded_constraints
from chordlearn.scores import ScoreFunction, ScoreTable, compute_scores
from chordlearn.system.json import JsonMixin

Edge = tuple[str, str]


@dataclass(frozen=True)
class EdgeStrength(JsonMixin):
    """How much speaks for an edge."""

    edge: Edge
    loss: float | None
    """The score lost without the edge; None if no allowed network lacks it."""
    by: str
    """`removal` (of this edge alone) or `relearning` (the best network without it)."""
    conditional_mutual_information: float | None
    """Of its ends given their common neighbours, in nats; None if that table would be too large."""


def edge_strengths(
    network: FittedNetwork,
    data: Any = None,
    function: ScoreFunction | None = None,
    *,
    relearn: bool = False,
    max_clique: int | None = None,
    require: Iterable[Edge] | None = None,
    forbid: Iterable[Edge] | None = None,
    threads: int | None = None,
    observer: Observer | None = None,
) -> tuple[EdgeStrength, ...]:
    """What each edge is worth: the score lost without it, and what its ends tell of each other.

    An edge whose removal leaves a chordal graph is removed, all else staying as it is. For any other edge,
    and for all with ``relearn``, the best network without it is learned under the same constraints. By
    default data, score function and constraints are those that the network records.

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
    data = data_of(network, data)
    function = function or recorded_function(network.provenance.get("score_function"))
    structure = network.structure
    value = value_of_masks(structure, data, function)
    score = score_network(structure, data, function)
    needed = {frozenset(edge) for edge in require}
    table: ScoreTable | None = None
    found = []
    pairs = edges_of(structure.graph)
    for number, (a, b) in enumerate(pairs):
        edge = (structure.variables[a], structure.variables[b])
        observer.progress("weighing edges", None, None, f"{number} of {len(pairs)}")
        information = _information(network, a, b)
        if frozenset(edge) in needed:
            found.append(EdgeStrength(edge, None, "removal", information))
        elif can_remove(structure.graph, a, b) and not relearn:
            loss = -score_change(structure.graph, a, b, value)
            found.append(EdgeStrength(edge, loss, "removal", information))
        else:
            if table is None:
                table = compute_scores(data, function, max_size=max_clique, threads=threads or 1)
            best = _best_score(table, max_clique, require, (*forbid, edge), threads)
            found.append(
                EdgeStrength(edge, None if best is None else score - best, "relearning", information)
            )
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


def _information(network: FittedNetwork, a: int, b: int) -> float | None:
    names, graph = network.variables, network.structure.graph
    common = [names[i] for i in members(graph[a] & graph[b])]
    try:
        return network.mutual_information(names[a], names[b], on=common)
    except TooLargeError:
        return None
