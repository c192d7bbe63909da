"""Missing values: refused, left out with their rows, or a state of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.gathering import Gathered
from chordlearn.data.naming import listed
from chordlearn.errors import InputError

METHODS = ("error", "drop", "category")


@dataclass(frozen=True)
class Tally:
    """Which labels of a column occur in rows that count, and in how many observations."""

    occurs: NDArray[np.bool_]
    counts: NDArray[np.int64]


def tally(gathered: Gathered, names: Sequence[str], missing: str) -> list[Tally]:
    """Count the labels of each column, in complete rows only unless missing values make a category."""
    absent = [labels.index(None) if None in labels else None for labels in gathered.labels]
    incomplete = [column for column, code in enumerate(absent) if code is not None]
    if missing == "category" or not incomplete:
        return _tallies(gathered, {})
    amounts = dict.fromkeys(incomplete, 0)
    kept = 0
    for columns, weights in gathered.rows.parts():
        complete = np.ones(len(weights), dtype=bool)
        for column in incomplete:
            gone = columns[column] == absent[column]
            amounts[column] += int(weights[gone].sum())
            complete &= ~gone
        kept += int(weights[complete].sum())
    found = [f"{names[column]!r} ({amount})" for column, amount in amounts.items() if amount]
    if found and missing == "error":
        raise InputError(
            f"There are missing values in column{'s' * (len(found) > 1)} {listed(found)}; "
            "use --missing drop or --missing category."
        )
    if kept == 0:
        most = max(amounts, key=lambda column: amounts[column])
        raise InputError(
            f"Every row has a missing value (most in {names[most]!r}), "
            "so --missing drop leaves nothing; drop that column or use --missing category."
        )
    return _tallies(gathered, {column: code for column, code in enumerate(absent) if code is not None})


def _tallies(gathered: Gathered, left_out: dict[int, int]) -> list[Tally]:
    found = [
        Tally(np.zeros(len(labels), dtype=bool), np.zeros(len(labels), dtype=np.int64))
        for labels in gathered.labels
    ]
    for columns, weights in gathered.rows.parts():
        if left_out:
            complete = np.logical_and.reduce([columns[column] != code for column, code in left_out.items()])
            columns, weights = [column[complete] for column in columns], weights[complete]
        for column, one in zip(columns, found, strict=True):
            one.occurs[column] = True
            # Sums of fewer than 2^53 observations are exact as floats too.
            one.counts[:] += np.bincount(column, weights, len(one.counts)).astype(np.int64)
    return found
