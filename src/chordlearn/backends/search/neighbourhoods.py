"""Neighbourhoods of the search over many columns, each solved exactly, here or in other processes.

A neighbourhood is solved by a pure function of the coded table and plain arrays, so it does not matter where.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, Scorer, Stopped, improve_region
from chordlearn.parallel import Workers
from chordlearn.scores.compute import ScoredData

Indices = NDArray[np.int32]

TRIP_SECONDS = 0.01
"""What handing a task out costs; neighbourhoods that take less are solved here."""
LATEST = 0.3
"""The weight of the latest wave in the mean."""


class Neighbourhood(NamedTuple):
    """Variables with the graph on them, and what any other graph must keep to; edges are rows of pairs."""

    variables: Indices
    present: Indices
    required: Indices
    forbidden: Indices
    max_clique: int
    moves: int
    hot: float
    cold: float
    seed: int


class Change(NamedTuple):
    """A better graph on the variables of a neighbourhood: all its edges, and what it gains."""

    variables: Indices
    edges: Indices
    gain: float


class Mapper(Protocol):
    """Where neighbourhoods are solved."""

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """The answer to each, in the same order; may raise `Stopped` once the control is stopped."""


def solve_one(scorer: Scorer, task: Neighbourhood, control: Control) -> Change | None:
    """The best graph on the variables of a neighbourhood, if it is better than the present one."""
    found = improve_region(scorer, *task, control)
    return None if found is None else Change(*found)


class ThreadMapper:
    """Solves neighbourhoods in threads of this process."""

    def __init__(self, scorer: Scorer, pool: ThreadPoolExecutor | None) -> None:
        """Without a pool it solves in the calling thread."""
        self._scorer = scorer
        self._pool = pool

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """One after the other, as threads are free; once stopped, what is known by then."""

        def solve(task: Neighbourhood) -> Change | None:
            try:
                return solve_one(self._scorer, task, control)
            except Stopped:
                return None

        return list((map if self._pool is None else self._pool.map)(solve, wave))


class WorkersMapper:
    """Hands neighbourhoods out to workers.

    Where one is solved depends on how long the latest took, and changes nothing but the time.
    """

    def __init__(self, workers: Workers, data: ScoredData, *, trip_seconds: float = TRIP_SECONDS) -> None:
        """Who solves them, and on which data."""
        self._workers = workers
        self._trip_seconds = trip_seconds
        self._seconds = 0.0
        self._data = data

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """The answer to each neighbourhood, in the same order."""
        if self._seconds >= self._trip_seconds and len(wave) > 1:
            rows = [(neighbourhood,) for neighbourhood in wave]
            answers = dict(self._workers.run(solve, rows, self._data, lambda: control.stopped))
        else:
            answers = {
                number: solve(self._data, neighbourhood, control) for number, neighbourhood in enumerate(wave)
            }
        if len(answers) < len(wave):
            raise Stopped
        if answers:
            latest = sum(seconds for seconds, _ in answers.values()) / len(answers)
            self._seconds += LATEST * (latest - self._seconds)
        return [answers[number][1] for number in range(len(wave))]


def solve(
    data: ScoredData, neighbourhood: Neighbourhood, control: Control | None = None
) -> tuple[float, Change | None]:
    """Solve one neighbourhood: the seconds it took, and what is better."""
    start = time.perf_counter()
    found = solve_one(data.scorer, neighbourhood, control or Control())
    return time.perf_counter() - start, found
