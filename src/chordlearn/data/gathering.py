"""Batches of rows in, distinct coded rows out: a table passes through once and need not fit in memory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import Tally, Vocabulary, as_labels, coded, has_no_labels, labels_of
from chordlearn.data.counts import all_zero, refuse_too_many, weight_numbers, whole_numbers
from chordlearn.data.distinct import DistinctRows, code_type
from chordlearn.data.fractions import of_units
from chordlearn.data.tables import WEIGHT
from chordlearn.errors import InputError, StoppedError, TooLargeError, option
from chordlearn.system.memory import available_bytes

if TYPE_CHECKING:
    import polars as pl

MOST_LABELS = 1 << 20
"""A column with more is no variable, whatever the rest of it holds, unless it is cut into intervals."""
BYTES_PER_LABEL = 100


@dataclass(frozen=True)
class Watch:
    """The progress function of a reading, and its limits."""

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
    hopeless: tuple[str, ...]
    """Columns with so many values that the rest was not read."""
    no_labels: Mapping[str, str]
    """The types of columns whose values are no labels; these are taken for missing."""
    unit: float | None = None
    """What a weight of one in ``rows`` stands for, if observations are weighted by a column of weights."""

    def tallies(self, *, complete: bool = False) -> list[Tally]:
        """Count the labels of each column in all rows, or in those that have all values."""
        absent = {
            column: labels.is_null().to_numpy()
            for column, labels in enumerate(self.labels)
            if complete and labels.null_count()
        }
        found = [
            Tally(labels, np.zeros(len(labels), dtype=bool), np.zeros(len(labels), dtype=np.int64))
            for labels in self.labels
        ]
        for columns, weights in self.rows.parts():
            if absent:
                kept = ~np.logical_or.reduce([gone[columns[column]] for column, gone in absent.items()])
                columns, weights = [column[kept] for column in columns], weights[kept]
            for column, one in zip(columns, found, strict=True):
                one.occurs[column] = True
                # Sums of fewer than 2^53 observations are exact as floats too.
                one.counts[:] += np.bincount(column, weights, len(one.counts)).astype(np.int64)
        if self.unit is not None:
            found = [Tally(one.labels, one.occurs, of_units(one.counts, self.unit)) for one in found]
        return found


class _Gathering:
    def __init__(
        self,
        shown: str,
        names: Sequence[str],
        counts: str | None,
        unit: float | None,
        cut: Sequence[bool],
        watch: Watch,
    ) -> None:
        self.shown = shown
        self.names = names
        self.counts = counts
        self.unit = unit
        self.cut = cut
        self.rows = DistinctRows(lambda: watch.passed(self.read))
        self.read = 0
        self.observations = 0.0
        self.vocabularies = [Vocabulary() for _ in names]
        self.no_labels: dict[str, str] = {}

    def add(self, batch: pl.DataFrame) -> None:
        """Take in rows of the columns "0", "1", … and, after them, of the counts."""
        import polars as pl

        weights = batch[WEIGHT].to_numpy() if WEIGHT in batch.columns else None
        self.read += batch.height if weights is None else int(weights.sum())
        if self.counts is not None:
            weights = self._weighted(batch[str(len(self.names))], weights)
            if self.unit is not None and not weights.all():
                # A count of 0 declares states; a weight of 0 leaves a row out.
                batch, weights = batch.filter(pl.Series(weights > 0)), weights[weights > 0]
        columns = batch[:, : len(self.names)]
        unusable = [name for name, dtype in columns.schema.items() if has_no_labels(dtype)]
        self.no_labels |= {self.names[int(name)]: str(columns[name].dtype) for name in unusable}
        columns = columns.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in unusable)
        self.rows.add(coded(columns, self.vocabularies), self.sizes, weights)
        if self.rows.has_grown:
            self.rows.merge()

    @property
    def sizes(self) -> list[int]:
        """How many codes each column has."""
        return [vocabulary.size for vocabulary in self.vocabularies]

    def _weighted(self, column: pl.Series, weights: NDArray[np.int64] | None) -> NDArray[np.int64]:
        assert self.counts is not None
        labels = as_labels(column, self.counts)
        if self.unit is None:
            numbers = whole_numbers(labels, self.counts)
        else:
            numbers = np.rint(weight_numbers(labels, self.counts) / self.unit)
        self.observations += float(numbers.sum() if weights is None else weights @ numbers)
        refuse_too_many(self.observations, self.counts)
        counts = numbers.astype(np.int64)
        return counts if weights is None else counts * weights

    @property
    def hopeless(self) -> tuple[str, ...]:
        """The columns with more labels than any variable may have."""
        sized = zip(self.names, self.sizes, self.cut, strict=True)
        return tuple(name for name, size, cut in sized if size > MOST_LABELS and not cut)

    def refuse_too_large(self, usable: float) -> None:
        """Refuse rows or labels that will not fit in so many bytes."""
        if self._needed() <= usable:
            return
        self.rows.merge()
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
    unit: float | None,
    cut: Sequence[bool],
    watch: Watch,
) -> Gathered:
    """Gather the distinct rows of all batches.

    The names are those of the table, its columns and the column of counts, which are weights if they have a
    unit; the columns to cut may have any number of values.
    """
    usable = min(available_bytes(), math.inf if watch.memory_bytes is None else watch.memory_bytes)
    gathering = _Gathering(shown, names, counts, unit, cut, watch)
    watch.passed(0)
    for batch in batches:
        if batch.height:
            gathering.add(batch)
        watch.passed(gathering.read)
        gathering.refuse_too_large(usable)
        if gathering.hopeless:
            break
    if gathering.read == 0:
        raise InputError(f"{shown} has no data rows; give a table with observations.")
    if counts is not None and gathering.observations == 0:
        raise all_zero(counts)
    labels = labels_of(gathering.vocabularies)
    return Gathered(gathering.rows, labels, gathering.read, gathering.hopeless, gathering.no_labels, unit)
