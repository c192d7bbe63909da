"""Branch and cut on the sets that may be complete: exact also for many variables if cliques are small."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from chordlearn._core import Control, CutBound
from chordlearn.backends.incumbent import Incumbent
from chordlearn.backends.maxsat import probe_package
from chordlearn.backends.outcome import Limits, Observer, Outcome
from chordlearn.backends.registry import Availability
from chordlearn.backends.standing import INFEASIBLE, PROOF, Standing
from chordlearn.cutting import BranchAndCut, Network
from chordlearn.errors import BackendError, option
from chordlearn.graphs import score_of, separators
from chordlearn.problem.problem import Problem
from chordlearn.watching import watch

LARGEST_CLIQUE = 12


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
        values = np.full(len(problem.values), -np.inf)
        values[0] = 0.0
        values[candidates.masks] = problem.values[candidates.masks]
        best = standing.best
        run = BranchAndCut(
            CutBound.of_values(values, largest),
            problem.n,
            largest,
            lambda cliques: score_of(cliques, separators(cliques), problem.values.__getitem__),
            required=problem.required,
            best=None if best is None else Network(best.cliques, best.score),
        )

        def tell(_control: Control | None = None) -> None:
            if run.best is not None and (standing.best is None or run.best.score > standing.best.score):
                standing.best = Incumbent(run.best.score, run.best.cliques)
            if math.isfinite(run.bound) and run.best is not None:
                standing.learn_bound(max(run.bound, candidates.lower))
            standing.tell("solving", f"{run.rounds} rounds, {run.cases} cases")

        with standing.stage("solve"):
            watched = watch(
                lambda control: run.run(control, standing.deadline), deadline=standing.deadline, poll=tell
            )
        tell()
        figures = {"rounds": run.rounds, "cases": run.cases, "left": run.sets.left}
        if watched.stopped_by is not None or not watched.value:
            late = standing.deadline is not None and time.monotonic() >= standing.deadline
            reason = watched.stopped_by or ("time limit" if late else "numerical trouble")
            return standing.outcome(reason, details=figures)
        if run.is_infeasible:
            return standing.outcome(INFEASIBLE, details=figures)
        return standing.outcome(PROOF if standing.proved else "numerical trouble", details=figures)
