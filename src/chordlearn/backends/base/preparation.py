"""What every constraint solver is given: a good network to beat, and the candidates that matter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from chordlearn._core import Control
from chordlearn.backends.base.annealing import anneal
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.errors import FalseClaimError
from chordlearn.graphs import (
    can_add,
    can_remove,
    graph_from_edges,
    maximal_cliques,
    members,
    score_change,
    toggled,
)
from chordlearn.problem.candidates import Candidates, all_candidates, reduce_candidates
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.system.running import StopReason, watch

KEPT_BELOW_INCUMBENT = 1e-3
"""Sets are kept for networks down to this far below the incumbent, so that the incumbent itself survives."""
CHECK_SECONDS = 2.0
LEAST_GAIN = 1e-9
"""Of an edge, for a step that climbs."""


def prepare(run: Run) -> Candidates:
    """Search for a network and exclude the sets that no better one can have; raises ``RunStopped``.

    Without reduction the solver gets every set and no network: it is then on its own. Of a list of sets of
    many variables none is excluded, and the network is a simple one.
    """
    with run.timed("prepare"):
        try:
            reduce = run.options.reduce
            if reduce and not run.problem.has_values:
                run.offer(climb(run.problem))
                reduce = False
            run.candidates = (_reduced(run) if reduce else None) or all_candidates(run.problem)
        except RunStopped:
            run.candidates = all_candidates(run.problem)
            raise
    return run.candidates


def _reduced(run: Run) -> Candidates | None:
    """What is left after the reduction; None without a network to beat."""
    starts = () if run.best is None else (run.best,)
    run.report("searching")
    found = run.watch("searching", lambda control: anneal(run.problem, run.limits, control, starts=starts))
    run.offer(next(iter(found), None))
    if run.best is None:
        return None
    run.report("reducing")
    lower, threads = run.best.score - KEPT_BELOW_INCUMBENT, run.limits.threads
    candidates = run.watch(
        "reducing", lambda control: reduce_candidates(run.problem, lower, threads=threads, control=control)
    )
    run.tighten(max(candidates.bound, lower))
    run.report("reducing")
    return candidates


def climb(problem: Problem) -> Incumbent | None:
    """A network that no single edge makes better, from the one without edges; None where some are required.

    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import SparseScores
    >>> climb(make_problem(SparseScores(("a", "b"), {0b01: -1.0, 0b10: -2.0, 0b11: -2.5})))
    Incumbent(score=-2.5, cliques=(3,))
    """
    if problem.required or problem.listed is None:
        return None
    pairs = [tuple(members(mask)) for mask in problem.listed if mask.bit_count() == 2]
    graph = graph_from_edges(problem.n, [])
    improved = True
    while improved:
        improved = False
        for a, b in pairs:
            possible = can_remove(graph, a, b) if graph[a] >> b & 1 else can_add(graph, a, b)
            if possible and score_change(graph, a, b, problem.value) > LEAST_GAIN:
                graph, improved = toggled(graph, a, b), True
    cliques = maximal_cliques(graph)
    return Incumbent(problem.score(cliques), cliques)


def cross_check(run: Run, name: str) -> None:
    """Look for a better network than the optimum that a solver claims, by local search, for a moment."""

    def search(control: Control) -> Sequence[Incumbent]:
        if run.problem.has_values:
            return anneal(run.problem, run.limits, control)
        found = climb(run.problem)
        return [] if found is None else [found]

    with run.timed("check"):
        found = watch(search, deadline=run.within(CHECK_SECONDS))
    if found.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    claimed = run.bound
    for better in found.value or ():
        run.offer(better)
    if run.best is not None and run.best.score > claimed + run.tolerance:
        run.bound = math.inf
        raise FalseClaimError(
            f"{name} claims that no network scores more than {claimed:.6f}, "
            f"but there is one with {run.best.score:.6f}."
        )
