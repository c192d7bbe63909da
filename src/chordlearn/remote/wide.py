"""The wide search with everything that may go with it: a cluster, several starts, a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Callable

from chordlearn._core import WideSearch
from chordlearn.backends.outcome import Limits, Outcome
from chordlearn.backends.wide_bound import bound_beside
from chordlearn.backends.wide_search import search_wide
from chordlearn.backends.wide_ties import settle_wide
from chordlearn.checkpoint import Keeper
from chordlearn.cluster import Cluster, Threads
from chordlearn.graphs import edges_of, graph_from_cliques, members
from chordlearn.problem.wide import WideProblem
from chordlearn.remote.neighbourhoods import RemoteMapper
from chordlearn.remote.starts import search_wide_from_seeds
from chordlearn.scores.compute import make_scorer


def scores_of(problem: WideProblem) -> Callable[[list[int]], list[float]]:
    """How sets of variables, given as masks, are scored where not all sets are."""

    def score_sets(masks: list[int]) -> list[float]:
        scorer = make_scorer(problem.dataset, problem.function)
        return [float(value) for value in scorer.sets([list(members(mask)) for mask in masks])]

    return score_sets


def run_wide(
    problem: WideProblem,
    limits: Limits,
    keeper: Keeper,
    *,
    cluster: Cluster | None = None,
    starts: int = 1,
    prove: bool = False,
) -> Outcome:
    """Search, from where the keeper's checkpoint stands, if it goes on from one.

    On a cluster the neighbourhoods of one search, or else whole searches, are the tasks; without one,
    threads do the same and find the same. With ``prove`` it goes on until the best network is proved.
    """

    keeper.begin("starts" if starts > 1 else "wide", problem.constraints, scores_of(problem))
    bounding = bound_beside(problem, limits, patient=prove)
    if starts > 1:
        workforce = cluster or Threads(limits.threads)
        outcome = search_wide_from_seeds(workforce, problem, limits, keeper, starts=starts, bounding=bounding)
        return settle_wide(problem, outcome, bounding, limits)
    state, known = keeper.recall_state(), keeper.recall()
    edges = None if known is None else edges_of(graph_from_cliques(problem.n, known.cliques))

    def keep(search: WideSearch) -> None:
        state = search.state()
        bound = math.inf if bounding is None else bounding.bound
        keeper.remember_edges(state["score"], lambda: state["edges"].tolist(), bound=bound, state=state)

    mapper = None if cluster is None else RemoteMapper(cluster, problem)
    outcome = search_wide(
        problem,
        limits,
        keeper,
        mapper=mapper,
        resume=state,
        start=edges,
        after_wave=keep,
        bounding=bounding,
    )
    return settle_wide(problem, outcome, bounding, limits)
