"""Runs: sorted stretches of packed rows, all different, and merging them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.packing import Words, code_type

Weights = NDArray[np.integer]

RANGE_WORDS = 1 << 20
"""About how many words are merged at a time."""
SAMPLES = 64
"""How many rows of each such range are looked at to find it."""


@dataclass(frozen=True)
class Run:
    """Packed rows in ascending order, all different, and how many observations each stands for."""

    words: Words
    weights: Weights

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.weights)

    def between(self, start: int, end: int) -> Run:
        """The rows from one position up to another."""
        return Run([word[start:end] for word in self.words], self.weights[start:end])


def merge_equal(words: Words, weights: Weights | None = None) -> Run:
    """Sort rows and add up the weights of equal ones (one each if not given).

    >>> merge_equal([np.array([5, 3, 5])], np.array([1, 2, 300]))
    Run(words=[array([3, 5])], weights=array([  2, 301], dtype=uint16))
    """
    if len(words[0]) == 0:
        return Run(words, np.empty(0, dtype=np.uint8))
    if weights is not None and weights.min() == weights.max() == 1:
        weights = None
    if weights is None and len(words) == 1:
        words = [_sorted(words[0])]
        starts = _starts(words)
        return Run([words[0][starts]], _compact(np.diff(starts, append=len(words[0]))))
    # Rows that come in sorted stretches are merged, not sorted anew.
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    words = [word[order] for word in words]
    starts = _starts(words)
    if weights is None:
        sums = np.diff(starts, append=len(order))
    elif len(starts) == len(order):
        return Run(words, weights[order])
    else:
        sums = np.add.reduceat(weights[order], starts, dtype=np.int64)
    return Run([word[starts] for word in words], _compact(sums))


def _sorted(word: NDArray[np.int64]) -> NDArray[np.int64]:
    import polars as pl

    return pl.Series(word).sort().to_numpy()


def _starts(words: Words) -> NDArray[np.int64]:
    """Where a row differs from the one before it."""
    differs = np.ones(len(words[0]), dtype=bool)
    differs[1:] = words[0][1:] != words[0][:-1]
    for word in words[1:]:
        differs[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(differs)


def _compact(weights: NDArray[np.int64]) -> Weights:
    return weights.astype(code_type(int(weights.max()) + 1))


def merged(runs: Sequence[Run], heed: Callable[[], None] = lambda: None) -> Iterator[Run]:
    """Merge runs into runs that follow one another in ascending order, a range of rows at a time.

    ``heed`` is called before each.
    """
    runs = [run for run in runs if len(run)]
    if len(runs) <= 1:
        yield from runs
        return
    cuts = _cuts(runs)
    places = [[0, *np.searchsorted(run.words[0], cuts).tolist(), len(run)] for run in runs]
    for index in range(len(cuts) + 1):
        heed()
        parts = [run.between(*place[index : index + 2]) for run, place in zip(runs, places, strict=True)]
        parts = [part for part in parts if len(part)]
        if parts:
            words = [np.concatenate(pieces) for pieces in zip(*(part.words for part in parts), strict=True)]
            yield merge_equal(words, np.concatenate([part.weights for part in parts]))


def _cuts(runs: Sequence[Run]) -> NDArray[np.int64]:
    """First words that cut the rows of all runs into ranges of about equal size."""
    step = max(1, RANGE_WORDS // len(runs[0].words) // SAMPLES)
    sample = np.sort(np.concatenate([run.words[0][::step] for run in runs]))
    return np.unique(sample[SAMPLES::SAMPLES])
