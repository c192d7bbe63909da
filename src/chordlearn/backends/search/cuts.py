"""Branch and cut on the sets that may be complete: exact also for many variables if cliques are small."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from chordlearn._core import Control, CutBound
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.preparation import prepare
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.backends.base.ties import settle
from chordlearn.backends.engine.native import Native
from chordlearn.backends.search.local import search_with_bound
from chordlearn.backends.solvers.child import probe_package
from chordlearn.bounds import BranchAndCut
from chordlearn.errors import BackendError, TooLargeError, option
from chordlearn.problem.candidates import Candidates
from chordlearn.system.running import StopReason, watch

LARGEST_CLIQUE = 12


class Cuts:
    """Linear programs with cuts that chordal graphs satisfy, and branching on edges."""

    name = "ilp:cuts"
    summary = "branch and cut with HiGHS; exact for many variables if cliques are small"
    exact = True
    capabilities = Capabilities(any_columns=True, starts=True)

    def probe(self) -> Availability:
        """The Python package highspy must be there."""
        return probe_package("highspy", "pip install highspy")

    def solve(self, run: Run) -> Outcome:
        """Cut and branch until the bound meets the best network.

        First a search and a reduction, as for a constraint solver; where there are too many columns for that,
        the search goes on beside.
        """
        if run.problem.table is None:
            return search_with_bound(run, patient=True)
        try:
            candidates = prepare(run)
        except RunStopped as stop:
            return _ended(run, stop.reason)
        if run.is_proved:
            return _ended(run, StopReason.PROOF)
        largest = max(map(int.bit_count, candidates.masks.tolist()), default=1)
        if largest > LARGEST_CLIQUE:
            raise BackendError(
                f"{self.name} handles cliques of up to {LARGEST_CLIQUE} variables, but here they may have "
                f"{largest}; give {option('max_clique', LARGEST_CLIQUE)} or another backend."
            )
        cutting = _Cutting(run, candidates, largest)
        with run.timed("solve"):
            stopped_by = cutting.run_to_the_end()
        if stopped_by is not None or run.is_proved:
            return _ended(run, stopped_by or StopReason.PROOF, cutting.figures)
        return _by_engine(run, cutting.figures)


class _Cutting:
    """Branch and cut on the candidates of a run."""

    def __init__(self, run: Run, candidates: Candidates, largest: int) -> None:
        self.run = run
        self.candidates = candidates
        self.largest = largest
        self.branch_and_cut: BranchAndCut | None = None

    @property
    def figures(self) -> dict[str, int]:
        """For the details of the outcome."""
        made = self.branch_and_cut
        return {} if made is None else {"rounds": made.rounds, "cases": made.cases, "left": made.sets.left}

    def run_to_the_end(self) -> StopReason | None:
        """Why it ended early, or that there is no network; None if it is done."""
        deadline = self.run.deadline
        watched = watch(self._work, deadline=deadline, poll=lambda _: self._take_in())
        self._take_in()
        if watched.stopped_by is not None:
            return watched.stopped_by
        if not watched.value and self.run.is_late:
            return StopReason.TIME_LIMIT
        made = self.branch_and_cut
        return StopReason.INFEASIBLE if made is not None and made.is_infeasible else None

    def _work(self, control: Control) -> bool:
        problem = self.run.problem
        values = np.full(len(problem.values), -np.inf)
        values[0] = 0.0
        values[self.candidates.masks] = problem.values[self.candidates.masks]
        self.branch_and_cut = BranchAndCut(
            CutBound.of_values(values, self.largest, control),
            problem.n,
            self.largest,
            problem.score,
            required=problem.required,
            best=self.run.best,
        )
        return self.branch_and_cut.run(control, self.run.deadline)

    def _take_in(self) -> None:
        """Learn what is known by now; no network of other sets scores more than the candidates' bound."""
        made, lower = self.branch_and_cut, self.candidates.lower
        if made is None:
            return
        self.run.offer(made.best)
        if math.isfinite(made.bound) and made.best is not None:
            self.run.tighten(max(made.bound, lower))
        self.run.report("solving", f"{made.rounds} rounds, {made.cases} cases", again=True)


def _ended(run: Run, stopped_by: StopReason, figures: Mapping[str, int] = MappingProxyType({})) -> Outcome:
    details: dict[str, Any] = dict(figures)
    if run.is_proved:
        details["ties"] = settle(run, run.tolerance).as_json()
    return run.outcome(stopped_by, details=details)


def _by_engine(run: Run, figures: dict[str, int]) -> Outcome:
    """The outcome of the exact engine, where HiGHS failed or rounding leaves the bounds too high."""
    engine = Native()
    try:
        found = engine.solve(run)
    except TooLargeError:
        return run.outcome(StopReason.NUMERICAL_TROUBLE, details=figures)
    return replace(found, details={**found.details, "backend": engine.name, "cuts": figures})
