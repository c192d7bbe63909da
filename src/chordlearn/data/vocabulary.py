"""The distinct values of a column, found once, so that everything else is done per value and not per row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.packing import Codes, code_type

if TYPE_CHECKING:
    import polars as pl

SHORT_RANGE = 1 << 16
"""Integers that lie so close together are looked up in a table."""
FEW_LABELS = 1 << 12
"""So many are looked up one by one from batch to batch."""
MANY_LABELS = 1 << 20
"""Fewer are not worth comparing before the end."""
SAMPLED = 1 << 10
"""So many rows are looked at first to see whether values repeat."""


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
        column = column.cast(pl.String)
        texts = column.unique()
        if len(texts) > FEW_LABELS:
            return texts, _looked_up(column, texts)
        return texts, column.cast(pl.Enum(texts)).to_physical().to_numpy()
    if isinstance(column.dtype, pl.Enum):
        used, places = _in_table(column.to_physical().to_numpy(), len(column.dtype.categories))
        return column.dtype.categories.gather(used), places
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        lowest, highest = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if highest - lowest < SHORT_RANGE and lowest >= -(1 << 63) and highest < 1 << 63:
            numbers, places = _in_table(column.cast(pl.Int64).to_numpy() - lowest, highest - lowest + 1)
            return pl.Series(numbers + lowest).cast(column.dtype), places
    if column.dtype.is_decimal():
        column = column.cast(pl.Float64)
    if column.dtype.is_float():
        found, places = np.unique(column.to_numpy(), return_inverse=True)
        return pl.Series(found, dtype=column.dtype), places
    distinct = column.unique()
    return distinct, _looked_up(column, distinct)


def _looked_up(column: pl.Series, values: pl.Series) -> Codes:
    import polars as pl

    index = pl.int_range(len(values), dtype=pl.UInt32, eager=True)
    return column.replace_strict(values, index, return_dtype=pl.UInt32).to_numpy()


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


class Values:
    """Factorizes a column batch by batch; it may repeat a value, or give one that is not in the batch.

    >>> import polars as pl
    >>> values, places = Values().factorize(pl.Series(["x", "y", "x"]))
    >>> [values[place] for place in places.tolist()]
    ['x', 'y', 'x']
    """

    def __init__(self) -> None:
        self._known: pl.Enum | None = None
        """The few texts of the batches before: most likely those of the next."""

    def factorize(self, column: pl.Series) -> tuple[pl.Series, Codes]:
        """Values of a batch, and the place of every row's value in them."""
        import polars as pl

        if _seems_distinct(column):
            return column, np.arange(len(column))
        if column.dtype != pl.String:
            return factorize(column)
        if self._known is not None and not column.null_count():
            known = column.cast(self._known, strict=False)
            if not known.null_count():
                return self._known.categories, known.to_physical().to_numpy()
        values, places = factorize(column)
        if len(values) <= FEW_LABELS < len(column):
            earlier = [] if self._known is None else [self._known.categories]
            texts = pl.concat([*earlier, values.drop_nulls()]).unique()
            self._known = pl.Enum(texts) if len(texts) <= FEW_LABELS else None
        return values, places


def _seems_distinct(column: pl.Series) -> bool:
    """Whether most rows seem to have a text or a measurement of their own, so that comparing them is idle."""
    import polars as pl

    step = len(column) // SAMPLED
    if step == 0 or not (column.dtype == pl.String or column.dtype.is_float()):
        return False
    few = column.gather_every(step)
    return few.n_unique() > len(few) // 2 and cast(int, column.approx_n_unique()) > len(column) // 2


class Vocabulary:
    """The labels of a column in the order in which they came (null if missing); a code indexes them.

    As long as there are few, every label has one code. When there are many, each batch adds its own, and
    :meth:`unify` finds those that are the same.

    >>> import polars as pl
    >>> words = Vocabulary()
    >>> words.codes(pl.Series(["yes", "no"])).tolist(), words.codes(pl.Series(["no", None, "yes"])).tolist()
    ([0, 1], [1, 2, 0])
    >>> words.labels.to_list()
    ['yes', 'no', None]
    """

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[pl.Series] = []
        self._code: dict[str | None, int] | None = {}
        """None when there are too many labels to look them up one by one."""
        self._unified = 0

    @property
    def labels(self) -> pl.Series:
        """All labels, by code."""
        import polars as pl

        self._parts = [pl.concat(self._parts)]
        return self._parts[0]

    @property
    def has_grown(self) -> bool:
        """Whether it may pay to unify the labels."""
        return self.size > max(MANY_LABELS, 2 * self._unified)

    def codes(self, labels: pl.Series) -> Codes:
        """The code of each label; those that are new get the next ones."""
        if self._code is None or max(self.size, len(labels)) > FEW_LABELS:
            self._code = None
            first, self.size = self.size, self.size + len(labels)
            self._parts.append(labels)
            return np.arange(first, self.size, dtype=code_type(self.size))
        return self.codes_of_few(labels.to_list())

    def codes_of_few(self, labels: Sequence[str | None]) -> Codes:
        """The same for a few texts of Python, which is quicker where there are thousands of columns."""
        import polars as pl

        if self._code is None or max(self.size, len(labels)) > FEW_LABELS:
            return self.codes(pl.Series(labels, dtype=pl.String))
        codes = [self._code.setdefault(label, len(self._code)) for label in labels]
        if len(self._code) > self.size:
            self._parts.append(pl.Series(list(islice(self._code, self.size, None)), dtype=pl.String))
            self.size = len(self._code)
        return np.array(codes, dtype=code_type(self.size))

    def unify(self) -> NDArray[np.integer] | None:
        """Give equal labels one code, and return the new code of each old one; None if nothing changes."""
        if self._code is not None or self.labels.n_unique() == self.size:
            self._unified = self.size
            return None
        labels, places = factorize(self.labels)
        self._parts = [labels]
        self.size = self._unified = len(labels)
        return places
