"""Distinct rows with their weights, gathered batch by batch in little more memory than they take.

Rows of codes are packed into a few 64-bit words each, so that ordering rows is ordering numbers. Each batch
becomes a run: its rows in ascending order, all different. When there are many more rows than after the last
time, the runs are merged. (polars' group-by took six times the processor time and three times the memory
where all rows differ.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.fractions import Weights, in_units, of_units, unit_of
from chordlearn.system.memory import release_freed

Codes = NDArray[np.integer]
Words = list[NDArray[np.int64]]
Units = NDArray[np.integer]

FEW_ROWS = 1 << 21
"""Fewer rows in all are not worth merging before the end."""
UNPACKED_ROWS = 1 << 14
"""So many are written out at a time, because a processor's cache holds them."""
RANGE_WORDS = 1 << 20
"""About how many words are merged at a time."""
SAMPLES = 64
"""How many rows of each such range are looked at to find it."""

_ROOM = 1 << 62


def code_type(size: int) -> np.dtype[np.unsignedinteger]:
    """The smallest type that holds the codes of so many states."""
    return np.min_scalar_type(max(size - 1, 0))


class Layout:
    """Where each column lies in the words, given how many codes it has; the first column counts most.

    >>> words = Layout([2, 10]).pack([np.array([0, 1]), np.array([7, 3])])
    >>> words
    [array([ 7, 13])]
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.words: list[list[int]] = []
        room = 0
        for column, size in enumerate(self.sizes):
            if size > room:
                self.words.append([])
                room = _ROOM
            self.words[-1].append(column)
            room //= max(size, 1)

    def pack(self, columns: Sequence[Codes]) -> Words:
        """Pack columns of equal length."""
        words = []
        for members in self.words:
            word = columns[members[0]].astype(np.int64)
            for column in members[1:]:
                word *= self.sizes[column]
                word += columns[column]
            words.append(word)
        return words

    def unpack(self, words: Words) -> list[Codes]:
        """The columns again, each in the smallest type that holds its codes."""
        columns = {column: codes.astype(code_type(self.sizes[column])) for column, codes in self.each(words)}
        return [columns[column] for column in range(len(self.sizes))]

    def each(self, words: Words) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Every column with its position, one at a time and in no particular order."""
        for word, members in zip(words, self.words, strict=True):
            left = word
            for column in reversed(members[1:]):
                size = self.sizes[column]
                quotient = left // size
                yield column, left - quotient * size
                left = quotient
            yield members[0], left


@dataclass(frozen=True)
class Run:
    """Packed rows in ascending order, all different, and how many observations each stands for."""

    words: Words
    weights: Units

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.weights)

    def between(self, start: int, end: int) -> Run:
        """The rows from one position up to another."""
        return Run([word[start:end] for word in self.words], self.weights[start:end])


def merge_equal(words: Words, weights: Units | None = None) -> Run:
    """Sort rows and add up the weights of equal ones (one each if not given).

    >>> merge_equal([np.array([5, 3, 5])], np.array([1, 2, 300]))
    Run(words=[array([3, 5])], weights=array([  2, 301], dtype=uint16))
    """
    import polars as pl

    if len(words[0]) == 0:
        return Run(words, np.empty(0, dtype=np.uint8))
    if weights is not None and weights.min() == weights.max() == 1:
        weights = None
    if weights is None and len(words) == 1:
        words = [pl.Series(words[0]).sort().to_numpy()]
    else:
        # Rows that come in sorted stretches are merged, not sorted anew.
        order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
        words = [word[order] for word in words]
        weights = None if weights is None else weights[order]
    differs = np.ones(len(words[0]), dtype=bool)
    differs[1:] = np.logical_or.reduce([word[1:] != word[:-1] for word in words])
    starts = np.flatnonzero(differs)
    if weights is None:
        sums = np.diff(starts, append=len(differs))
    elif len(starts) == len(weights):
        return Run(words, weights)
    else:
        sums = np.add.reduceat(weights, starts, dtype=np.int64)
    return Run([word[starts] for word in words], sums.astype(code_type(int(sums.max()) + 1)))


def merged(runs: Sequence[Run], check: Callable[[], None]) -> Iterator[Run]:
    """Merge runs into runs that follow one another in ascending order, a range of rows at a time."""
    runs = [run for run in runs if len(run)]
    if len(runs) <= 1:
        yield from runs
        return
    # First words that cut the rows of all runs into ranges of about equal size.
    step = max(1, RANGE_WORDS // len(runs[0].words) // SAMPLES)
    sample = np.sort(np.concatenate([run.words[0][::step] for run in runs]))
    cuts = np.unique(sample[SAMPLES::SAMPLES])
    places = [[0, *np.searchsorted(run.words[0], cuts).tolist(), len(run)] for run in runs]
    for index in range(len(cuts) + 1):
        check()
        parts = [run.between(*place[index : index + 2]) for run, place in zip(runs, places, strict=True)]
        parts = [part for part in parts if len(part)]
        if parts:
            words = [np.concatenate(pieces) for pieces in zip(*(part.words for part in parts), strict=True)]
            yield merge_equal(words, np.concatenate([part.weights for part in parts]))


class DistinctRows:
    """Distinct rows of codes, gathered batch by batch. Rows of weight zero count as rows.

    >>> rows = DistinctRows()
    >>> rows.add([np.array([0, 1, 0])], [2])
    >>> rows.add([np.array([2, 1])], [3], np.array([5, 0]))
    >>> rows.merge()
    >>> [(column.tolist(), weights.tolist()) for (column,), weights in rows.parts()]
    [([0, 1, 2], [2, 1, 5])]
    """

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        """``check`` is called during long work, which it ends by raising an error."""
        self.check = check
        self.layout = Layout([])
        self.runs: list[Run] = []
        self._enough = FEW_ROWS

    def __len__(self) -> int:
        """Number of rows held; some may be equal until :meth:`merge` is called."""
        return sum(map(len, self.runs))

    @property
    def bytes(self) -> int:
        """Memory that the rows take."""
        return sum(run.weights.nbytes for run in self.runs) + 8 * len(self.layout.words) * len(self)

    def add(self, columns: Sequence[Codes], sizes: Sequence[int], weights: Units | None = None) -> None:
        """Add rows by column. The sizes say how many codes there are; they may grow from call to call."""
        if not self.runs:
            self.layout = Layout(sizes)
        elif any(size > room for size, room in zip(sizes, self.layout.sizes, strict=True)):
            # Room for twice as many codes as needed, so that it seldom has to be made.
            rooms = zip(sizes, self.layout.sizes, strict=True)
            wider = Layout([room if size <= room else 2 * size for size, room in rooms])
            for index, run in enumerate(self.runs):
                self.runs[index] = Run(wider.pack(self.layout.unpack(run.words)), run.weights)
            self.layout = wider
        self.runs.append(merge_equal(self.layout.pack(columns), weights))

    @property
    def has_grown(self) -> bool:
        """Whether it may pay to merge: the rows have doubled, or doubled twice if it did not pay before."""
        return len(self) > self._enough

    def merge(self) -> None:
        """Merge all equal rows, and put the rows in order."""
        before = len(self)
        self.runs = list(merged(self.runs, self.check))
        self._enough = max(FEW_ROWS, (2 if len(self) < 0.9 * before else 4) * len(self))

    def parts(self, *, take: bool = False) -> Iterator[tuple[list[Codes], Units]]:
        """The rows by column with their weights, some at a time; each part taken is then gone from here."""
        runs = self.runs if take else list(self.runs)
        runs.reverse()
        while runs:
            self.check()
            run = runs.pop()
            yield self.layout.unpack(run.words), run.weights


def recoded(rows: DistinctRows, places: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> DistinctRows:
    """Take the rows over with new codes; rows with a code that becomes −1 are left out."""
    found = DistinctRows(rows.check)
    dropping = [column for column, place in enumerate(places) if len(place) and place.min() < 0]
    may_merge = any(np.count_nonzero(place >= 0) > size for place, size in zip(places, sizes, strict=True))
    for columns, weights in rows.parts(take=True):
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
) -> tuple[NDArray[np.integer], Weights]:
    """Rows in lexicographic order, equal ones merged, those of weight zero left out; −1 is a gap.

    >>> deduplicated([np.array([1, -1, 1])], [2], np.array([1, 2, 3]))[0].tolist()
    [[-1], [1]]
    """
    rows, unit = DistinctRows(), unit_of(weights)
    gap = int(any(column.dtype.kind == "i" and bool((column < 0).any()) for column in columns))
    if gap:
        columns, sizes = [column + gap for column in columns], [size + gap for size in sizes]
    rows.add(columns, sizes, in_units(weights, unit))
    codes, units = as_matrix(rows)
    return codes.astype(np.int32) - gap if gap else codes, of_units(units, unit)


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
    for run in merged(rows.runs, rows.check):
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
    codes.setflags(write=False)
    weights.setflags(write=False)
    return codes, weights
