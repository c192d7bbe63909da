"""Distinct rows with their weights, gathered batch by batch in little more memory than they take.

Each batch becomes a run: its rows packed, sorted, equal ones merged. When the rows have doubled since the
last time, the runs are merged with each other, a range of rows at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.packing import Codes, Layout, Words, code_type

Weights = NDArray[np.integer]

FEW_ROWS = 1 << 21
"""Runs of fewer rows in all are left as they are."""
RANGE_WORDS = 1 << 20
"""How many words are merged at a time."""


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


def merge_runs(runs: Sequence[Run], heed: Callable[[], None]) -> list[Run]:
    """Merge runs into runs that follow one another in ascending order; ``heed`` is called now and then."""
    runs = [run for run in runs if len(run)]
    if len(runs) <= 1:
        return list(runs)
    rows = sum(map(len, runs))
    ranges = max(1, rows * len(runs[0].words) // RANGE_WORDS)
    largest = max(runs, key=len).words[0]
    cuts = np.unique(largest[np.arange(1, ranges) * len(largest) // ranges])
    places = [[0, *np.searchsorted(run.words[0], cuts).tolist(), len(run)] for run in runs]
    merged = []
    for index in range(len(cuts) + 1):
        parts = [run.between(*place[index : index + 2]) for run, place in zip(runs, places, strict=True)]
        parts = [part for part in parts if len(part)]
        heed()
        if parts:
            words = [np.concatenate(pieces) for pieces in zip(*(part.words for part in parts), strict=True)]
            merged.append(merge_equal(words, np.concatenate([part.weights for part in parts])))
    return merged


class DistinctRows:
    """Distinct rows of codes, gathered batch by batch. Rows of weight zero count as rows.

    >>> rows = DistinctRows()
    >>> rows.add([np.array([0, 1, 0])], [2])
    >>> rows.add([np.array([2, 1])], [3], np.array([5, 0]))
    >>> rows.merge()
    >>> [(column.tolist(), weights.tolist()) for (column,), weights in rows.parts()]
    [([0, 1, 2], [2, 1, 5])]
    """

    def __init__(self, heed: Callable[[], None] = lambda: None) -> None:
        """``heed`` is called during long work, which it ends by raising an error."""
        self.heed = heed
        self.layout = Layout([])
        self.runs: list[Run] = []
        self._held = 0
        self._merged = 0

    def __len__(self) -> int:
        """Number of rows held; some may be equal until :meth:`merge` is called."""
        return self._held

    @property
    def bytes(self) -> int:
        """Memory that the rows take."""
        return sum(run.weights.nbytes for run in self.runs) + 8 * self.layout.words * len(self)

    def add(self, columns: Sequence[Codes], sizes: Sequence[int], weights: Weights | None = None) -> None:
        """Add rows by column. The sizes say how many codes there are; they may grow from call to call."""
        if not self.runs:
            self.layout = Layout(sizes)
        elif any(size > room for size, room in zip(sizes, self.layout.sizes, strict=True)):
            self._widen(sizes)
        run = merge_equal(self.layout.pack(columns), weights)
        self.runs.append(run)
        self._held += len(run)

    @property
    def has_doubled(self) -> bool:
        """Whether it may pay to merge the rows."""
        return len(self) > max(FEW_ROWS, 2 * self._merged)

    def merge(self) -> None:
        """Merge all equal rows, and put the rows in order."""
        self.runs = merge_runs(self.runs, self.heed)
        self._held = self._merged = sum(map(len, self.runs))

    def parts(self) -> Iterator[tuple[list[Codes], Weights]]:
        """The rows by column with their weights, some at a time."""
        for run in self.runs:
            self.heed()
            yield self.layout.unpack(run.words), run.weights

    def taken_parts(self) -> Iterator[tuple[list[Codes], Weights]]:
        """Like :meth:`parts`, but each part is gone from here when it has been given."""
        self.runs.reverse()
        while self.runs:
            self.heed()
            run = self.runs.pop()
            yield self.layout.unpack(run.words), run.weights

    def _widen(self, sizes: Sequence[int]) -> None:
        """Make room for more codes: twice as many as needed, so that it seldom has to be done."""
        rooms = [
            room if size <= room else 2 * size for size, room in zip(sizes, self.layout.sizes, strict=True)
        ]
        wider = Layout(rooms)
        for index, run in enumerate(self.runs):
            self.runs[index] = Run(wider.pack(self.layout.unpack(run.words)), run.weights)
        self.layout = wider


def recoded(rows: DistinctRows, places: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> DistinctRows:
    """Take the rows over with new codes, in order and merged; rows with a code that goes to −1 go."""
    found = DistinctRows(rows.heed)
    dropping = [column for column, place in enumerate(places) if len(place) and place.min() < 0]
    for columns, weights in rows.taken_parts():
        if dropping:
            kept = np.logical_and.reduce([places[i][columns[i]] >= 0 for i in dropping])
            columns, weights = [column[kept] for column in columns], weights[kept]
        mapped = [
            place.astype(code_type(size))[column]
            for place, size, column in zip(places, sizes, columns, strict=True)
        ]
        found.add(mapped, sizes, weights)
        if found.has_doubled:
            found.merge()
    found.merge()
    return found


def deduplicated(
    columns: Sequence[Codes], sizes: Sequence[int], weights: Weights
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
    """Rows in lexicographic order, equal ones merged, those of weight zero left out.

    >>> deduplicated([np.array([1, 0, 1]), np.array([0, 1, 0])], [2, 2], np.array([1, 2, 3]))
    (array([[0, 1],
           [1, 0]], dtype=uint8), array([2, 4]))
    """
    rows = DistinctRows()
    rows.add(columns, sizes, weights)
    return as_matrix(rows)


def as_matrix(rows: DistinctRows) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
    """Merged rows as one matrix of codes with weights, without rows of weight zero; the rows are used up."""
    count = sum(int(np.count_nonzero(run.weights)) for run in rows.runs)
    sizes = rows.layout.sizes
    codes = np.empty((count, len(sizes)), dtype=code_type(max(sizes)))
    weights = np.empty(count, dtype=np.int64)
    end = 0
    for columns, some in rows.taken_parts():
        occurring = some > 0
        start, end = end, end + int(np.count_nonzero(occurring))
        weights[start:end] = some[occurring]
        for index, column in enumerate(columns):
            codes[start:end, index] = column[occurring]
    return codes, weights
