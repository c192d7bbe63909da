"""Every chordal graph, one after the other: slow, simple, and the measure of all other backends."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from chordlearn._core import exhaustive, exhaustive_simplest
from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.outcome import Limits, Observer, Outcome
from chordlearn.backends.base.registry import Availability
from chordlearn.backends.base.ties import MOST_COUNTED, put_first, simplest_first, ties_among
from chordlearn.backends.base.tolerance import indistinct, tolerance_of_network
from chordlearn.errors import TooLargeError, option
from chordlearn.problem.problem import Problem
from chordlearn.system.running import watch

MOST_VARIABLES = 7


class Exhaustive:
    """Looks at all chordal graphs on up to 7 variables."""

    name = "exhaustive"
    summary = f"all chordal graphs, up to {MOST_VARIABLES} variables"
    exact = True

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(
        self, problem: Problem, limits: Limits, observer: Observer, *, top: int = 1, **_options: Any
    ) -> Outcome:
        """Score every chordal graph that the constraints allow."""
        if problem.n > MOST_VARIABLES:
            raise TooLargeError(
                f"The exhaustive backend takes at most {MOST_VARIABLES} variables and there are {problem.n}; "
                f"use {option('backend', 'native')}."
            )
        observer.progress("enumerating", None, None)
        listed = max(top, MOST_COUNTED + 1)
        deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        required = list(problem.required)
        run = watch(
            lambda control: exhaustive(problem.values, required, listed, control),
            deadline=deadline,
        )
        if run.value is None:
            return Outcome(None, -math.inf, math.inf, run.stopped_by or "stopped")
        graphs, found = run.value
        details: dict[str, Any] = {"chordal_graphs": graphs}
        if not found:
            return Outcome(None, -math.inf, -math.inf, "infeasible", details=details)
        bound = found[0][0]
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
                deadline=deadline,
            )
            if again.value is None:
                ties = replace(ties, simplest=False)
            else:
                score, cliques = again.value
                networks = put_first(Incumbent(score, tuple(cliques)), networks)
        best = networks[0]
        return Outcome(
            best.cliques,
            best.score,
            bound,
            "proof",
            tolerance=tolerance,
            details=details | {"ties": ties.as_json()},
            runners_up=tuple((network.cliques, network.score) for network in networks[1:top]),
        )
