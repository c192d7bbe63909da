"""The backend that measurements favour for a problem."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from chordlearn._core import Relaxation
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities, load_backend
from chordlearn.backends.base.run import Run
from chordlearn.system.memory import available_bytes

FOR_ENCODING = {"paper": "asp:clingo", "edges": "maxsat:rc2", "elimination": "maxsat:rc2"}
"""Who proved econ quickest in each encoding."""


class Auto:
    """Native where it fits; a constraint solver where it does not, or when an encoding is asked for."""

    name = "auto"
    summary = "native where it fits, otherwise the solver that measurements favour"
    exact = True
    capabilities = Capabilities(any_columns=True, encodings=True, runners_up=True, starts=True)

    def probe(self) -> Availability:
        """Native is always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, run: Run) -> Outcome:
        """Choose a backend and run it; the outcome's details say which."""
        chosen = choose(run)
        outcome = load_backend(chosen).solve(run)
        return replace(outcome, details={"backend": chosen, **outcome.details})


def choose(run: Run) -> str:
    """The name of the backend to use."""
    if run.problem.table is None:
        return "ilp:cuts" if run.options.prove else "search"
    if run.options.encoding is not None:
        return FOR_ENCODING.get(run.options.encoding, "maxsat:rc2")
    memory = available_bytes() if run.limits.memory_bytes is None else run.limits.memory_bytes
    return "native" if Relaxation.bytes_needed(run.problem.n) <= memory else "maxsat:rc2"
