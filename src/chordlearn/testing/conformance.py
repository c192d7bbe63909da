"""What every backend promises, checked against a list of all chordal graphs."""

from __future__ import annotations

import math
import time
from typing import Any

from chordlearn._core import Control, exhaustive
from chordlearn.backends.outcome import Limits, Outcome, SilentObserver
from chordlearn.backends.registry import Backend, load_backend
from chordlearn.graphs import graph_from_cliques, is_chordal, maximal_cliques, score_of, separators
from chordlearn.problem.problem import Problem
from chordlearn.testing.cases import Case, brief_cases, long_case, thorough_cases, usual_cases

TOLERANCE = 1e-6
SHORT_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""How much longer than its limit a run may take, to start, stop and clean up on a busy machine."""
CASE_SECONDS = 120.0


class ConformanceError(AssertionError):
    """A backend broke a promise; the text says which and on what problem."""


EFFORTS = {"brief": brief_cases, "usual": usual_cases, "thorough": thorough_cases}


def check_backend(backend: str | Backend, *, effort: str = "thorough", **options: Any) -> int:
    """Run a backend on small problems and compare with brute force; gives the number of checks passed.

    ``effort`` is "brief", "usual" or "thorough"; ``options`` go to every run, ``encoding="paper"`` say.
    Raises ConformanceError at the first broken promise.
    """
    solver = load_backend(backend) if isinstance(backend, str) else backend
    found = solver.probe()
    if not found.available:
        raise ConformanceError(f"{solver.name} cannot run here: {found.reason}")
    passed = 0
    for case in EFFORTS[effort]():
        passed += _Check(solver, case, options).run(CASE_SECONDS)
    return passed + _Check(solver, long_case(), options).run_shortly()


class _Check:
    """One problem, solved and checked."""

    def __init__(self, solver: Backend, case: Case, options: dict[str, Any]) -> None:
        self.solver = solver
        self.case = case
        self.options = options
        self.passed = 0

    def run(self, seconds: float) -> int:
        """Solve without hurry: the outcome must be exact if the backend says that it is."""
        outcome, _ = self._solve(seconds)
        optimum = best_score(self.case.problem)
        self._check_claims(outcome, optimum)
        if self.solver.exact:
            if math.isinf(optimum):
                self._demand(outcome.status == "none", "there is no network, but the status is not none")
                self._demand(outcome.stopped_by == "infeasible", f"it stopped by {outcome.stopped_by!r}")
            else:
                self._demand(outcome.status == "optimal", f"status {outcome.status}: {outcome.stopped_by}")
        return self.passed

    def run_shortly(self) -> int:
        """Solve with hardly any time: whatever comes back must be true, and in time."""
        outcome, seconds = self._solve(SHORT_SECONDS)
        self._demand(seconds < SHORT_SECONDS + PATIENCE_SECONDS, f"it took {seconds:.1f} s")
        self._check_claims(outcome, best_score(self.case.problem))
        return self.passed

    def _solve(self, seconds: float) -> tuple[Outcome, float]:
        start = time.monotonic()
        outcome = self.solver.solve(
            self.case.problem,
            Limits(seconds=seconds),
            SilentObserver(),
            **{"reduce": self.case.reduce, **self.options},
        )
        return outcome, time.monotonic() - start

    def _check_claims(self, outcome: Outcome, optimum: float) -> None:
        slack = max(TOLERANCE, 1e-12 * abs(optimum)) if math.isfinite(optimum) else TOLERANCE
        self._demand(
            outcome.bound >= optimum - slack, f"bound {outcome.bound} is below the optimum {optimum}"
        )
        if outcome.cliques is None:
            self._demand(outcome.score == -math.inf, "there is a score without a network")
            return
        problem = self.case.problem
        graph = graph_from_cliques(problem.n, outcome.cliques)
        self._demand(is_chordal(graph), "the network is not chordal")
        self._demand(
            sorted(outcome.cliques) == sorted(maximal_cliques(graph)), "the cliques are not the maximal ones"
        )
        self._demand(all(graph[a] >> b & 1 for a, b in problem.required), "a required edge is missing")
        score = score_of(outcome.cliques, separators(outcome.cliques), problem.values.__getitem__)
        self._demand(math.isfinite(score), "a set is complete that may not be")
        self._demand(abs(score - outcome.score) <= slack, f"the score is {score}, not {outcome.score}")
        self._demand(outcome.score <= outcome.bound + slack, "the bound is below the score")
        if outcome.status == "optimal":
            self._demand(
                outcome.score >= optimum - slack - outcome.tolerance,
                f"claims the optimum {outcome.score}, but it is {optimum}",
            )

    def _demand(self, holds: bool, complaint: str) -> None:
        if not holds:
            raise ConformanceError(f"{self.solver.name} on {self.case.what!r}: {complaint}.")
        self.passed += 1


def best_score(problem: Problem) -> float:
    """The best score among all chordal graphs; −∞ if the constraints allow none."""
    _, networks = exhaustive(problem.values, list(problem.required), 1, Control())
    return networks[0][0] if networks else -math.inf
