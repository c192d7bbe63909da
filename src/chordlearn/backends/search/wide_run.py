"""The wide search with everything that may go with it: a cluster, several starts, a checkpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack

from chordlearn._core import WideSearch
from chordlearn.backends.base.observers import LongMemory
from chordlearn.backends.base.outcome import Limits, Outcome
from chordlearn.backends.search.neighbourhoods import WorkersMapper
from chordlearn.backends.search.starts import search_wide_from_seeds
from chordlearn.backends.search.wide import search_wide
from chordlearn.backends.search.wide_bound import bound_beside
from chordlearn.backends.search.wide_ties import settle_wide
from chordlearn.graphs import edges_of, graph_from_cliques, members
from chordlearn.parallel import Workers
from chordlearn.problem.wide import WideProblem
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
    keeper: LongMemory,
    *,
    cluster: Workers | None = None,
    starts: int = 1,
    prove: bool = False,
) -> Outcome:
    """Search, from where the keeper's checkpoint stands, if it goes on from one.

    On a cluster the neighbourhoods of one search, or else whole searches, are the tasks; without one,
    threads do the same and find the same. With ``prove`` it goes on until the best network is proved.
    """
    keeper.begin("starts" if starts > 1 else "wide", problem.constraints, scores_of(problem))
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    bounding = bound_beside(problem, limits, patient=prove)
    if starts > 1:
        with ExitStack() as opened:
            workers = cluster or opened.enter_context(Workers(limits.threads))
            outcome = search_wide_from_seeds(
                workers, problem, limits, keeper, starts=starts, bounding=bounding
            )
        return settle_wide(problem, outcome, bounding, limits, deadline)
    state, known = keeper.recall_state(), keeper.recall()
    edges = None if known is None else edges_of(graph_from_cliques(problem.n, known.cliques))

    def keep(search: WideSearch) -> None:
        state = search.state()
        bound = math.inf if bounding is None else bounding.bound
        keeper.remember_edges(state["score"], lambda: state["edges"].tolist(), bound=bound, state=state)

    mapper = None if cluster is None else WorkersMapper(cluster, problem)
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
    return settle_wide(problem, outcome, bounding, limits, deadline)
