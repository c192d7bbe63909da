"""What there is to learn from: scores that are given, or data and a score function."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypedDict, Unpack

from chordlearn.backends.base.outcome import Observer, SilentObserver
from chordlearn.data import read
from chordlearn.data.dataset import Dataset
from chordlearn.data.declarations import States
from chordlearn.data.numbers import Discretize
from chordlearn.errors import InputError, option
from chordlearn.parallel import Workers
from chordlearn.problem.problem import MOST_SCORED_VARIABLES
from chordlearn.scores import (
    CustomScore,
    ScoreFunction,
    ScoreTable,
    compute_scores,
    is_score_file,
    read_scores,
    score_function,
)
from chordlearn.scores.compute import ScoredData, pays_to_score_in_parts, score_in_parts
from chordlearn.system.processes import usable_processors

WHOLE = ("max_clique", "top", "starts", "threads")
"""Arguments that are counts."""
LARGEST_SEED = 2**63


@dataclass(frozen=True)
class Described:
    """What a result says of its input."""

    function: Mapping[str, Any]
    rows: float | None
    sha256: str
    source: str
    options: dict[str, Any]


@dataclass
class Input:
    """Either scores, or a data set with its score function; and the seconds of each stage."""

    table: ScoreTable | None
    data: ScoredData | None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def dataset(self) -> Dataset:
        """The data set; there must be one."""
        assert self.data is not None
        return self.data.dataset

    @property
    def function(self) -> ScoreFunction:
        """The score function; there must be one."""
        assert self.data is not None
        return self.data.function

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.dataset.variables if self.table is None else self.table.variables

    @property
    def states(self) -> tuple[tuple[str, ...], ...] | None:
        """The labels of each variable; None when only scores are given."""
        return None if self.data is None else self.dataset.states

    @property
    def is_wide(self) -> bool:
        """Whether there are too many variables to score all sets of them."""
        return self.data is not None and len(self.variables) > MOST_SCORED_VARIABLES

    def neutral_constants(self, needed: Iterable[str] = ()) -> list[str]:
        """The variables with a single state that no score of a set with others depends on; never all of them.

        An edge to one gains nothing, so it may be set aside unless it is needed: it stands alone in some best
        network. A prior in favour of edges, and functions of a user's own, may see it differently.

        >>> read_input({"a": [1, 2, 1], "k": [0, 0, 0]}).neutral_constants()
        ['k']
        """
        if self.data is None or isinstance(self.function, CustomScore) or self.function.edge_prior > 0:
            return []
        kept = set(needed)
        sizes = zip(self.variables, self.dataset.arities, strict=True)
        found = [name for name, size in sizes if size == 1 and name not in kept]
        return found if len(found) < len(self.variables) else found[1:]

    def without(self, names: Iterable[str]) -> Input:
        """The data without some variables; the seconds are counted together."""
        dropped = set(names)
        if not dropped:
            return self
        kept = [name for name in self.variables if name not in dropped]
        return Input(None, ScoredData(self.dataset.select(kept), self.function), self.seconds)

    @property
    def described(self) -> Described:
        """What a result says of it."""
        if self.data is None:
            assert self.table is not None
            t = self.table
            return Described(t.function, t.rows, t.sha256, t.source, t.options)
        d = self.dataset
        return Described(self.function.to_dict(), d.rows, d.sha256, d.source, dict(d.options))


class DataOptions(TypedDict, total=False):
    """How a table is read, as :func:`chordlearn.read` takes it, and the parameters of the score."""

    columns: str | Iterable[str] | None
    drop: str | Iterable[str] | None
    counts: str | None
    weights: str | None
    states: States | None
    missing: str
    discretize: Discretize | None
    ess: float | None
    alpha: float | None
    edge_prior: float


def check_numbers(seed: int, **positive: float | None) -> None:
    """Refuse arguments that are given but are no positive numbers, and a seed that is out of range.

    >>> check_numbers(0, time_limit=2.5, threads=None)
    >>> check_numbers(0, threads=1.5)
    Traceback (most recent call last):
        ...
    chordlearn.errors.InputError: threads must be a positive whole number, but it is 1.5.
    """
    for name, value in positive.items():
        kind, words = (Integral, "whole number") if name in WHOLE else (Real, "number")
        if value is not None and not (isinstance(value, kind) and 0 < value < math.inf):
            raise InputError(f"{option(name)} must be a positive {words}, but it is {value!r}.")
    if not (isinstance(seed, Integral) and 0 <= seed < LARGEST_SEED):
        raise InputError(
            f"{option('seed')} must be a whole number from 0 to {LARGEST_SEED - 1}, but it is {seed!r}."
        )


def chosen_function(
    score: str | ScoreFunction,
    ess: float | None = None,
    alpha: float | None = None,
    edge_prior: float = 0.0,
) -> ScoreFunction:
    """The score function by its name and parameters, or the one given."""
    if isinstance(score, str):
        return score_function(score, ess=ess, alpha=alpha, edge_prior=edge_prior)
    if ess is None and alpha is None and not edge_prior:
        return score
    raise InputError("A score function given as an object carries its own ess, alpha and edge_prior.")


def holds_scores(data: Any) -> bool:
    """Whether it is a table of scores, or the file of one."""
    return isinstance(data, ScoreTable) or (isinstance(data, str | Path) and is_score_file(data))


def read_input(
    data: Any,
    *,
    score: str | ScoreFunction = "bdeu",
    observer: Observer | None = None,
    deadline: float | None = None,
    memory_bytes: float | None = None,
    **options: Unpack[DataOptions],
) -> Input:
    """Read a table, or the scores of a score file.

    >>> read_input("heart", columns=["smoke", "family"]).variables
    ('smoke', 'family')
    """
    observer = observer or SilentObserver()
    observer.progress("reading", None, None)
    seconds: dict[str, float] = {}
    if holds_scores(data):
        stated = [value for value in options.values() if value is not None]
        if score != "bdeu" or any(not isinstance(v, str | float) or v not in ("error", 0.0) for v in stated):
            raise InputError(
                "Scores are given already, so options of reading and scoring a table do not apply."
            )
        with timed(seconds, "read"):
            table = data if isinstance(data, ScoreTable) else read_scores(data)
        return Input(table, None, seconds)
    function = chosen_function(
        score, options.pop("ess", None), options.pop("alpha", None), options.pop("edge_prior", 0.0)
    )
    with timed(seconds, "read"):
        dataset = read(
            data,
            **options,  # type: ignore[misc]  # what is left of them
            progress=rows_progress(observer),
            deadline=deadline,
            memory_bytes=memory_bytes,
        )
    return Input(None, ScoredData(dataset, function), seconds)


def rows_progress(observer: Observer) -> Callable[[int], None]:
    """What :func:`chordlearn.read` takes for progress: shows the observer how many rows are read."""
    return lambda rows: observer.progress("reading", None, None, f"{rows:,} rows")


def score_input(
    given: Input,
    *,
    max_size: int | None = None,
    threads: int | None = None,
    observer: Observer | None = None,
    deadline: float | None = None,
    memory_bytes: float | None = None,
    workers: Workers | None = None,
) -> ScoreTable:
    """The score of every set, computed unless it is given; by workers where there is enough to do.

    >>> score_input(read_input("heart"), max_size=2).max_size
    2
    """
    if given.table is not None:
        return given.table
    watching = observer or SilentObserver()
    with timed(given.seconds, "score"):
        watching.progress("scoring", None, None)

        def progress(done: int, all_sets: int) -> None:
            watching.progress("scoring", None, None, f"{done:,} of {all_sets:,} sets")

        if workers is not None and given.data is not None and pays_to_score_in_parts(given.data):
            return score_in_parts(workers, given.data, max_size, progress, deadline)
        return compute_scores(
            given.dataset,
            given.function,
            max_size=max_size,
            threads=threads or usable_processors(),
            progress=progress,
            deadline=deadline,
            memory_bytes=memory_bytes,
        )


def score_sets(
    data: Any,
    *,
    max_size: int | None = None,
    threads: int | None = None,
    observer: Observer | None = None,
    **reading: Any,
) -> ScoreTable:
    """The score of every set of variables, or of those with at most ``max_size``.

    ``reading`` are the options of :func:`chordlearn.learn` for the table and its scores.

    >>> round(score_sets("heart", max_size=2)["smoke", "phys"], 3)
    -2548.877
    """
    given = read_input(data, observer=observer, **reading)
    return score_input(given, max_size=max_size, threads=threads, observer=observer)


@contextmanager
def timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Note how long a stage takes."""
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start
