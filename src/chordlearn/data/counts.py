"""A column of counts: how many observations each row stands for, as in a contingency table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 2.0**53
"""Counts beyond this could not be added exactly."""


def row_counts(labels: pl.Series, name: str) -> NDArray[np.int64]:
    """The counts in a column of labels; refuses what is no count, none at all, and too many."""
    numbers = whole_numbers(labels, name)
    refuse_too_many(float(numbers.sum()), name)
    if not numbers.any():
        raise all_zero(name)
    return numbers.astype(np.int64)


def whole_numbers(labels: pl.Series, name: str) -> NDArray[np.float64]:
    """Read labels as counts; refuses what is none.

    >>> import polars as pl
    >>> whole_numbers(pl.Series(["3", "1e2"]), "n")
    array([  3., 100.])
    """
    import polars as pl

    numbers = labels.cast(pl.Float64, strict=False)
    sound = numbers.is_not_null() & numbers.is_finite() & (numbers >= 0) & (numbers == numbers.floor())
    bad = labels.filter(~sound.fill_null(False))
    if len(bad):
        shown = repr(bad.sort(nulls_last=True)[0]) if bad.null_count() < len(bad) else "a missing value"
        raise InputError(
            f"Column {name!r} holds {shown}, which is no count; "
            "--counts needs a column of whole numbers from 0 up."
        )
    return numbers.to_numpy()


def refuse_too_many(observations: float, name: str) -> None:
    """Refuse counts whose sum would not be exact."""
    if observations > MOST_ROWS:
        raise InputError(f"The counts in column {name!r} add up to more than 2^53; scale them down.")


def all_zero(name: str) -> InputError:
    """The sentence for a table of which nothing is counted."""
    return InputError(f"All counts in column {name!r} are zero; give at least one row a positive count.")
