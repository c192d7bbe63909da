"""Neighbourhoods of the wide search, solved by the workers of a cluster."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from chordlearn._core import Control, Scorer, Stopped
from chordlearn.backends.wide_search import Change, Neighbourhood, solve_one
from chordlearn.cluster import Shared, Threads, Workforce, task
from chordlearn.problem.wide import WideProblem
from chordlearn.remote.datasets import open_dataset, open_function, plain_dataset, plain_function
from chordlearn.scores.compute import make_scorer

TRIP_SECONDS = 0.01
"""What handing a task out costs; neighbourhoods that take less are solved here."""
LATEST = 0.3
"""The weight of the latest wave in the mean."""


class RemoteMapper:
    """A mapper of :func:`chordlearn.backends.wide_search.search_wide` that hands neighbourhoods out.

    Where one is solved depends on how long the latest took, and changes nothing but the time.
    """

    def __init__(
        self, workforce: Workforce, problem: WideProblem, *, trip_seconds: float = TRIP_SECONDS
    ) -> None:
        """Who solves them, and on which data."""
        self._workforce = workforce
        self._trip_seconds = trip_seconds
        self._seconds = 0.0
        scorer = make_scorer(problem.dataset, problem.function)
        plain = {"dataset": plain_dataset(problem.dataset), "function": plain_function(problem.function)}
        self._shared = Shared(scorer, lambda: plain, open_scorer)

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """The answer to each neighbourhood, in the same order."""
        worth_it = self._seconds >= self._trip_seconds and len(wave) > 1
        workforce = self._workforce if worth_it else Threads(1)
        answers: dict[int, Any] = dict(
            workforce.run(solve, list(wave), self._shared, lambda: control.stopped)
        )
        if len(answers) < len(wave):
            raise Stopped
        if answers:
            latest = sum(seconds for seconds, _ in answers.values()) / len(answers)
            self._seconds += LATEST * (latest - self._seconds)
        return [_change(answers[number][1]) for number in range(len(wave))]


@task
def open_scorer(plain: dict[str, Any]) -> Scorer:
    """The compiled scorer of a table."""
    return make_scorer(open_dataset(plain["dataset"]), open_function(plain["function"]))


@task
def solve(scorer: Scorer, *neighbourhood: Any) -> list[Any]:
    """Solve one neighbourhood: the seconds it took, and variables, edges and gain of a better graph on it."""
    start = time.perf_counter()
    found = solve_one(scorer, Neighbourhood(*neighbourhood), Control())
    return [time.perf_counter() - start, None if found is None else list(found)]


def _change(answer: list[Any] | None) -> Change | None:
    if answer is None:
        return None
    variables, edges, gain = answer
    return Change(np.asarray(variables), np.asarray(edges), float(gain))
