"""What every constraint solver is given: a good network to beat, and the candidates that matter."""

from __future__ import annotations

import math

from chordlearn.backends.base.annealing import anneal
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.errors import FalseClaimError
from chordlearn.problem.candidates import Candidates, all_candidates, reduce_candidates
from chordlearn.system.running import StopReason, watch

KEPT_BELOW_INCUMBENT = 1e-3
"""Sets are kept for networks down to this far below the incumbent, so that the incumbent itself survives."""
CHECK_SECONDS = 2.0


def prepare(run: Run) -> Candidates:
    """Search for a network and exclude the sets that no better one can have; raises ``RunStopped``.

    Without reduction the solver gets every set and no network: it is then on its own.
    """
    with run.timed("prepare"):
        try:
            run.candidates = (_reduced(run) if run.options.reduce else None) or all_candidates(run.problem)
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


def cross_check(run: Run, name: str) -> None:
    """Look for a better network than the optimum that a solver claims, by local search, for a moment."""
    with run.timed("check"):
        found = watch(
            lambda control: anneal(run.problem, run.limits, control), deadline=run.within(CHECK_SECONDS)
        )
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
