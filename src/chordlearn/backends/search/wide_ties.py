"""The simplest of the networks that tie, for many variables: block by block of what the cuts leave."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from chordlearn._core import Control, CutBound, Relaxation, Scorer
from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.outcome import Limits, Outcome
from chordlearn.backends.base.run import CHECK_SECONDS
from chordlearn.backends.base.ties import Ties, leave_ties_open, settle_ties
from chordlearn.backends.base.tolerance import rounding_of_sum
from chordlearn.backends.search.block_problems import block_problem
from chordlearn.backends.search.wide_bound import SLACK, WideBound, network_score, value_of
from chordlearn.graphs import (
    blocks,
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    maximal_cliques,
    members,
    score_of,
    separators,
)
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.accuracy import accuracy_of
from chordlearn.scores.compute import make_scorer
from chordlearn.system.running import watch

MOST_BLOCK_VARIABLES = 20
"""Looking for ties in larger blocks would take noticeable time."""


def settle_wide(
    problem: WideProblem,
    outcome: Outcome,
    bounding: WideBound | None,
    limits: Limits,
    deadline: float | None,
) -> Outcome:
    """The outcome with the simplest network that cannot be told apart from a proved one.

    Where that is not known by the deadline (of time.monotonic), it is a network that no edge can leave.
    """
    if outcome.status != "optimal" or outcome.cliques is None:
        return outcome
    best = Incumbent(outcome.score, outcome.cliques)
    scorer = make_scorer(problem.dataset, problem.function)
    accuracy = accuracy_of(problem.dataset, problem.function)
    error = 0.0 if accuracy is None else accuracy.of_network(best.cliques, separators(best.cliques))
    value = value_of(scorer)
    rounding = rounding_of_sum(problem.n, map(value, [*best.cliques, *separators(best.cliques)]))
    tolerance = max(outcome.tolerance, rounding)
    within = max(tolerance, 2 * error)
    least = max(best.score - within, outcome.bound - tolerance)
    settled = None

    def look(control: Control) -> tuple[Incumbent, Ties] | None:
        sets = None if bounding is None else bounding.sets_left(control)
        if sets is None:
            return None
        return _settle_blocks(problem, scorer, sets, best, within, limits.threads, control)

    if within <= SLACK:
        moment = time.monotonic() + CHECK_SECONDS
        settled = watch(look, deadline=moment if deadline is None else min(moment, deadline)).value
    if settled is None or settled[0].score < least:
        settled = leave_ties_open(problem.n, best, within, problem.required, value, least)
    simplest, ties = settled
    return replace(
        outcome,
        cliques=simplest.cliques,
        score=simplest.score,
        tolerance=tolerance,
        details={**outcome.details, "ties": ties.as_json()},
    )


def _settle_blocks(
    problem: WideProblem,
    scorer: Scorer,
    sets: CutBound,
    best: Incumbent,
    within: float,
    threads: int,
    control: Control,
) -> tuple[Incumbent, Ties] | None:
    """The simplest network on each block, which together are the simplest; None if a block is too large."""
    candidates = [sets.members(number) for number in sets.candidates().tolist()]
    possible = graph_from_edges(problem.n, [(a, b) for a, b in (s for s in candidates if len(s) == 2)])
    if any(block.bit_count() > MOST_BLOCK_VARIABLES for block in blocks(possible)):
        return None
    graph = graph_from_cliques(problem.n, best.cliques)
    edges: list[tuple[int, int]] = []
    found: list[Ties] = []
    for block in blocks(possible):
        own = list(members(block))
        part = block_problem(problem, scorer, own, candidates)
        inside = graph_from_edges(
            len(own), [(a, b) for b in range(len(own)) for a in range(b) if graph[own[a]] >> own[b] & 1]
        )
        cliques = maximal_cliques(inside)
        known = Incumbent(score_of(cliques, separators(cliques), part.values.__getitem__), cliques)
        relaxation = Relaxation(part.values, list(part.required), threads)
        settled = settle_ties(relaxation, problem.n, known, within, threads, control)
        if settled is None:
            return None
        simplest, ties = settled
        found.append(ties)
        edges += [(own[a], own[b]) for a, b in edges_of(graph_from_cliques(len(own), simplest.cliques))]
    whole = maximal_cliques(graph_from_edges(problem.n, edges))
    return Incumbent(network_score(scorer)(whole), whole), ties_of_blocks(found, within)


def ties_of_blocks(found: Sequence[Ties], within: float) -> Ties:
    """The ties of networks that are put together from those on blocks.

    Where several blocks tie, their differences may add up to more, so that those count that differ in one.

    >>> one, two = Ties(1, 1e-6, True, True), Ties(2, 1e-6, True, True)
    >>> ties_of_blocks([one, two], 1e-6), ties_of_blocks([two, two], 1e-6).networks
    (Ties(networks=2, within=1e-06, complete=True, simplest=True), 3)
    """
    several = sum(ties.networks > 1 for ties in found) > 1
    return Ties(
        1 + sum(ties.networks - 1 for ties in found),
        within,
        complete=not several and all(ties.complete for ties in found),
        simplest=all(ties.simplest for ties in found),
    )
