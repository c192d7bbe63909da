"""The backend that measurements favour for a problem."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from typing import Any

from chordlearn._core import Relaxation
from chordlearn.backends.base.outcome import Limits, Observer, Outcome
from chordlearn.backends.base.registry import Availability, load_backend
from chordlearn.problem.problem import Problem
from chordlearn.system.memory import available_bytes

FOR_ENCODING = {"paper": "asp:clingo", "edges": "maxsat:rc2", "elimination": "maxsat:rc2"}
"""Who proved econ quickest in each encoding."""


class Auto:
    """Native where it fits; a constraint solver where it does not, or when an encoding is asked for."""

    name = "auto"
    summary = "native where it fits, otherwise the solver that measurements favour"
    exact = True

    def probe(self) -> Availability:
        """Native is always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, problem: Problem, limits: Limits, observer: Observer, **options: Any) -> Outcome:
        """Choose a backend and run it; the outcome's details say which."""
        chosen = choose(problem, limits, encoding=options.get("encoding"))
        outcome = load_backend(chosen).solve(problem, limits, observer, **options)
        return replace(outcome, details={**outcome.details, "backend": chosen})


def choose(problem: Problem, limits: Limits, *, encoding: str | None) -> str:
    """The name of the backend to use."""
    if encoding is not None:
        return FOR_ENCODING.get(encoding, "maxsat:rc2")
    memory = available_bytes() if limits.memory_bytes is None else limits.memory_bytes
    return "native" if Relaxation.bytes_needed(problem.n) <= memory else "maxsat:rc2"
