"""What every reader hands over: column names, and on request the rows of some columns, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

WEIGHT = "weight"
BATCH_VALUES = 1 << 23
"""How many values a batch may have, so that it takes some 100 MB."""
MOST_BATCH_ROWS = 1 << 20

Batches = Callable[[Sequence[int], bool], "Iterator[pl.DataFrame]"]


@dataclass(frozen=True)
class RawTable:
    """A table that has been opened but not yet coded."""

    names: list[str]
    batches: Batches
    """All rows of the columns at these positions, some at a time, named "0", "1", … in that order.

    Every row in the source's order if that is asked for. Otherwise equal rows may have been merged; then the
    column `weight` says how many rows of the source each stands for.
    """
    declared: dict[int, list[str]] = field(default_factory=dict)
    """Labels that belong to a column whether or not they occur, by position."""
    notes: Callable[[], Sequence[str]] = tuple
    """What was decided about its text, a sentence each; known when rows have been read."""


@dataclass(frozen=True)
class OpenTable:
    """A table, how to name it, and the column of its counts, if it is known to have one."""

    table: RawTable
    shown: str
    counts: str | None = None
    is_file: bool = False
    """Whether the name is what a command takes: a path, a pattern or a bundled set."""


def batch_rows(columns: int) -> int:
    """How many rows of so many columns make a batch."""
    return max(1, min(MOST_BATCH_ROWS, BATCH_VALUES // max(columns, 1)))


def sliced_rows(frame: pl.LazyFrame, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of a frame that can be read from any row on, a batch at a time."""
    chosen = numbered(frame, columns)
    step = batch_rows(len(columns))
    start = 0
    while True:
        batch = chosen.slice(start, step).collect()
        if batch.height:
            yield batch
        if batch.height < step:
            return
        start += step


def numbered(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """Some columns of a frame, named by their position among them."""
    import polars as pl

    return frame.select([pl.col(name).alias(str(index)) for index, name in enumerate(columns)])
