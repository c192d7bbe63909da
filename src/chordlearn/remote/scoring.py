"""The score of every set, computed in parts by the workers of a cluster."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, Scorer, count_parts, count_sets
from chordlearn.backends.outcome import Observer, SilentObserver
from chordlearn.cluster import Shared, UntilStopped, Workforce, task
from chordlearn.data.dataset import Dataset
from chordlearn.errors import StoppedError
from chordlearn.inputs import Input, timed
from chordlearn.remote.datasets import plain_dataset, plain_function
from chordlearn.remote.neighbourhoods import open_scorer
from chordlearn.scores.compute import STOPPED, make_scorer, refuse_too_many
from chordlearn.scores.functions import CustomScore, ScoreFunction
from chordlearn.scores.table import ScoreTable
from chordlearn.watching import watch

FEWEST_VARIABLES = 18
"""With fewer, all sets are scored here before a table has travelled."""
PARTS_PER_TASK = 2


def pays_to_score_on(given: Input) -> bool:
    """Whether there is so much to score that workers are quicker."""
    return (
        given.data is not None
        and len(given.variables) >= FEWEST_VARIABLES
        and not isinstance(given.function, CustomScore)
    )


def score_input_on(
    workforce: Workforce,
    given: Input,
    *,
    max_size: int | None = None,
    observer: Observer | None = None,
    deadline: float | None = None,
) -> ScoreTable:
    """What :func:`chordlearn.inputs.score_input` gives, to the last bit.

    Raises ``StoppedError`` when the deadline (of time.monotonic) comes first.
    """
    dataset, function = given.dataset, given.function
    observer = observer or SilentObserver()
    with timed(given.seconds, "score"):
        return _table(workforce, dataset, function, max_size, observer, deadline)


def _table(
    workforce: Workforce,
    dataset: Dataset,
    function: ScoreFunction,
    max_size: int | None,
    observer: Observer,
    deadline: float | None,
) -> ScoreTable:
    n = len(dataset.variables)
    refuse_too_many(n)
    largest = n if max_size is None else min(max_size, n)
    scorer = make_scorer(dataset, function)
    plain = {"dataset": plain_dataset(dataset), "function": plain_function(function)}
    shared = Shared(scorer, lambda: plain, open_scorer)
    parts = count_parts(n)
    rows = [(largest, part, min(part + PARTS_PER_TASK, parts)) for part in range(0, parts, PARTS_PER_TASK)]
    total = int(count_sets(n, largest))
    values = np.full(1 << n, -np.inf)
    values[0] = 0.0
    done, left = 1, len(rows)

    def is_late() -> bool:
        return deadline is not None and time.monotonic() >= deadline

    for _, (sets, scores) in workforce.run(score_some, rows, shared, is_late):
        values[sets] = scores
        done, left = done + len(sets), left - 1
        observer.progress("scoring", None, None, f"{done:,} of {total:,} sets")
    if left:
        raise StoppedError(STOPPED)
    values.setflags(write=False)
    return ScoreTable(
        variables=dataset.variables,
        values=values,
        max_size=largest,
        function=function.as_json(),
        rows=dataset.rows,
        sha256=dataset.sha256,
        source=dataset.source,
        options=dict(dataset.options),
    )


@task
def score_some(scorer: Scorer, max_size: int, first: int, last: int) -> list[NDArray[Any]]:
    """Score the sets of some parts: their bit masks, and their scores."""
    observer = UntilStopped()
    run = watch(
        lambda control: _parts(scorer, max_size, first, last, control),
        poll=lambda _: observer.progress("scoring", None, None),
    )
    if run.value is None:
        raise KeyboardInterrupt
    return run.value


def _parts(
    scorer: Scorer, max_size: int, first: int, last: int, control: Control
) -> list[NDArray[Any]] | None:
    found = scorer.parts(max_size, first, last, control)
    return None if found is None else list(found)
