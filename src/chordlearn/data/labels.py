"""Values become labels: texts that are the same whatever type or format the value came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MISSING_TEXTS = ("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null")
"""Texts that stand for a missing value. `None` is not one: as a text it is a common state ("no injury")."""

EXACT_INTEGERS = 2.0**53


def label_of(value: Any) -> str | None:
    """Return the label of one Python value, or None where it is missing.

    >>> [label_of(value) for value in (1, 1.0, 1.5, True, " yes ", "01", None, float("nan"), "?")]
    ['1', '1', '1.5', 'True', 'yes', '01', None, None, None]
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT_INTEGERS:
        value = int(value)
    text = str(value).strip()
    return None if text in MISSING_TEXTS or text == "NaT" else text


def declared_labels(schema: pl.Schema) -> dict[int, list[str]]:
    """Collect the labels that Enum columns of a polars schema declare, by position."""
    import polars as pl

    found: dict[int, list[str]] = {}
    for position, dtype in enumerate(schema.dtypes()):
        if isinstance(dtype, pl.Enum):
            labels = (label_of(category) for category in dtype.categories.to_list())
            found[position] = [label for label in labels if label is not None]
    return found


def has_no_labels(dtype: pl.DataType) -> bool:
    """Whether values of this type cannot be labels: lists, structures, bytes."""
    import polars as pl

    return dtype == pl.Binary or dtype.is_nested() or dtype == pl.Object


def refuse_no_labels(dtype: pl.DataType, name: str) -> None:
    """Refuse a column of values that cannot be labels."""
    if has_no_labels(dtype):
        raise InputError(f"Column {name!r} holds {dtype} values, not labels; convert it to text or drop it.")


def as_labels(values: pl.Series, name: str) -> pl.Series:
    """The labels of a column's values, null where one is missing.

    >>> import polars as pl
    >>> as_labels(pl.Series([1.0, 2.5, None]), "a").to_list()
    ['1', '2.5', None]
    """
    import polars as pl

    refuse_no_labels(values.dtype, name)
    texts = _text(pl.col("0"), values.dtype).str.strip_chars()
    label = pl.when(~texts.is_in(MISSING_TEXTS)).then(texts).alias("0")
    try:
        return values.alias("0").to_frame().select(label)["0"]
    except pl.exceptions.PolarsError as error:
        raise InputError(f"The values cannot be written as labels ({error}); convert them to text.") from None


def labels_of_columns(columns: Sequence[pl.Series], names: Sequence[str]) -> list[pl.Series]:
    """The labels of each of many columns; those of one type are written at once, which is quicker."""
    import polars as pl

    places: dict[pl.DataType, list[int]] = {}
    for place, column in enumerate(columns):
        places.setdefault(column.dtype, []).append(place)
    found: dict[int, pl.Series] = {}
    for members in places.values():
        labels = as_labels(pl.concat([columns[place].alias("0") for place in members]), names[members[0]])
        end = 0
        for place in members:
            start, end = end, end + len(columns[place])
            found[place] = labels[start:end]
    return [found[place] for place in range(len(columns))]


def _text(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    import polars as pl

    if dtype.is_float() or dtype.is_decimal():
        number = column.cast(pl.Float64) if dtype.is_decimal() else column
        number = number.fill_nan(None)
        whole = (number == number.floor()) & (number.abs() < EXACT_INTEGERS)
        integer = pl.when(whole).then(number).cast(pl.Int64)
        return pl.coalesce(integer.cast(pl.String), number.cast(pl.String))
    if dtype == pl.Boolean:
        return pl.when(column).then(pl.lit("True")).when(~column).then(pl.lit("False"))
    if dtype == pl.Duration:
        return column.dt.to_string("iso")
    return column.cast(pl.String)
