"""Finding backends by name; third parties add theirs by the entry point `chordlearn.backends`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol

from chordlearn.backends.outcome import Limits, Observer, Outcome
from chordlearn.errors import BackendError
from chordlearn.problem.problem import Problem

GROUP = "chordlearn.backends"


@dataclass(frozen=True)
class Availability:
    """Whether a backend can run here."""

    available: bool
    version: str = ""
    reason: str = ""
    """Why not, when it cannot."""
    how_to_get: str = ""


class Backend(Protocol):
    """Solves problems. Created anew for each run, without arguments."""

    name: str
    summary: str
    """One line for `chordlearn solvers`."""
    exact: bool
    """Whether it can prove optimality."""

    def probe(self) -> Availability:
        """Say whether the backend can run here, without running it."""

    def solve(self, problem: Problem, limits: Limits, observer: Observer, **options: Any) -> Outcome:
        """Find the best network within the limits; Ctrl-C ends it with the best network so far."""


def backend_names() -> list[str]:
    """Names of all registered backends."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def load_backend(name: str) -> Backend:
    """The backend of that name, imported only now."""
    for point in entry_points(group=GROUP):
        if point.name == name:
            try:
                backend: Backend = point.load()()
            except ImportError as error:
                raise BackendError(f"The backend {name!r} cannot be loaded: {error}.") from error
            return backend
    raise BackendError(f"There is no backend {name!r}; there are {', '.join(backend_names())}.")
