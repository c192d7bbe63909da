"""Parquet files: only the columns asked for are read, a batch of rows at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chordlearn.data.labels import declared_labels
from chordlearn.data.panics import quiet_panics
from chordlearn.data.table import RawTable, ordered_rows, sliced_rows
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def open_parquet(content: Path | bytes, shown: str) -> RawTable:
    """Open a Parquet file, or its content."""
    import polars as pl

    scan = pl.scan_parquet(io.BytesIO(content) if isinstance(content, bytes) else content, glob=False)
    with _sound(shown), quiet_panics():
        schema = scan.collect_schema()
    names = schema.names()

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        with _sound(shown):
            rows = sliced_rows(scan, [names[position] for position in positions])
            while (batch := _next(rows)) is not None:
                yield batch

    def ordered(positions: Sequence[int]) -> pl.DataFrame:
        with _sound(shown), quiet_panics():
            return ordered_rows(scan, [names[position] for position in positions])

    return RawTable([name.strip() for name in names], batches, declared_labels(schema), ordered)


def _next(batches: Iterator[pl.DataFrame]) -> pl.DataFrame | None:
    with quiet_panics():
        return next(batches, None)


@contextmanager
def _sound(shown: str) -> Iterator[None]:
    import polars as pl

    # A damaged file can make the decoder panic, which is no ordinary exception.
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise InputError(f"{shown} is not a Parquet file or is damaged; write it again.") from None
