"""The score of every set, computed in parts by workers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, count_parts, count_sets
from chordlearn.data.dataset import Dataset
from chordlearn.errors import StoppedError
from chordlearn.parallel import UntilStopped, Workers
from chordlearn.scores.compute import STOPPED, Progress, refuse_too_many, table_of
from chordlearn.scores.functions import CustomScore, ScoreFunction
from chordlearn.scores.scored_data import ScoredData
from chordlearn.scores.table import ScoreTable
from chordlearn.system.running import watch

FEWEST_VARIABLES = 18
"""With fewer, all sets are scored here before a table has travelled."""
PARTS_PER_TASK = 2


def pays_to_score_in_parts(dataset: Dataset, function: ScoreFunction) -> bool:
    """Whether there is so much to score that workers are quicker."""
    return len(dataset.variables) >= FEWEST_VARIABLES and not isinstance(function, CustomScore)


def score_in_parts(
    workers: Workers,
    dataset: Dataset,
    function: ScoreFunction,
    max_size: int | None = None,
    progress: Progress | None = None,
    deadline: float | None = None,
) -> ScoreTable:
    """What :func:`chordlearn.scores.compute_scores` gives, to the last bit.

    Raises ``StoppedError`` when the deadline (of time.monotonic) comes first.
    """
    n = len(dataset.variables)
    refuse_too_many(n)
    size = n if max_size is None else min(max_size, n)
    parts = count_parts(n)
    rows = [(size, part, min(part + PARTS_PER_TASK, parts)) for part in range(0, parts, PARTS_PER_TASK)]
    total = int(count_sets(n, size))
    values = np.full(1 << n, -np.inf)
    values[0] = 0.0
    done, left = 1, len(rows)

    def is_late() -> bool:
        return deadline is not None and time.monotonic() >= deadline

    for _, (sets, scores) in workers.run(score_some, rows, ScoredData(dataset, function), is_late):
        values[sets] = scores
        done, left = done + len(sets), left - 1
        if progress is not None:
            progress(done, total)
    if left:
        raise StoppedError(STOPPED)
    return table_of(dataset, function, size, values)


def score_some(data: ScoredData, max_size: int, first: int, last: int) -> list[NDArray[Any]]:
    """Score the sets of some parts: their bit masks, and their scores."""
    observer = UntilStopped()

    def score(control: Control) -> list[NDArray[Any]] | None:
        found = data.scorer.parts(max_size, first, last, control)
        return None if found is None else list(found)

    run = watch(score, poll=lambda _: observer.progress("scoring", None, None))
    if run.value is None:
        raise KeyboardInterrupt
    return run.value
