"""What every backend promises, checked against a list of all chordal graphs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import Any

from chordlearn.backends.base.outcome import Limits, Outcome
from chordlearn.backends.base.registry import Backend, load_backend
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.base.tolerance import tolerance_of_network
from chordlearn.graphs import graph_from_cliques, is_chordal, maximal_cliques
from chordlearn.testing.problems import Case, brief_cases, long_case, thorough_cases, usual_cases

SHORT_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""How much longer than its limit a run may take, to start, stop and clean up on a busy machine."""
CASE_SECONDS = 120.0

Check = tuple[bool, str]
"""Whether a promise is kept, and the complaint if it is not."""


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
        outcome, checks = solve_and_check(solver, case, Limits(seconds=CASE_SECONDS), **options)
        passed += checks
        if solver.exact:
            passed += _require(solver, case, _finished(outcome, case))
    return passed + _check_short_run(solver, long_case(), options)


def _check_short_run(solver: Backend, case: Case, options: dict[str, Any]) -> int:
    """With hardly any time, whatever comes back must be true, and in time."""
    start = time.monotonic()
    _, passed = solve_and_check(solver, case, Limits(seconds=SHORT_SECONDS), **options)
    seconds = time.monotonic() - start
    in_time = seconds < SHORT_SECONDS + PATIENCE_SECONDS, f"it took {seconds:.1f} s"
    return passed + _require(solver, case, [in_time])


def solve_and_check(solver: Backend, case: Case, limits: Limits, **options: Any) -> tuple[Outcome, int]:
    """Solve a problem; gives the outcome, all of which is true, and the number of checks passed."""
    outcome = solver.solve(Run(case.problem, limits, Options(**{"reduce": case.reduce, **options})))
    return outcome, _require(solver, case, _true(outcome, case))


def _require(solver: Backend, case: Case, checks: Iterable[Check]) -> int:
    passed = 0
    for holds, complaint in checks:
        if not holds:
            raise ConformanceError(f"{solver.name} on {case.what!r}: {complaint}.")
        passed += 1
    return passed


def _true(outcome: Outcome, case: Case) -> Iterator[Check]:
    """What an outcome claims must be true, however the run ended."""
    problem = case.problem
    optimum, slack = -math.inf, 0.0
    if case.best is not None:
        optimum, slack = case.best[0], tolerance_of_network(problem, case.best[1])
    yield outcome.bound >= optimum - slack, f"bound {outcome.bound} is below the optimum {optimum}"
    proved = outcome.status == "optimal" or outcome.stopped_by != "proof"
    yield proved, f"it claims a proof, but the gap is {outcome.gap}"
    if outcome.cliques is None:
        yield outcome.score == -math.inf, "there is a score without a network"
        wrong = outcome.stopped_by == "infeasible" and case.best is not None
        yield not wrong, "it says that the constraints allow no network, but there is one"
        return
    graph = graph_from_cliques(problem.n, outcome.cliques)
    yield is_chordal(graph), "the network is not chordal"
    maximal = sorted(outcome.cliques) == sorted(maximal_cliques(graph))
    yield maximal, "the cliques are not the maximal ones"
    yield all(graph[a] >> b & 1 for a, b in problem.required), "a required edge is missing"
    score = problem.score(outcome.cliques)
    yield math.isfinite(score), "a set is complete that may not be"
    slack = max(slack, tolerance_of_network(problem, outcome.cliques))
    yield abs(score - outcome.score) <= slack, f"the score is {score}, not {outcome.score}"
    yield outcome.score <= outcome.bound + slack, "the bound is below the score"
    if outcome.status == "optimal":
        near = outcome.score >= optimum - slack - outcome.tolerance
        yield near, f"claims the optimum {outcome.score}, but it is {optimum}"


def _finished(outcome: Outcome, case: Case) -> Iterator[Check]:
    """Without hurry an exact backend finishes."""
    if case.best is None:
        yield outcome.status == "none", "there is no network, but the status is not none"
        yield outcome.stopped_by == "infeasible", f"it stopped by {outcome.stopped_by!r}"
    else:
        yield outcome.status == "optimal", f"status {outcome.status}: {outcome.stopped_by}"
