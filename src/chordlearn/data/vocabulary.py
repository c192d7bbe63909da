"""The distinct values of a column, found once, so that everything else is done per value and not per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.packing import Codes, code_type

if TYPE_CHECKING:
    import polars as pl

SHORT_RANGE = 1 << 16
"""Integers that lie so close together are looked up in a table."""
FEW_TEXTS = 1 << 12
"""So many texts are looked for in the next batch before it is searched for others."""


def factorize(column: pl.Series) -> tuple[pl.Series, Codes]:
    """Split a column into distinct values, each of which occurs, and the place of every row's value in them.

    >>> import polars as pl
    >>> values, places = factorize(pl.Series([7, None, 5, 7]))
    >>> [values[place] for place in places.tolist()]
    [7, None, 5, 7]
    """
    import polars as pl

    if len(column) == 0:
        return column, np.empty(0, dtype=np.uint8)
    if column.null_count():
        present = column.is_not_null().to_numpy()
        values, known = factorize(column.drop_nulls())
        places = np.full(len(column), len(values), dtype=code_type(len(values) + 1))
        places[present] = known
        return values.extend_constant(None, 1), places
    if column.dtype in (pl.String, pl.Categorical):
        texts = column.cast(pl.String)
        column = texts.cast(pl.Enum(texts.unique()))
    if isinstance(column.dtype, pl.Enum):
        used, places = _in_table(column.to_physical().to_numpy(), len(column.dtype.categories))
        return column.dtype.categories.gather(used), places
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        lowest, highest = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if highest - lowest < SHORT_RANGE and lowest >= -(1 << 63) and highest < 1 << 63:
            numbers, places = _in_table(column.cast(pl.Int64).to_numpy() - lowest, highest - lowest + 1)
            return pl.Series(numbers + lowest).cast(column.dtype), places
    if column.dtype.is_float():
        found, places = np.unique(column.to_numpy(), return_inverse=True)
        return pl.Series(found, dtype=column.dtype), places
    distinct = column.unique()
    index = pl.int_range(len(distinct), dtype=pl.UInt32, eager=True)
    return distinct, column.replace_strict(distinct, index, return_dtype=pl.UInt32).to_numpy()


def _in_table(numbers: Codes, size: int) -> tuple[NDArray[np.int64], Codes]:
    """Factorize whole numbers below a size."""
    occurs = np.zeros(size, dtype=bool)
    occurs[numbers] = True
    values = np.flatnonzero(occurs)
    if len(values) == size:
        return values, numbers
    place = np.zeros(size, dtype=code_type(len(values)))
    place[values] = np.arange(len(values))
    return values, place[numbers]


class Texts:
    """Finds the values of a column of texts that mostly has the same few texts batch after batch."""

    def __init__(self) -> None:
        self._known: pl.Enum | None = None

    def factorize(self, column: pl.Series) -> tuple[pl.Series, Codes]:
        """Like the function of this name, but values that do not occur may be among the distinct ones."""
        import polars as pl

        if column.dtype != pl.String:
            return factorize(column)
        if self._known is not None and not column.null_count():
            known = column.cast(self._known, strict=False)
            if not known.null_count():
                return self._known.categories, known.to_physical().to_numpy()
        values, places = factorize(column)
        if len(values) <= FEW_TEXTS:
            earlier = [] if self._known is None else [self._known.categories]
            texts = pl.concat([*earlier, values.drop_nulls()]).unique()
            self._known = pl.Enum(texts) if len(texts) <= FEW_TEXTS else None
        return values, places


class Vocabulary:
    """The labels of a column in the order in which they came (None if missing); a code indexes them.

    >>> import polars as pl
    >>> words = Vocabulary()
    >>> words.codes(pl.Series(["yes", "no"])).tolist(), words.codes(pl.Series(["no", None, "yes"])).tolist()
    ([0, 1], [1, 2, 0])
    >>> words.labels
    ['yes', 'no', None]
    """

    def __init__(self) -> None:
        self.labels: list[str | None] = []
        self._code: dict[str | None, int] = {}

    def codes(self, labels: pl.Series) -> Codes:
        """The code of each label; those that are new get the next ones."""
        if not self.labels and labels.n_unique() == len(labels):
            # What comes in one batch may be a million labels, and needs no dictionary.
            self.labels = labels.to_list()
            return np.arange(len(labels), dtype=code_type(len(labels)))
        if len(self._code) < len(self.labels):
            self._code = {label: code for code, label in enumerate(self.labels)}
        codes = []
        for label in labels.to_list():
            code = self._code.get(label)
            if code is None:
                self._code[label] = code = len(self.labels)
                self.labels.append(label)
            codes.append(code)
        return np.array(codes, dtype=code_type(len(self.labels)))
