"""Any exact backend for many columns: cuts exclude most sets, and what is left falls into blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Outcome
from chordlearn.backends.base.registry import Backend
from chordlearn.backends.base.run import Run
from chordlearn.backends.base.ties import Ties
from chordlearn.backends.base.tolerance import rounding_of_network
from chordlearn.backends.search.block_ties import ties_of_blocks
from chordlearn.backends.search.ladder import Ladder, refuse_unbounded
from chordlearn.backends.search.waves import Waves
from chordlearn.graphs import blocks, edges_of, graph_from_cliques, graph_from_edges, maximal_cliques, members
from chordlearn.problem.blocks import block_problem
from chordlearn.problem.problem import Incumbent
from chordlearn.system.running import StopReason, watch

SEARCH_SHARE = 0.25
"""Of the time limit; without one the search ends by itself."""


@dataclass
class _BlockObserver:
    """Shows the whole while a block is solved, whose networks and bounds are none of the whole."""

    run: Run
    variables: int

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Say which stage of which block it is."""
        self.run.report(stage, f"a block of {self.variables} variables", again=True)


def solve_in_blocks(run: Run, backend: Backend) -> Outcome:
    """Search, bound, and let the backend solve each block of the sets that a better network may have."""
    refuse_unbounded(run)
    searched = _search(run)
    if searched.cliques is None:
        return searched
    ladder = Ladder(run, branch=False)
    watched = watch(
        ladder.climb,
        deadline=run.deadline,
        poll=lambda _: run.report("reducing", run.activity_in_words, again=True),
    )
    if watched.value is None:
        late = StopReason.TIME_LIMIT if run.is_late else StopReason.TOO_LARGE
        return run.outcome(watched.stopped_by or late)
    sets = watched.value
    candidates = [sets.members(number) for number in sets.candidates().tolist()]
    counts = {"before": ladder.sets_before + run.problem.n, "after": len(candidates) + run.problem.n}
    outcome = _solve_blocks(run, backend, candidates)
    return replace(outcome, details={**outcome.details, "candidates": counts})


def _search(run: Run) -> Outcome:
    """A network to beat, from a share of the time."""
    deadline = run.deadline
    if run.limits.seconds is not None:
        run.deadline = run.within(run.limits.seconds * SEARCH_SHARE)
    try:
        return Waves(run).outcome()
    finally:
        run.deadline = deadline


def _solve_blocks(run: Run, backend: Backend, candidates: Sequence[Sequence[int]]) -> Outcome:
    """The best networks of all blocks, put together."""
    problem, best = run.problem, run.best
    assert best is not None
    pairs = [(a, b) for a, b in (part for part in candidates if len(part) == 2)]
    parts = blocks(graph_from_edges(problem.n, pairs))
    solved: list[Outcome] = []
    edges: list[tuple[int, int]] = []
    singles = problem.score_sets([1 << i for i in range(problem.n)])
    bounds = list(singles)
    for block in parts:
        own = list(members(block))
        part = run.part(block_problem(problem, own, candidates), _BlockObserver(run, len(own)))
        outcome = backend.solve(part)
        solved.append(outcome)
        interrupted = outcome.stopped_by == StopReason.INTERRUPTED
        if outcome.cliques is None or outcome.failure is not None or interrupted:
            return _without_blocks(run, outcome)
        bounds += [outcome.bound, *(-singles[i] for i in own)]
        edges += [(own[a], own[b]) for a, b in edges_of(graph_from_cliques(len(own), outcome.cliques))]
    found = maximal_cliques(graph_from_edges(problem.n, edges))
    whole = Incumbent(problem.score(found), found)
    tolerance = _tolerance(run, whole, math.fsum(bounds), solved)
    is_best = whole.score >= best.score or min(math.fsum(bounds), run.bound) - whole.score <= tolerance
    if is_best:
        run.best = whole
    run.tighten(max(math.fsum(bounds), whole.score, best.score))
    return _put_together(run, solved, parts, tolerance, is_best=is_best)


def _put_together(
    run: Run, solved: Sequence[Outcome], parts: Sequence[int], tolerance: float, *, is_best: bool
) -> Outcome:
    assert run.best is not None
    details: dict[str, Any] = {"blocks": sorted(map(int.bit_count, parts), reverse=True)}
    stopped = [outcome.stopped_by for outcome in solved if outcome.status != "optimal"]
    stopped_by = stopped[0] if stopped else StopReason.ROUNDING
    if run.bound - run.best.score <= tolerance:
        stopped_by = StopReason.PROOF
        unknown = Ties(1, tolerance, complete=False, simplest=False)
        ties = [Ties(**outcome.details.get("ties", unknown.as_json())) for outcome in solved]
        details["ties"] = ties_of_blocks(ties if is_best else [*ties, unknown], tolerance).as_json()
    encoding = next((outcome.encoding for outcome in solved if outcome.encoding), None)
    return run.outcome(stopped_by, tolerance=tolerance, encoding=encoding, details=details)


def _without_blocks(run: Run, failed: Outcome) -> Outcome:
    """What is known when the backend did not come to an end on a block."""
    details = {}
    if run.is_proved:
        details["ties"] = Ties(1, DEFAULT_TOLERANCE, complete=False, simplest=False).as_json()
    return replace(run.outcome(failed.stopped_by, details=details), failure=failed.failure)


def _tolerance(run: Run, whole: Incumbent, bound: float, solved: Sequence[Outcome]) -> float:
    """What the sums of scores may be off by, and what the blocks' tolerances add up to if that is needed."""
    rounding = rounding_of_network(run.problem, whole.cliques)
    tolerance = max(DEFAULT_TOLERANCE, rounding)
    gap = min(bound, run.bound) - whole.score
    if gap <= tolerance or any(outcome.status != "optimal" for outcome in solved):
        return tolerance
    return max(tolerance, math.fsum(outcome.tolerance for outcome in solved) + rounding)
