"""A column of counts or of weights: how many observations each row stands for, as in a contingency table."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.columns import IDENTIFIER, NO_LABELS, Judged
from chordlearn.data.distinct import DistinctRows
from chordlearn.data.fractions import Weights, finest_unit, rounded
from chordlearn.errors import InputError, option

if TYPE_CHECKING:
    import polars as pl

NO_COUNTS = "none"
"""Asks for no counts, also where a column has this name: that column cannot be one of counts."""
_COUNT = re.compile(r"counts?|cnt|freqs?|frequenc(?:y|ies)|anzahl|h(?:ä|ae)ufigkeit(?:en)?", re.IGNORECASE)
_PERHAPS = re.compile(
    r"n|num|number|weights?|total|occurrences"
    r"|(?:(?:n|num|number)[ _.]*(?:of[ _.]*)?)?(?:obs|observations|cases|people|persons|patients|subjects)",
    re.IGNORECASE,
)
"""Names of counts that are also names of other things."""

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
    return _numbers(labels, name, "counts", "whole numbers from 0 up", whole=True)


def _numbers(labels: pl.Series, name: str, what: str, needed: str, *, whole: bool) -> NDArray[np.float64]:
    import polars as pl

    numbers = labels.cast(pl.Float64, strict=False)
    sound = numbers.is_not_null() & numbers.is_finite() & (numbers >= 0)
    if whole:
        sound &= numbers == numbers.floor()
    bad = labels.filter(~sound.fill_null(False))
    if len(bad):
        shown = repr(bad.sort(nulls_last=True)[0]) if bad.null_count() < len(bad) else "a missing value"
        raise InputError(
            f"Column {name!r} holds {shown}, which is no {what[:-1]}; "
            f"{option(what)} needs a column of {needed}."
        )
    return numbers.to_numpy()


def row_weights(labels: pl.Series, name: str) -> Weights:
    """The weights in a column of labels, which need not be whole."""
    numbers = weight_numbers(labels, name)
    if not numbers.any():
        raise all_zero(name)
    return rounded(numbers)


def weight_numbers(labels: pl.Series, name: str) -> NDArray[np.float64]:
    """Read labels as weights; refuses what is none.

    >>> import polars as pl
    >>> weight_numbers(pl.Series(["3", "0.5"]), "w")
    array([3. , 0.5])
    """
    return _numbers(labels, name, "weights", "numbers from 0 up", whole=False)


def unit_of_weights(columns: Iterable[tuple[pl.Series, NDArray[np.int64] | None]], name: str) -> float:
    """The finest unit of a column of weights: its labels, and how often each occurs, batch by batch."""
    totals = []
    for labels, times in columns:
        numbers = weight_numbers(labels, name)
        totals.append(math.fsum((numbers if times is None else numbers * times).tolist()))
    total = math.fsum(totals)
    if total == 0:
        raise all_zero(name)
    refuse_too_many(total, name)
    return finest_unit(total)


def refuse_too_many(observations: float, name: str) -> None:
    """Refuse counts whose sum would not be exact."""
    if observations > MOST_ROWS:
        raise InputError(f"The numbers in column {name!r} add up to more than 2^53; scale them down.")


def all_zero(name: str) -> InputError:
    """The sentence for a table of which nothing is counted."""
    return InputError(f"All numbers in column {name!r} are zero; give at least one row a positive one.")


def may_count(name: str) -> bool:
    """Whether a column is named like counts.

    >>> [may_count(name) for name in ("Freq", "n", "number of cases", "country")]
    [True, True, True, False]
    """
    return bool(_COUNT.fullmatch(name) or _PERHAPS.fullmatch(name))


def counting_column(asked: Sequence[Judged], judged: Sequence[Judged], rows: DistinctRows) -> str | None:
    """The column among those asked about that seems to say how often each row occurs, if there is one.

    It is named like counts, holds whole numbers, and no combination of the other columns occurs twice,
    although that would be expected of single observations (if the name alone does not say enough).
    """
    candidates = [one for one in asked if may_count(one.name) and _holds_counts(one)]
    for one in sorted(candidates, key=lambda one: not _COUNT.fullmatch(one.name)):
        others = [
            index
            for index, other in enumerate(judged)
            if other is not one and other.verdict not in (IDENTIFIER, NO_LABELS)
        ]
        is_sure = _COUNT.fullmatch(one.name) is not None or _expected_pairs(judged, others) >= 1
        if others and is_sure and _all_differ(rows, judged, others):
            return one.name
    return None


def _holds_counts(one: Judged) -> bool:
    numbers = one.distinct_numbers
    return (
        not one.missing
        and len(numbers) == one.distinct > 0
        and bool(np.all((numbers >= 0) & (numbers % 1 == 0)))
        and 1 < numbers.max() < np.inf
    )


def _expected_pairs(judged: Sequence[Judged], others: Sequence[int]) -> float:
    """How many pairs of equal rows to expect if the columns were independent."""
    shares = [judged[index].column.counts / judged[index].column.counts.sum() for index in others]
    rows = float(judged[0].observations)
    return rows * (rows - 1) / 2 * float(np.prod([share @ share for share in shares]))


def _all_differ(rows: DistinctRows, judged: Sequence[Judged], others: Sequence[int]) -> bool:
    found = DistinctRows()
    total = 0
    sizes = [len(judged[index].column.states) for index in others]
    for columns, weights in rows.parts():
        total += int(weights.sum())
        found.add([judged[index].column.places[columns[index]] for index in others], sizes, weights)
    found.merge()
    return total > 1 and len(found) == total
