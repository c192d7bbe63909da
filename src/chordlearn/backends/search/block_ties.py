"""The simplest of the networks that tie, where there are many columns: block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chordlearn._core import Control, CutBound, Relaxation
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.run import Run
from chordlearn.backends.base.ties import MOMENT, Ties, leave_ties_open, settle_ties
from chordlearn.backends.base.tolerance import indistinct
from chordlearn.backends.search.ladder import SLACK, Ladder
from chordlearn.graphs import (
    blocks,
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    maximal_cliques,
    members,
)
from chordlearn.problem.blocks import block_problem
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.system.running import watch

MOST_BLOCK_VARIABLES = 20
"""Looking for ties in larger blocks would take noticeable time."""


def settle_in_blocks(run: Run, outcome: Outcome, bound: Ladder | None) -> Outcome:
    """The outcome with the simplest network that cannot be distinguished from a proved one.

    Where that is not known in a moment, it is a network that no edge can leave.
    """
    problem, best = run.problem, run.best
    if outcome.status != "optimal" or best is None:
        return outcome
    within = indistinct(problem, best.cliques, outcome.tolerance)
    least = max(best.score - within, outcome.bound - outcome.tolerance)
    settled = None

    def look(control: Control) -> tuple[Incumbent, Ties] | None:
        sets = None if bound is None else bound.sets_left(control)
        return None if sets is None else _settle(run, sets, best, within, control)

    if within <= SLACK:
        settled = watch(look, deadline=run.within(MOMENT)).value
    if settled is None or settled[0].score < least:
        settled = leave_ties_open(problem.n, best, within, problem.required, problem.value, least)
    run.best, ties = settled
    details = {**outcome.details, "ties": ties.as_json()}
    return replace(outcome, cliques=run.best.cliques, score=run.best.score, details=details)


def _settle(
    run: Run, sets: CutBound, best: Incumbent, within: float, control: Control
) -> tuple[Incumbent, Ties] | None:
    """The simplest network on each block, which together are the simplest; None if a block is too large."""
    problem = run.problem
    candidates = [sets.members(number) for number in sets.candidates().tolist()]
    possible = graph_from_edges(problem.n, [(a, b) for a, b in (s for s in candidates if len(s) == 2)])
    if any(block.bit_count() > MOST_BLOCK_VARIABLES for block in blocks(possible)):
        return None
    edges: list[tuple[int, int]] = []
    found: list[Ties] = []
    for block in blocks(possible):
        own = list(members(block))
        part = block_problem(problem, own, candidates)
        relaxation = Relaxation(part.values, list(part.required), run.limits.threads)
        known = _inside(part, own, best, problem.n)
        settled = settle_ties(relaxation, problem.n, known, within, run.limits.threads, control)
        if settled is None:
            return None
        simplest, ties = settled
        found.append(ties)
        edges += [(own[a], own[b]) for a, b in edges_of(graph_from_cliques(len(own), simplest.cliques))]
    whole = maximal_cliques(graph_from_edges(problem.n, edges))
    return Incumbent(problem.score(whole), whole), ties_of_blocks(found, within)


def _inside(part: Problem, own: Sequence[int], network: Incumbent, n: int) -> Incumbent:
    """What a network is on a block."""
    graph = graph_from_cliques(n, network.cliques)
    pairs = [(a, b) for b in range(len(own)) for a in range(b) if graph[own[a]] >> own[b] & 1]
    cliques = maximal_cliques(graph_from_edges(len(own), pairs))
    return Incumbent(part.score(cliques), cliques)


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
