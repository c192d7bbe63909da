"""Any exact backend for many variables: cuts exclude most sets, and what is left falls into blocks.

Every complete set lies in one block of the graph of possible edges. So a network is a network on each block,
chosen by itself, and each block is a problem of few variables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from chordlearn._core import Control, CutBound, Scorer
from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.observers import recall, remember
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome
from chordlearn.backends.base.run import PROOF
from chordlearn.backends.base.ties import Ties
from chordlearn.backends.base.tolerance import rounding_of_sum
from chordlearn.backends.search.block_problems import block_problem
from chordlearn.backends.search.cuts import TROUBLE, Cuts
from chordlearn.backends.search.wide import search_wide
from chordlearn.backends.search.wide_bound import SLACK, can_cut, network_score, refuse_to_cut, value_of
from chordlearn.backends.search.wide_ties import ties_of_blocks
from chordlearn.bounds import BranchAndCut, Network
from chordlearn.errors import ChordlearnError, TooLargeError, option
from chordlearn.graphs import (
    blocks,
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    maximal_cliques,
    members,
    separators,
)
from chordlearn.problem.problem import Problem
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.compute import make_scorer
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import INTERRUPTED, TIME_LIMIT, watch

MOST_BLOCK_VARIABLES = 25
SEARCH_SHARE = 0.25
"""Of the time limit; without one the search ends by itself."""


class Solver(Protocol):
    """What a backend is to this module."""

    def solve(self, problem: Problem, limits: Limits, observer: Observer, **options: Any) -> Outcome:
        """The outcome of a problem of few variables."""


@dataclass
class _Left:
    """What the cuts leave."""

    best: Network
    bound: float
    candidates: list[list[int]]
    """Sets of two variables or more that may be complete in a better network."""
    before: int
    """How many sets there were."""
    n: int

    @property
    def details(self) -> dict[str, Any]:
        """What a result says of the candidates; single variables are candidates too."""
        return {"candidates": {"before": self.before + self.n, "after": len(self.candidates) + self.n}}

    def outcome(self, stopped_by: str, failure: ChordlearnError | None = None) -> Outcome:
        """What is known without the blocks."""
        bound = max(self.bound, self.best.score)
        details = self.details
        if bound - self.best.score <= DEFAULT_TOLERANCE:
            details["ties"] = Ties(1, DEFAULT_TOLERANCE, complete=False, simplest=False).as_json()
        return Outcome(
            self.best.cliques, self.best.score, bound, stopped_by, failure=failure, details=details
        )


class _BlockTeller:
    """Tells of the whole while a block is solved, whose networks and bounds are none of the whole."""

    def __init__(self, observer: Observer, left: _Left, variables: int) -> None:
        self._observer = observer
        self._left = left
        self._detail = f"a block of {variables} variables"

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Say which stage of which block it is."""
        self._observer.progress(stage, self._left.best.score, self._left.bound, self._detail)


def solve_in_blocks(
    problem: WideProblem, solver: Solver, limits: Limits, observer: Observer, **options: Any
) -> Outcome:
    """Search, exclude sets by cuts, and let the backend solve each block of what is left."""
    largest = min(problem.constraints.max_clique or problem.n, problem.n)
    memory = min(limits.memory_bytes or math.inf, available_bytes() / 2)
    if not can_cut(problem.n, largest, memory):
        raise refuse_to_cut(problem.n, largest)
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    share = None if limits.seconds is None else limits.seconds * SEARCH_SHARE
    known = recall(observer)
    start = None if known is None else edges_of(graph_from_cliques(problem.n, known.cliques))
    searched = search_wide(problem, replace(limits, seconds=share), observer, start=start)
    scorer = make_scorer(problem.dataset, problem.function)
    if searched.cliques is None:
        return searched
    best = Network(searched.cliques, searched.score)
    remember(observer, Incumbent(best.score, best.cliques), searched.bound)
    run: BranchAndCut | None = None

    def work(control: Control) -> _Left | None:
        nonlocal run
        sets = CutBound.of_table(scorer, largest, problem.forbidden, limits.threads, control)
        score = network_score(scorer)
        run = BranchAndCut(sets, problem.n, largest, score, required=problem.required, best=best, slack=SLACK)
        return _cut(run, problem, control, deadline)

    cutting = watch(work, deadline=deadline)
    left = cutting.value
    if left is None:
        late = deadline is not None and time.monotonic() >= deadline
        return _stopped_cutting(searched, run, cutting.stopped_by or (TIME_LIMIT if late else None))
    remember(observer, Incumbent(left.best.score, left.best.cliques), left.bound)
    solved: list[Outcome] = []
    edges: list[tuple[int, int]] = []
    possible = graph_from_edges(problem.n, [(a, b) for a, b in (s for s in left.candidates if len(s) == 2)])
    singles = scorer.sets([[i] for i in range(problem.n)])
    bounds = list(singles)
    most = max(map(int.bit_count, blocks(possible)))
    if most > MOST_BLOCK_VARIABLES:
        return _with_large_block(left, most)
    for block in blocks(possible):
        own = list(members(block))
        part = block_problem(problem, scorer, own, left.candidates)
        seconds = None if deadline is None else max(deadline - time.monotonic(), 0.001)
        teller = _BlockTeller(observer, left, len(own))
        teller.progress("solving", None, None)
        outcome = solver.solve(part, replace(limits, seconds=seconds), teller, **options)
        solved.append(outcome)
        if outcome.cliques is None or outcome.failure is not None or outcome.stopped_by == INTERRUPTED:
            return left.outcome(outcome.stopped_by, failure=outcome.failure)
        bounds += [outcome.bound, *(-singles[own])]
        graph = graph_from_cliques(len(own), outcome.cliques)
        edges += [(own[a], own[b]) for a in range(len(own)) for b in members(graph[a]) if a < b]
    found = maximal_cliques(graph_from_edges(problem.n, edges))
    whole = Network(found, network_score(scorer)(found))
    bound = max(min(math.fsum(bounds), left.bound), whole.score, left.best.score)
    stopped = [outcome.stopped_by for outcome in solved if outcome.status != "optimal"]
    tolerance = _tolerance(problem, scorer, found, bound - whole.score, solved)
    is_best = bound - whole.score <= tolerance or whole.score >= left.best.score
    best = whole if is_best else left.best
    ties = {}
    if bound - best.score <= tolerance:
        unknown = Ties(1, tolerance, complete=False, simplest=False).as_json()
        found_ties = [Ties(**outcome.details.get("ties", unknown)) for outcome in solved]
        if not is_best:
            found_ties.append(Ties(**unknown))
        ties = {"ties": ties_of_blocks(found_ties, tolerance).as_json()}
    return Outcome(
        best.cliques,
        best.score,
        bound,
        PROOF if ties else stopped[0] if stopped else "rounding",
        tolerance=tolerance,
        encoding=next((outcome.encoding for outcome in solved if outcome.encoding), None),
        details={
            **left.details,
            "blocks": sorted(map(int.bit_count, blocks(possible)), reverse=True),
            **ties,
        },
    )


def _tolerance(
    problem: WideProblem, scorer: Scorer, cliques: Sequence[int], gap: float, solved: Sequence[Outcome]
) -> float:
    """What the sums of scores may be off by, and what the blocks' tolerances add up to if that is needed."""
    value = value_of(scorer)
    rounding = rounding_of_sum(problem.n, map(value, [*cliques, *separators(tuple(cliques))]))
    tolerance = max(DEFAULT_TOLERANCE, rounding)
    if gap <= tolerance or any(outcome.status != "optimal" for outcome in solved):
        return tolerance
    return max(tolerance, math.fsum(outcome.tolerance for outcome in solved) + rounding)


def _cut(run: BranchAndCut, problem: WideProblem, control: Control, deadline: float | None) -> _Left | None:
    before = run.sets.left
    if not run.tighten(control, deadline) or run.best is None:
        return None
    candidates = [run.sets.members(number) for number in run.sets.candidates().tolist()]
    return _Left(run.best, run.bound, candidates, before, problem.n)


def _stopped_cutting(searched: Outcome, run: BranchAndCut | None, stopped_by: str | None) -> Outcome:
    """What is known when not all sets could be looked at."""
    if run is not None and run.best is not None and run.best.score > searched.score:
        searched = replace(searched, cliques=run.best.cliques, score=run.best.score)
    bound = searched.bound if run is None else min(searched.bound, run.bound)
    return replace(searched, bound=max(bound, searched.score), stopped_by=stopped_by or TROUBLE)


def _with_large_block(left: _Left, variables: int) -> Outcome:
    """What is known when a block is too large for the backend; the cuts may have proved it."""
    proved = left.outcome(PROOF)
    if proved.status == "optimal":
        return proved
    raise TooLargeError(
        f"The cuts leave a block of {variables} variables, too many for this backend; "
        f"use {option('backend', Cuts.name)}, or allow smaller cliques ({option('max_clique')})."
    )
