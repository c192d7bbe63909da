"""Neighbourhoods of the wide search, solved by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chordlearn._core import Control, Scorer, Stopped
from chordlearn.backends.wide_search import Change, Indices, Neighbourhood, solve_one
from chordlearn.cluster import Shared, Workforce, task
from chordlearn.problem.wide import WideProblem
from chordlearn.remote.datasets import open_dataset, open_function, plain_dataset, plain_function
from chordlearn.scores.compute import make_scorer


class RemoteMapper:
    """A mapper of :func:`chordlearn.backends.wide_search.search_wide` that hands neighbourhoods out."""

    def __init__(self, workforce: Workforce, problem: WideProblem) -> None:
        """Who solves them, and on which data."""
        self._workforce = workforce
        scorer = make_scorer(problem.dataset, problem.function)
        plain = {"dataset": plain_dataset(problem.dataset), "function": plain_function(problem.function)}
        self._shared = Shared(scorer, lambda: plain, open_scorer)

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """The answer to each neighbourhood, in the same order."""
        answers: dict[int, Any] = dict(
            self._workforce.run(solve, list(wave), self._shared, lambda: control.stopped)
        )
        if len(answers) < len(wave):
            raise Stopped
        return [_change(answers[number]) for number in range(len(wave))]


@task
def open_scorer(plain: dict[str, Any]) -> Scorer:
    """The compiled scorer of a table."""
    return make_scorer(open_dataset(plain["dataset"]), open_function(plain["function"]))


@task
def solve(
    scorer: Scorer,
    variables: Indices,
    present: Indices,
    required: Indices,
    forbidden: Indices,
    max_clique: int,
) -> list[Any] | None:
    """Solve one neighbourhood: variables, edges and gain of a better graph on it."""
    found = solve_one(scorer, Neighbourhood(variables, present, required, forbidden, max_clique), Control())
    return None if found is None else list(found)


def _change(answer: list[Any] | None) -> Change | None:
    if answer is None:
        return None
    variables, edges, gain = answer
    return Change(np.asarray(variables), np.asarray(edges), float(gain))
