"""Finding backends by name; third parties add theirs by the entry point `chordlearn.backends`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoints, entry_points
from typing import Protocol

from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.run import Run
from chordlearn.errors import BackendError
from chordlearn.system.json import JsonMixin

GROUP = "chordlearn.backends"


@dataclass(frozen=True)
class Availability:
    """Whether a backend can run here."""

    available: bool
    version: str = ""
    reason: str = ""
    """Why not, when it cannot."""
    how_to_get: str = ""


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do with what a run asks for; what it cannot is refused before it begins."""

    any_columns: bool = False
    """Takes problems of any number of columns, whose sets are scored when asked for.
    Other backends get them in blocks, if the cuts leave small ones."""
    encodings: bool = False
    """Lets the constraint model be chosen."""
    runners_up: bool = False
    """Lists the next best networks too."""
    starts: bool = False
    """Searches from several seeds."""


@dataclass(frozen=True)
class Solver(JsonMixin):
    """A backend as :func:`solvers` lists it."""

    name: str
    summary: str
    """One line; empty if it cannot be loaded."""
    exact: bool | None
    """Whether it can prove optimality; None if it cannot be loaded."""
    available: bool
    """Whether it can run here."""
    version: str
    reason: str
    """Why it cannot run, if so."""
    how_to_get: str


class Backend(Protocol):
    """Solves problems. Created anew for each run, without arguments."""

    name: str
    summary: str
    """One line for `chordlearn solvers`."""
    exact: bool
    """Whether it can prove optimality."""
    capabilities: Capabilities

    def probe(self) -> Availability:
        """Say whether the backend can run here, without running it."""

    def solve(self, run: Run) -> Outcome:
        """Find the best network within the limits; Ctrl-C ends it with the best network so far."""


def backend_names() -> list[str]:
    """Names of all registered backends."""
    return sorted({point.name for point in _registered()})


def load_backend(name: str) -> Backend:
    """The backend of that name, imported only now."""
    for point in _registered():
        if point.name == name:
            try:
                backend: Backend = point.load()()
            except ImportError as error:
                raise BackendError(f"The backend {name!r} cannot be loaded: {error}.") from error
            return backend
    raise BackendError(f"There is no backend {name!r}; there are {', '.join(backend_names())}.")


def solvers() -> list[Solver]:
    """All backends: which can run here, which cannot and why, and how to get them.

    >>> {solver.name: solver.available for solver in solvers()}["native"]
    True
    """
    return [_solver(name) for name in backend_names()]


def _solver(name: str) -> Solver:
    try:
        backend = load_backend(name)
        found = backend.probe()
    except BackendError as error:
        return Solver(name, "", None, False, "", str(error), "")
    return Solver(
        name, backend.summary, backend.exact, found.available, found.version, found.reason, found.how_to_get
    )


@lru_cache(maxsize=1)
def _registered() -> EntryPoints:
    """The entry points; to read them from all installed packages takes longer than to learn from few data."""
    return entry_points(group=GROUP)
