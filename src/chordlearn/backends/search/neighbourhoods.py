"""Neighbourhoods of the wide search, solved side by side in other processes."""

from __future__ import annotations

import time
from collections.abc import Sequence

from chordlearn._core import Control, Stopped
from chordlearn.backends.search.wide import Change, Neighbourhood, solve_one
from chordlearn.parallel import Workers
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.parts import ScoredData

TRIP_SECONDS = 0.01
"""What handing a task out costs; neighbourhoods that take less are solved here."""
LATEST = 0.3
"""The weight of the latest wave in the mean."""


class WorkersMapper:
    """A mapper of :func:`chordlearn.backends.search.wide.search_wide` that hands neighbourhoods out.

    Where one is solved depends on how long the latest took, and changes nothing but the time.
    """

    def __init__(self, workers: Workers, problem: WideProblem, *, trip_seconds: float = TRIP_SECONDS) -> None:
        """Who solves them, and on which data."""
        self._workers = workers
        self._trip_seconds = trip_seconds
        self._seconds = 0.0
        self._data = ScoredData(problem.dataset, problem.function)

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
