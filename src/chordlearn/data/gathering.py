"""Batches of rows in, distinct coded rows out: a table passes through once and need not fit in memory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.counts import all_zero, refuse_too_many, whole_numbers
from chordlearn.data.distinct import DistinctRows, recoded
from chordlearn.data.labels import as_labels, has_no_labels, labels_of_columns
from chordlearn.data.packing import Codes, code_type
from chordlearn.data.table import WEIGHT
from chordlearn.data.together import TOGETHER, coded_together
from chordlearn.data.vocabulary import Values, Vocabulary, factorize
from chordlearn.errors import InputError, StoppedError, TooLargeError, option
from chordlearn.system.memory import available_bytes

if TYPE_CHECKING:
    import polars as pl

MOST_LABELS = 1 << 20
"""A column with more is no variable, whatever the rest of it holds, unless it is cut into intervals."""
BYTES_PER_LABEL = 100
LONG_BATCH = 1 << 16
"""Batches of so many rows are worth the start of threads."""


@dataclass(frozen=True)
class Watch:
    """What reading tells and heeds."""

    progress: Callable[[int], None] | None = None
    """Called with the number of rows read so far, after each batch."""
    deadline: float | None = None
    """Of time.monotonic; reading ends with an error when it has passed."""
    memory_bytes: float | None = None
    """What may be used; by default what is free."""

    def passed(self, rows: int) -> None:
        """Tell how many rows have been read, and stop if time is up."""
        if self.progress is not None:
            self.progress(rows)
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise StoppedError(
                f"Time was up when {rows:,} rows had been read; allow more, or read fewer columns."
            )


@dataclass(frozen=True)
class Gathered:
    """The rows of some columns, merged as far as it paid, and the labels that their codes index."""

    rows: DistinctRows
    labels: list[pl.Series]
    """A label may have several codes; where it is null, the value is missing."""
    table_rows: int
    """How many rows were read, whatever their counts."""
    hopeless: tuple[str, ...] = ()
    """Columns with so many values that the rest was not read."""
    no_labels: Mapping[str, str] = field(default_factory=dict)
    """The types of columns whose values are no labels; these are taken for missing."""


class Gathering:
    """Codes batches one after the other.

    >>> import polars as pl
    >>> gathering = Gathering("it", ["a"], None, [False])
    >>> gathering.add(pl.DataFrame({"0": ["x", "y", "x"]}))
    >>> gathering.vocabularies[0].size, len(gathering.rows)
    (2, 2)
    """

    def __init__(
        self,
        shown: str,
        names: Sequence[str],
        counts: str | None,
        cut: Sequence[bool],
        watch: Watch = Watch(),
    ) -> None:
        """Name the table, its columns and the column of counts, and say which columns may be cut."""
        self.shown = shown
        self.names = names
        self.counts = counts
        self.cut = cut
        self.rows = DistinctRows(lambda: watch.passed(self.read))
        self.read = 0
        self.observations = 0.0
        self.vocabularies = [Vocabulary() for _ in names]
        self._values = [Values() for _ in names]
        self.no_labels: dict[str, str] = {}
        self._apart: set[int] = set()
        """The first columns of groups that cannot be coded together."""

    def add(self, batch: pl.DataFrame) -> None:
        """Take in rows of the columns "0", "1", … and, after them, of the counts."""
        import polars as pl

        weights = batch[WEIGHT].to_numpy() if WEIGHT in batch.columns else None
        self.read += batch.height if weights is None else int(weights.sum())
        if self.counts is not None:
            weights = self._weighted(batch[str(len(self.names))], weights)
        columns = [batch[str(index)] for index in range(len(self.names))]
        for place, column in enumerate(columns):
            if has_no_labels(column.dtype):
                self.no_labels[self.names[place]] = str(column.dtype)
                columns[place] = pl.repeat(None, len(column), dtype=pl.String, eager=True)
        coded = self._coded(columns)
        self.rows.add(coded, self.sizes, weights)
        if self.rows.has_grown or any(vocabulary.has_grown for vocabulary in self.vocabularies):
            self.settle()

    @property
    def sizes(self) -> list[int]:
        """How many codes each column has."""
        return [vocabulary.size for vocabulary in self.vocabularies]

    def settle(self) -> None:
        """Give equal labels one code, and merge equal rows."""
        sizes = self.sizes
        places = [vocabulary.unify() for vocabulary in self.vocabularies]
        if all(place is None for place in places):
            self.rows.merge()
            return
        complete = [
            np.arange(size) if place is None else place for place, size in zip(places, sizes, strict=True)
        ]
        self.rows = recoded(self.rows, complete, self.sizes)
        self.rows.merge()

    def _coded(self, columns: Sequence[pl.Series]) -> list[Codes]:
        if len(columns[0]) < LONG_BATCH:
            if len(columns) >= TOGETHER:
                return self._coded_in_groups(columns)
            found = [values.factorize(column) for values, column in zip(self._values, columns, strict=True)]
            return [
                codes[places] for codes, places in zip(self._codes(found), (p for _, p in found), strict=True)
            ]
        with ThreadPoolExecutor() as pool:
            found = list(pool.map(Values.factorize, self._values, columns))
            return list(pool.map(np.take, self._codes(found), [places for _, places in found]))

    def _coded_in_groups(self, columns: Sequence[pl.Series]) -> list[Codes]:
        coded: list[Codes] = []
        for first in range(0, len(columns), TOGETHER):
            group = slice(first, first + TOGETHER)
            found = None
            if first not in self._apart:
                found = coded_together(columns[group], self.vocabularies[group], self.names[first])
            if found is None:
                self._apart.add(first)
                found = [
                    vocabulary.codes(as_labels(values, name))[places]
                    for vocabulary, name, (values, places) in zip(
                        self.vocabularies[group],
                        self.names[group],
                        map(Values.factorize, self._values[group], columns[group]),
                        strict=True,
                    )
                ]
            coded += found
        return coded

    def _codes(self, found: Sequence[tuple[pl.Series, Codes]]) -> list[Codes]:
        labels = labels_of_columns([values for values, _ in found], self.names)
        return [vocabulary.codes(some) for vocabulary, some in zip(self.vocabularies, labels, strict=True)]

    def _weighted(self, column: pl.Series, weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
        assert self.counts is not None
        values, places = factorize(column)
        numbers = whole_numbers(as_labels(values, self.counts), self.counts)
        sums = np.bincount(places, weights, minlength=len(numbers))
        self.observations += float(sums @ numbers)
        refuse_too_many(self.observations, self.counts)
        counts = numbers.astype(np.int64)[places]
        return counts if weights is None else counts * weights

    @property
    def hopeless(self) -> tuple[str, ...]:
        """The columns with more labels than any variable may have."""
        if self._many_labels():
            self.settle()
        return self._many_labels()

    def _many_labels(self) -> tuple[str, ...]:
        sized = zip(self.names, self.sizes, self.cut, strict=True)
        return tuple(name for name, size, cut in sized if size > MOST_LABELS and not cut)

    def refuse_too_large(self, usable: float) -> None:
        """Refuse rows or labels that will not fit in so many bytes."""
        if self._needed() <= usable:
            return
        self.settle()
        if self._needed() <= usable:
            return
        so_far = f"among the first {self.read:,} rows of {self.shown}"
        limits = f"about {self._needed() / 1e9:.2g} GB of memory, but {usable / 1e9:.2g} GB may be used"
        if sum(self.sizes) * BYTES_PER_LABEL > self._needed() / 2:
            most, name = max(zip(self.sizes, self.names, strict=True))
            raise TooLargeError(
                f"Column {name!r} has {most:,} different values {so_far}, and all values need {limits}; "
                f"round its values, or use {option('drop', name)}."
            )
        raise TooLargeError(
            f"There are {len(self.rows):,} distinct rows {so_far}, and they need {limits}; "
            f"keep fewer columns ({option('columns')}, {option('drop')}), or gather states."
        )

    def _needed(self) -> float:
        """What merging the rows, or writing them out as codes beside what is held, will take."""
        row = 8 + len(self.names) * code_type(max(self.sizes)).itemsize
        return (
            self.rows.bytes + max(self.rows.bytes, len(self.rows) * row) + sum(self.sizes) * BYTES_PER_LABEL
        )


def gather(
    batches: Iterable[pl.DataFrame],
    shown: str,
    names: Sequence[str],
    counts: str | None,
    cut: Sequence[bool],
    watch: Watch,
) -> Gathered:
    """Gather the distinct rows of all batches; the arguments are those of :class:`Gathering`."""
    usable = min(available_bytes(), math.inf if watch.memory_bytes is None else watch.memory_bytes)
    gathering = Gathering(shown, names, counts, cut, watch)
    watch.passed(0)
    for batch in batches:
        gathering.add(batch)
        watch.passed(gathering.read)
        gathering.refuse_too_large(usable)
        if gathering.hopeless:
            break
    if gathering.read == 0:
        raise InputError(f"{shown} has no data rows; give a table with observations.")
    if counts is not None and gathering.observations == 0:
        raise all_zero(counts)
    labels = [vocabulary.labels for vocabulary in gathering.vocabularies]
    return Gathered(gathering.rows, labels, gathering.read, gathering.hopeless, gathering.no_labels)
