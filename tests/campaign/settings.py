"""In which ways a problem is solved: backends, encodings and modes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from hypothesis import strategies as st

from campaign.problems import Recipe
from chordlearn.encodings.registry import ENCODINGS
from chordlearn.scores.score_files import FORMATS
from chordlearn.testing.agreement import installed_backends

SOLVER_SECONDS = 6.0
"""What a constraint solver gets for a problem; one that needs longer has not finished."""
SEARCH_SECONDS = 2.0
ENGINE_SECONDS = 60.0
MEMORY_GIGABYTES = 4.0
SOLVERS_PER_PROBLEM = 3
TOP = 5
MOST_VARIABLES_FOR_ALL_GRAPHS = 7
MOST_VARIABLES_UNREDUCED = 5
MOST_VARIABLES_FOR_PAPER = 6
MOST_VARIABLES_WITHOUT_BOUNDS = 9
FEWEST_VARIABLES_FOR_DENSE = 4
BUILT_IN = ("auto", "exhaustive", "native", "search")
CUTS = "ilp:cuts"


@dataclass(frozen=True, repr=False)
class Setting:
    """One way to solve a problem."""

    backend: str
    encoding: str | None = None
    reduce: bool = True
    method: str | None = None
    """Of the native backend: pruned or dense, whatever it would choose."""
    threads: int = 1
    top: int = 1
    source: str = "memory"
    """Where scores come from: memory, a file in the named format, or `wide` for sets scored when needed."""
    seconds: float = ENGINE_SECONDS

    def __repr__(self) -> str:
        """Without what is as usual."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        unusual = [f"{field.name}={value!r}" for field, value in values if value != field.default]
        return f"Setting({', '.join(unusual)})"

    @property
    def name(self) -> str:
        """In words."""
        words = [self.backend, self.encoding, self.method]
        words.append(None if self.reduce else "unreduced")
        words.append(f"{self.threads} threads" if self.threads > 1 else None)
        words.append(f"top {self.top}" if self.top > 1 else None)
        words.append(None if self.source == "memory" else f"from {self.source}")
        return ", ".join(word for word in words if word)


@st.composite
def ways_to_solve(draw: st.DrawFn, recipe: Recipe) -> list[Setting]:
    """All of the engine's ways, and a few of the constraint solvers that are installed."""
    ways = [Setting("auto"), Setting("native", method="pruned"), Setting("native", threads=2)]
    if recipe.n >= FEWEST_VARIABLES_FOR_DENSE:
        ways.append(Setting("native", method="dense"))
    if recipe.n <= MOST_VARIABLES_WITHOUT_BOUNDS:
        ways.append(Setting("native", reduce=False))
        ways.append(Setting("native", top=TOP, threads=draw(st.integers(1, 2))))
        ways.append(Setting("native", source=draw(st.sampled_from(list(FORMATS)))))
    if recipe.n <= MOST_VARIABLES_FOR_ALL_GRAPHS:
        ways.append(Setting("exhaustive", top=TOP))
    ways.append(Setting("search", seconds=SEARCH_SECONDS))
    if recipe.function is not None:
        ways.append(Setting("search", source="wide"))
    if CUTS in _installed():
        if recipe.function is not None:
            ways.append(Setting(CUTS, source="wide", seconds=SEARCH_SECONDS))
        if recipe.n <= MOST_VARIABLES_FOR_ALL_GRAPHS:
            ways.append(Setting(CUTS, seconds=SOLVER_SECONDS, reduce=draw(st.integers(1, 10)) <= 7))
    return [*ways, *draw(_solvers(recipe.n))]


def _solvers(n: int) -> st.SearchStrategy[list[Setting]]:
    """A few of all combinations of constraint solver, encoding and reduction."""
    every = [
        Setting(backend, encoding, reduce, seconds=SOLVER_SECONDS)
        for backend in _installed()
        if backend not in (*BUILT_IN, CUTS)
        for encoding in ENCODINGS
        if not encoding.startswith("paper") or n <= MOST_VARIABLES_FOR_PAPER
        for reduce in (True, False)
        if reduce or n <= MOST_VARIABLES_UNREDUCED
    ]
    few = min(SOLVERS_PER_PROBLEM, len(every))
    return st.lists(st.sampled_from(every), min_size=few, max_size=few, unique=True) if few else st.just([])


@cache
def _installed() -> tuple[str, ...]:
    return tuple(installed_backends())
