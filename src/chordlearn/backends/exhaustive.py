"""Every chordal graph, one after the other: slow, simple, and the measure of all other backends."""

from __future__ import annotations

import math
import time
from importlib.metadata import version
from typing import Any

from chordlearn._core import exhaustive
from chordlearn.backends.outcome import Limits, Observer, Outcome
from chordlearn.backends.registry import Availability
from chordlearn.backends.rounding import indistinct, tolerance_of_network
from chordlearn.backends.ties import MOST_COUNTED, ties_among
from chordlearn.errors import TooLargeError, option
from chordlearn.problem.problem import Problem
from chordlearn.watching import watch

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
        run = watch(
            lambda control: exhaustive(problem.values, list(problem.required), listed, control),
            deadline=None if limits.seconds is None else time.monotonic() + limits.seconds,
        )
        if run.value is None:
            return Outcome(None, -math.inf, math.inf, run.stopped_by or "stopped")
        graphs, networks = run.value
        details: dict[str, Any] = {"chordal_graphs": graphs}
        if not networks:
            return Outcome(None, -math.inf, -math.inf, "infeasible", details=details)
        score, cliques = networks[0]
        tolerance = tolerance_of_network(problem, cliques)
        within = indistinct(problem, cliques, tolerance)
        ties = ties_among([value for value, _ in networks], within, all_listed=len(networks) < listed)
        return Outcome(
            tuple(cliques),
            score,
            score,
            "proof",
            tolerance=tolerance,
            details=details | {"ties": ties.as_json()},
            runners_up=tuple((tuple(masks), value) for value, masks in networks[1:top]),
        )
