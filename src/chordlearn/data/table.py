"""What every reader hands over: column names, and on request the distinct rows of some columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

WEIGHT = "weight"


@dataclass(frozen=True)
class RawTable:
    """A table that has been opened but not yet coded."""

    names: list[str]
    distinct: Callable[[Sequence[int]], pl.DataFrame]
    """Rows of the columns at these positions, named "0", "1", … in that order, with a `weight` column.

    Rows may still repeat; the weights say how many rows of the source each stands for.
    """
    declared: dict[int, list[str]] = field(default_factory=dict)
    """Labels that belong to a column whether or not they occur, by position."""
    ordered: Callable[[Sequence[int]], pl.DataFrame] | None = None
    """Every row of the columns at these positions in the source's order, named "0", "1", … in that order."""


def distinct_rows(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Group equal rows of a lazy frame, streaming, before any value is looked at."""
    import polars as pl

    renamed = [pl.col(name).alias(str(index)) for index, name in enumerate(columns)]
    keys = [str(index) for index in range(len(columns))]
    grouped = frame.select(renamed).group_by(keys).agg(pl.len().cast(pl.Int64).alias(WEIGHT))
    return grouped.collect(engine="streaming")


def ordered_rows(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Every row of a lazy frame, in its order."""
    import polars as pl

    return frame.select([pl.col(name).alias(str(index)) for index, name in enumerate(columns)]).collect()
