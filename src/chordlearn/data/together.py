"""Coding many short columns at a time: with thousands of them, it is the calls that cost, not the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chordlearn.data.labels import as_labels
from chordlearn.data.packing import Codes
from chordlearn.data.vocabulary import Vocabulary, factorize

if TYPE_CHECKING:
    import polars as pl

TOGETHER = 256
"""So many columns are looked at as one."""
FEW_VALUES = 1 << 9
"""As long as all of them have no more values, it is quick to note which column has which."""


def coded_together(
    columns: Sequence[pl.Series], vocabularies: Sequence[Vocabulary], name: str
) -> list[Codes] | None:
    """The codes of columns of equal length; None if their types differ or they have too many values.

    >>> import polars as pl
    >>> columns, words = [pl.Series(["x", "y"]), pl.Series(["z", "y"])], [Vocabulary(), Vocabulary()]
    >>> for codes, vocabulary in zip(coded_together(columns, words, "a"), words):
    ...     vocabulary.labels.gather(codes).to_list()
    ['x', 'y']
    ['z', 'y']
    """
    import polars as pl

    if any(column.dtype != columns[0].dtype for column in columns):
        return None
    values, places = factorize(pl.concat([column.alias("0") for column in columns]))
    if len(values) > FEW_VALUES:
        return None
    by_column = places.reshape(len(columns), -1)
    occurs = np.zeros((len(columns), len(values)), dtype=bool)
    occurs[np.arange(len(columns))[:, np.newaxis], by_column] = True
    labels = as_labels(values, name).to_list()
    found = []
    for vocabulary, own, occurring in zip(vocabularies, by_column, occurs, strict=True):
        used = np.flatnonzero(occurring).tolist()
        codes = vocabulary.codes_of_few([labels[place] for place in used])
        code = np.zeros(len(values), dtype=codes.dtype)
        code[used] = codes
        found.append(code[own])
    return found
