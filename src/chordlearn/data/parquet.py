"""Parquet files: only the columns asked for are read, a batch of rows at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chordlearn._core import pages_are_sound
from chordlearn.data.labels import declared_labels
from chordlearn.data.table import RawTable, ordered_rows, sliced_rows
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def scan_parquet(content: Path | bytes, shown: str) -> pl.LazyFrame:
    """A Parquet file, or its content, for use within :func:`sound_parquet`."""
    import polars as pl

    raw = (
        np.frombuffer(content, np.uint8) if isinstance(content, bytes) else np.memmap(content, np.uint8, "r")
    )
    if not pages_are_sound(raw):
        raise _damaged(shown)
    return pl.scan_parquet(io.BytesIO(content) if isinstance(content, bytes) else content, glob=False)


@contextmanager
def sound_parquet(shown: str) -> Iterator[None]:
    """Whatever a damaged file leads to becomes one sentence."""
    import polars as pl

    # A damaged file can make the decoder panic, which is no ordinary exception.
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise _damaged(shown) from None


def _damaged(shown: str) -> InputError:
    return InputError(f"{shown} is not a Parquet file or is damaged; write it again.")


def open_parquet(content: Path | bytes, shown: str) -> RawTable:
    """Open a Parquet file, or its content."""
    with sound_parquet(shown):
        scan = scan_parquet(content, shown)
        schema = scan.collect_schema()
    names = schema.names()

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        with sound_parquet(shown):
            yield from sliced_rows(scan, [names[position] for position in positions])

    def ordered(positions: Sequence[int]) -> pl.DataFrame:
        with sound_parquet(shown):
            return ordered_rows(scan, [names[position] for position in positions])

    return RawTable([name.strip() for name in names], batches, declared_labels(schema), ordered)
