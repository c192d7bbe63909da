"""Text tables whose quoted values may go over several lines: one record at a time."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from chordlearn.data.blocks import TextSource, line_number
from chordlearn.data.encoding import in_windows, windows_note
from chordlearn.data.header import WHITESPACE
from chordlearn.data.lines import ragged
from chordlearn.data.table import WEIGHT, batch_rows
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Record = tuple[int, list[str]]
"""The number of its first line, and its fields."""


def records(source: TextSource, delimiter: str, start: int) -> Iterator[Record]:
    """All records from a line on that begins after so many bytes."""
    with source.open() as binary:
        binary.seek(start)
        stream = io.TextIOWrapper(binary, encoding="utf-8", errors="surrogateescape", newline="")
        reader = csv.reader(
            _decoded(stream, source),
            delimiter=delimiter,
            strict=True,
            skipinitialspace=delimiter == WHITESPACE,
        )
        before = line_number(source, start)
        first = before
        try:
            for record in reader:
                if delimiter == WHITESPACE and record and not record[-1]:
                    # A space at the end of the line.
                    record.pop()
                if any(field.strip() for field in record) or len(record) > 1:
                    yield first, record
                first = before + reader.line_num
        except csv.Error as error:
            raise InputError(
                f"{source.shown} cannot be read from line {first} on ({error}); check the quotes there."
            ) from None


def _decoded(lines: Iterable[str], source: TextSource) -> Iterator[str]:
    for line in lines:
        text = in_windows(line)
        if text is not line:
            source.note(windows_note(source.shown))
        yield text


def record_batches(
    found: Iterator[Record], source: TextSource, positions: Sequence[int], width: int
) -> Iterator[pl.DataFrame]:
    """The chosen fields of records, equal ones merged, batch by batch."""
    import polars as pl

    schema = {str(index): pl.String for index in range(len(positions))}
    while some := list(islice(found, batch_rows(width))):
        counted: Counter[tuple[str, ...]] = Counter()
        for number, record in some:
            if len(record) != width:
                raise ragged(source, number, len(record), width)
            counted[tuple(record[position] for position in positions)] += 1
        rows = pl.DataFrame(list(counted), schema=schema, orient="row")
        yield rows.with_columns(pl.Series(WEIGHT, list(counted.values()), dtype=pl.Int64))


def ordered_records(
    found: Iterator[Record], source: TextSource, positions: Sequence[int], width: int
) -> pl.DataFrame:
    """The chosen fields of all records in their order."""
    import polars as pl

    columns: list[list[str]] = [[] for _ in positions]
    for number, record in found:
        if len(record) != width:
            raise ragged(source, number, len(record), width)
        for column, position in zip(columns, positions, strict=True):
            column.append(record[position])
    return pl.DataFrame({str(index): column for index, column in enumerate(columns)})
