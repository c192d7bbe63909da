"""In which ways a problem is solved: backends, encodings and modes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chordlearn.backends.registry import backend_names, load_backend
from chordlearn.encodings.registry import ENCODINGS
from chordlearn.errors import BackendError
from chordlearn.scores.files import FORMATS
from chordlearn.selftest.trials import Trial

SOLVER_SECONDS = 6.0
"""What a constraint solver gets for a problem; one that needs longer has not finished."""
SEARCH_SECONDS = 2.0
ENGINE_SECONDS = 60.0
MEMORY_GIGABYTES = 4.0
SOLVERS_PER_TRIAL = 3
TOP = 5
MOST_VARIABLES_FOR_ALL_GRAPHS = 7
MOST_VARIABLES_UNREDUCED = 5
MOST_VARIABLES_FOR_PAPER = 6
MOST_VARIABLES_WITHOUT_BOUNDS = 9
FEWEST_VARIABLES_FOR_DENSE = 4
BUILT_IN = ("auto", "exhaustive", "native", "search")
CUTS = "ilp:cuts"
WITHOUT_ENCODINGS = ("portfolio", CUTS)


@dataclass(frozen=True)
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

    @property
    def name(self) -> str:
        """In words.

        >>> Setting("maxsat:rc2", "paper", reduce=False).name
        'maxsat:rc2, paper, unreduced'
        """
        words = [self.backend, self.encoding, self.method]
        words.append(None if self.reduce else "unreduced")
        words.append(f"{self.threads} threads" if self.threads > 1 else None)
        words.append(f"top {self.top}" if self.top > 1 else None)
        words.append(None if self.source == "memory" else f"from {self.source}")
        return ", ".join(word for word in words if word)

    def as_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)


def installed_backends() -> frozenset[str]:
    """The names of the backends that can run here."""
    found = set()
    for name in backend_names():
        try:
            if load_backend(name).probe().available:
                found.add(name)
        except BackendError:
            continue
    return frozenset(found)


def settings_for(trial: Trial, installed: Collection[str]) -> list[Setting]:
    """The ways to solve a problem: all of the engine's, and a few constraint solvers in turn.

    Which solvers come first depends on the problem's number alone; those not installed are passed over.

    >>> from chordlearn.selftest.trials import make_trial
    >>> settings_for(make_trial(0, 0), ["native", "exhaustive", "search"])[0].name
    'auto'
    """
    rng = np.random.default_rng((trial.seed, trial.number, 1))
    chosen = [*_own(trial, rng), *_foreign(trial, rng, installed)]
    return [setting for setting in chosen if setting.backend in {*installed, *BUILT_IN}]


def _own(trial: Trial, rng: np.random.Generator) -> list[Setting]:
    n = trial.n
    chosen = [Setting("auto"), Setting("native", method="pruned"), Setting("native", threads=2)]
    if n >= FEWEST_VARIABLES_FOR_DENSE:
        chosen.append(Setting("native", method="dense"))
    if n <= MOST_VARIABLES_WITHOUT_BOUNDS:
        chosen.append(Setting("native", reduce=False))
        chosen.append(Setting("native", top=TOP, threads=int(rng.integers(1, 3))))
    if n <= MOST_VARIABLES_FOR_ALL_GRAPHS:
        chosen.append(Setting("exhaustive", top=TOP))
    chosen.append(Setting("search", seconds=SEARCH_SECONDS))
    if trial.function is not None:
        chosen.append(Setting("search", source="wide"))
        chosen.append(Setting(CUTS, source="wide", seconds=SEARCH_SECONDS))
    if n <= MOST_VARIABLES_FOR_ALL_GRAPHS:
        chosen.append(Setting(CUTS, seconds=SOLVER_SECONDS, reduce=bool(rng.random() < 0.7)))
    if n <= MOST_VARIABLES_WITHOUT_BOUNDS:
        chosen.append(Setting("native", source=str(rng.choice(list(FORMATS)))))
    return chosen


def _foreign(trial: Trial, rng: np.random.Generator, installed: Collection[str]) -> list[Setting]:
    every = [
        Setting(backend, encoding, reduce, seconds=SOLVER_SECONDS)
        for backend in backend_names()
        if backend not in BUILT_IN
        for encoding in ((None,) if backend in WITHOUT_ENCODINGS else ENCODINGS)
        for reduce in (True, False)
        if (reduce or trial.n <= MOST_VARIABLES_UNREDUCED)
        and (encoding != "paper" or trial.n <= MOST_VARIABLES_FOR_PAPER)
    ]
    order = rng.permutation(len(every))
    ready = [every[k] for k in order if every[k].backend in installed]
    return ready[:SOLVERS_PER_TRIAL]
