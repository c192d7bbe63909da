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


def as_labels(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Turn the columns "0", "1", … of a frame into labels, with null where a value is missing."""
    import polars as pl

    expressions = []
    for position, name in enumerate(names):
        texts = _text(pl.col(str(position)), frame.dtypes[position], name).str.strip_chars()
        expressions.append(pl.when(~texts.is_in(MISSING_TEXTS)).then(texts).alias(str(position)))
    try:
        return frame.with_columns(expressions)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"The values cannot be written as labels ({error}); convert them to text.") from None


def _text(column: pl.Expr, dtype: pl.DataType, name: str) -> pl.Expr:
    import polars as pl

    if dtype.is_float() or dtype.is_decimal():
        number = column.cast(pl.Float64) if dtype.is_decimal() else column
        number = number.fill_nan(None)
        whole = (number == number.floor()) & (number.abs() < EXACT_INTEGERS)
        integer = pl.when(whole).then(number).cast(pl.Int64)
        return pl.coalesce(integer.cast(pl.String), number.cast(pl.String))
    if dtype == pl.Boolean:
        return pl.when(column).then(pl.lit("True")).when(~column).then(pl.lit("False"))
    if dtype == pl.Binary or dtype.is_nested() or dtype == pl.Object:
        raise InputError(f"Column {name!r} holds {dtype} values, not labels; convert it to text or drop it.")
    if dtype == pl.Duration:
        return column.dt.to_string("iso")
    return column.cast(pl.String)
