"""Missing values: refused, left out with their rows, or a state of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import Tally
from chordlearn.data.gathering import Gathered
from chordlearn.data.naming import listed
from chordlearn.errors import InputError

METHODS = ("error", "drop", "category")


def tally(gathered: Gathered, names: Sequence[str], missing: str) -> list[Tally]:
    """Count the labels of each column, in complete rows only unless missing values make a category."""
    absent = {
        column: labels.is_null().to_numpy()
        for column, labels in enumerate(gathered.labels)
        if labels.null_count() and missing != "category"
    }
    if not absent:
        return _tallies(gathered, {})
    amounts = dict.fromkeys(absent, 0)
    kept = 0
    for columns, weights in gathered.rows.parts():
        complete = np.ones(len(weights), dtype=bool)
        for column, is_absent in absent.items():
            gone = is_absent[columns[column]]
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
    return _tallies(gathered, absent)


def _tallies(gathered: Gathered, absent: dict[int, NDArray[np.bool_]]) -> list[Tally]:
    found = [
        Tally(labels, np.zeros(len(labels), dtype=bool), np.zeros(len(labels), dtype=np.int64))
        for labels in gathered.labels
    ]
    for columns, weights in gathered.rows.parts():
        if absent:
            complete = ~np.logical_or.reduce([gone[columns[column]] for column, gone in absent.items()])
            columns, weights = [column[complete] for column in columns], weights[complete]
        for column, one in zip(columns, found, strict=True):
            one.occurs[column] = True
            # Sums of fewer than 2^53 observations are exact as floats too.
            one.counts[:] += np.bincount(column, weights, len(one.counts)).astype(np.int64)
    return found
