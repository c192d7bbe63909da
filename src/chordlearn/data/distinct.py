"""Distinct rows with their weights, gathered batch by batch in little more memory than they take.

Each batch becomes a run. When there are many more rows than after the last time, the runs are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.packing import Codes, Layout, code_type
from chordlearn.data.runs import Run, Weights, merge_equal, merged
from chordlearn.system.memory import release_freed

FEW_ROWS = 1 << 21
"""Fewer rows in all are not worth merging before the end."""
UNPACKED_ROWS = 1 << 14
"""So many are written out at a time, because a processor's cache holds them."""


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
        self._enough = FEW_ROWS

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
    def has_grown(self) -> bool:
        """Whether it may pay to merge: the rows have doubled, or doubled twice if it did not pay before."""
        return len(self) > self._enough

    def merge(self) -> None:
        """Merge all equal rows, and put the rows in order."""
        before = len(self)
        self.runs = list(merged(self.runs, self.heed))
        self._held = sum(map(len, self.runs))
        self._enough = max(FEW_ROWS, (2 if len(self) < 0.9 * before else 4) * len(self))

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
    """Take the rows over with new codes; rows with a code that becomes −1 are left out."""
    found = DistinctRows(rows.heed)
    dropping = [column for column, place in enumerate(places) if len(place) and place.min() < 0]
    may_merge = any(np.count_nonzero(place >= 0) > size for place, size in zip(places, sizes, strict=True))
    for columns, weights in rows.taken_parts():
        if dropping:
            kept = np.logical_and.reduce([places[i][columns[i]] >= 0 for i in dropping])
            columns, weights = [column[kept] for column in columns], weights[kept]
        mapped = [
            place.astype(code_type(size))[column]
            for place, size, column in zip(places, sizes, columns, strict=True)
        ]
        found.add(mapped, sizes, weights)
        if may_merge and found.has_grown:
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
    """The rows merged into one matrix of codes, with weights above zero; they are used up."""
    sizes = rows.layout.sizes
    # Memory is taken as it is filled, so that room for rows that turn out to be equal costs nothing.
    codes = np.empty((len(rows), len(sizes)), dtype=code_type(max(sizes)))
    weights = np.empty(len(rows), dtype=np.int64)
    is_large = len(rows) > FEW_ROWS
    if is_large:
        release_freed()
    end = 0
    for run in merged(rows.runs, rows.heed):
        for first in range(0, len(run), UNPACKED_ROWS):
            part = run.between(first, first + UNPACKED_ROWS)
            occurring = part.weights > 0
            start, end = end, end + int(np.count_nonzero(occurring))
            weights[start:end] = part.weights[occurring]
            for index, column in rows.layout.each(part.words):
                codes[start:end, index] = column[occurring]
    rows.runs = []
    if is_large:
        release_freed()
    codes.resize((end, len(sizes)), refcheck=False)
    weights.resize(end, refcheck=False)
    return codes, weights
