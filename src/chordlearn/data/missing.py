"""Missing values: counted, and left out with their rows unless they are a state of their own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import Tally
from chordlearn.data.gathering import Gathered

METHODS = ("error", "drop", "category")


def all_tallies(gathered: Gathered) -> list[Tally]:
    """Count the labels of each column in all rows."""
    return _tallies(gathered, {})


def complete_tallies(gathered: Gathered) -> list[Tally]:
    """Count the labels of each column in the rows that have all values."""
    absent = {
        column: labels.is_null().to_numpy()
        for column, labels in enumerate(gathered.labels)
        if labels.null_count()
    }
    return _tallies(gathered, absent)


def missing_values(tally: Tally) -> int:
    """How many observations lack a value."""
    return int(tally.counts[tally.labels.is_null().to_numpy()].sum()) if tally.labels.null_count() else 0


def _tallies(gathered: Gathered, absent: Mapping[int, NDArray[np.bool_]]) -> list[Tally]:
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
