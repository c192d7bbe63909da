"""Branch and cut on the sets that may be complete: exact also for many variables if cliques are small."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from chordlearn._core import Control, CutBound
from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.outcome import Limits, Observer, Outcome
from chordlearn.backends.base.registry import Availability
from chordlearn.backends.base.run import INFEASIBLE, PROOF, Standing
from chordlearn.backends.engine.native import Native
from chordlearn.backends.solvers.maxsat import probe_package
from chordlearn.bounds import BranchAndCut, Network
from chordlearn.errors import BackendError, TooLargeError, option
from chordlearn.graphs import score_of, separators
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.running import TIME_LIMIT, watch

LARGEST_CLIQUE = 12
SHORTEST_SECONDS = 0.001
TROUBLE = "numerical trouble"
"""Why a run ends whose linear programs were not solved well enough."""


class Cuts:
    """Linear programs with cuts that chordal graphs satisfy, and branching on edges."""

    name = "ilp:cuts"
    summary = "branch and cut with HiGHS; exact for many variables if cliques are small"
    exact = True

    def probe(self) -> Availability:
        """The Python package highspy must be there."""
        return probe_package("highspy", "pip install highspy")

    def solve(
        self, problem: Problem, limits: Limits, observer: Observer, *, reduce: bool = True, **_options: Any
    ) -> Outcome:
        """Prepare as for a constraint solver, then cut and branch until the bound meets the best network."""
        standing = Standing(self.name, problem, limits, observer)
        candidates, stopped_by = standing.prepare(reduce=reduce)
        if stopped_by is not None or standing.proved:
            return standing.outcome(stopped_by or PROOF)
        largest = max(map(int.bit_count, candidates.masks.tolist()), default=1)
        if largest > LARGEST_CLIQUE:
            raise BackendError(
                f"{self.name} handles cliques of up to {LARGEST_CLIQUE} variables, but here they may have "
                f"{largest}; give {option('max_clique', LARGEST_CLIQUE)} or another backend."
            )
        run: list[BranchAndCut] = []

        def tell(_control: Control | None = None) -> None:
            for started in run:
                _take_in(started, standing, candidates.lower)

        def work(control: Control) -> bool:
            run.append(_branch_and_cut(standing, candidates, largest, control))
            return run[0].run(control, standing.deadline)

        with standing.stage("solve"):
            watched = watch(work, deadline=standing.deadline, poll=tell)
        tell()
        figures = {"rounds": run[0].rounds, "cases": run[0].cases, "left": run[0].sets.left} if run else {}
        late = standing.deadline is not None and time.monotonic() >= standing.deadline
        stopped_by = watched.stopped_by or (TIME_LIMIT if late and not watched.value else None)
        if stopped_by is not None:
            return standing.outcome(stopped_by, details=figures)
        if run[0].is_infeasible:
            return standing.outcome(INFEASIBLE, details=figures)
        if standing.proved:
            return standing.outcome(PROOF, details=figures)
        return _by_engine(standing, figures, reduce=reduce)


def _branch_and_cut(
    standing: Standing, candidates: Candidates, largest: int, control: Control
) -> BranchAndCut:
    """The run on the candidates of a problem."""
    problem, best = standing.problem, standing.best
    values = np.full(len(problem.values), -np.inf)
    values[0] = 0.0
    values[candidates.masks] = problem.values[candidates.masks]
    return BranchAndCut(
        CutBound.of_values(values, largest, control),
        problem.n,
        largest,
        lambda cliques: score_of(cliques, separators(cliques), problem.values.__getitem__),
        required=problem.required,
        best=None if best is None else Network(best.cliques, best.score),
    )


def _take_in(run: BranchAndCut, standing: Standing, lower: float) -> None:
    """Learn what the run knows by now; no network of other sets scores more than ``lower``."""
    if run.best is not None and (standing.best is None or run.best.score > standing.best.score):
        standing.best = Incumbent(run.best.score, run.best.cliques)
    if math.isfinite(run.bound) and run.best is not None:
        standing.learn_bound(max(run.bound, lower))
    standing.tell("solving", f"{run.rounds} rounds, {run.cases} cases")


def _by_engine(standing: Standing, figures: dict[str, int], *, reduce: bool) -> Outcome:
    """The outcome of the exact engine, where HiGHS failed or rounding leaves the bounds too high."""
    left = None if standing.deadline is None else max(standing.deadline - time.monotonic(), SHORTEST_SECONDS)
    engine = Native()
    try:
        found = engine.solve(
            standing.problem, replace(standing.limits, seconds=left), standing.observer, reduce=reduce
        )
    except TooLargeError:
        return standing.outcome(TROUBLE, details=figures)
    best = standing.best
    if best is not None and found.score < best.score:
        found = replace(found, cliques=best.cliques, score=best.score)
    bound = max(min(found.bound, standing.bound), found.score)
    return replace(found, bound=bound, details={**found.details, "backend": engine.name, "cuts": figures})
