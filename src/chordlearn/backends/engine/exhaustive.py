"""Every chordal graph, one after the other: slow, simple, and the measure of all other backends."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from typing import Any

from chordlearn._core import exhaustive, exhaustive_simplest
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.backends.base.ties import MOST_COUNTED, put_first, simplest_first, ties_among
from chordlearn.backends.base.tolerance import indistinct, tolerance_of_network
from chordlearn.errors import TooLargeError, option
from chordlearn.problem.problem import Incumbent
from chordlearn.system.running import StopReason, watch

MOST_VARIABLES = 7


class Exhaustive:
    """Looks at all chordal graphs on up to 7 variables."""

    name = "exhaustive"
    summary = f"all chordal graphs, up to {MOST_VARIABLES} variables"
    exact = True
    capabilities = Capabilities(runners_up=True)

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, run: Run) -> Outcome:
        """Score every chordal graph that the constraints allow."""
        problem = run.problem
        if problem.n > MOST_VARIABLES:
            raise TooLargeError(
                f"The exhaustive backend takes at most {MOST_VARIABLES} variables and there are {problem.n}; "
                f"use {option('backend', 'native')}."
            )
        run.report("enumerating")
        listed = max(run.options.top, MOST_COUNTED + 1)
        required = list(problem.required)
        try:
            graphs, found = run.watch(
                "enumerating", lambda control: exhaustive(problem.values, required, listed, control)
            )
        except RunStopped as stop:
            return run.outcome(stop.reason)
        details: dict[str, Any] = {"chordal_graphs": graphs}
        if not found:
            return run.outcome(StopReason.INFEASIBLE, details=details)
        bound = found[0][0]
        run.tighten(bound)
        networks = [Incumbent(score, tuple(cliques)) for score, cliques in found]
        tolerance = tolerance_of_network(problem, networks[0].cliques)
        within = indistinct(problem, networks[0].cliques, tolerance)
        all_listed = len(networks) < listed
        distance = min(within, tolerance)
        networks = simplest_first(problem.n, networks, distance)
        ties = ties_among([score for score, _ in found], within, all_listed=all_listed, simplest=True)
        if not ties.complete:
            again = watch(
                lambda control: exhaustive_simplest(problem.values, required, bound - distance, control),
                deadline=run.deadline,
            )
            if again.value is None:
                ties = replace(ties, simplest=False)
            else:
                score, cliques = again.value
                networks = put_first(Incumbent(score, tuple(cliques)), networks)
        run.best, *runners_up = networks[: run.options.top]
        details["ties"] = ties.as_json()
        return run.outcome(StopReason.PROOF, tolerance=tolerance, details=details, runners_up=runners_up)
