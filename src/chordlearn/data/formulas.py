"""Cells of text tables that a spreadsheet would take for formulas.

A cell that begins with one of ``= + - @`` (also in full width), a tab or the end of a line is computed when a
spreadsheet opens the table, and a formula can do harm. Written with an apostrophe in front it is a text. What
begins with a sign and has nothing but digits, dots, commas, signs and exponents can do none and stays.

So that a table reads back as it was, one more apostrophe is written before texts that have some already, and
one is taken off again when a text table is read. A column with formulas that have no apostrophe was not
written here, and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_FORMULA = r"(?![+\-][0-9.,eE+\-]*$)[=+\-@\t\r\n＝＋－＠]"
_BARE = re.compile(_FORMULA)
_TO_PROTECT = re.compile(f"'*{_FORMULA}")
_PROTECTED = re.compile(f"'+{_FORMULA}")


def protected(text: str) -> str:
    """The text as it may stand in a cell.

    >>> [protected(text) for text in ("=1+cmd", "-1.5", "'@x", "yes", "-x")]
    ["'=1+cmd", '-1.5', "''@x", 'yes', "'-x"]
    """
    return f"'{text}" if _TO_PROTECT.match(text) else text


def unprotected(cells: Sequence[str | None]) -> list[str | None]:
    """The texts that stand in the cells of one column.

    >>> unprotected(["'=1+cmd", "''@x", "yes", None])
    ['=1+cmd', "'@x", 'yes', None]
    >>> unprotected(["'=x", "=x"])
    ["'=x", '=x']
    """
    if not any(cell is not None and _PROTECTED.match(cell) for cell in cells):
        return list(cells)
    if any(cell is not None and _BARE.match(cell) for cell in cells):
        return list(cells)
    return [cell[1:] if cell is not None and _PROTECTED.match(cell) else cell for cell in cells]


def unprotected_labels(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """The same for series; there may be thousands.

    >>> import polars as pl
    >>> [labels.to_list() for labels in unprotected_labels([pl.Series(["'=x", "y"]), pl.Series(["z"])])]
    [['=x', 'y'], ['z']]
    """
    import polars as pl

    if not pl.concat([labels.alias("0") for labels in columns]).str.starts_with("'").any():
        return list(columns)
    return [
        pl.Series(labels.name, unprotected(labels.to_list()), dtype=pl.String)
        if labels.str.starts_with("'").any()
        else labels
        for labels in columns
    ]


def protected_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of texts, and the names, as they may stand in cells.

    >>> import polars as pl
    >>> print(protected_frame(pl.DataFrame({"=a": ["@x", "y"], "b": [-1, 2]})).write_csv(), end="")
    '=a,b
    '@x,-1
    y,2
    """
    import polars as pl

    texts = frame.select(pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum)).cast(pl.String)
    kept = [
        _replaced(column, {text: protected(text) for text in column.unique().drop_nulls()})
        for column in texts
    ]
    return frame.with_columns(kept).rename({name: protected(name) for name in frame.columns})


def unprotected_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """What stands in the columns of texts of a text table.

    >>> import polars as pl
    >>> unprotected_frame(pl.DataFrame({"0": ["'=x", "y"]}))["0"].to_list()
    ['=x', 'y']
    """
    import polars as pl

    columns = []
    for column in frame.select(pl.selectors.string()):
        if column.str.starts_with("'").any():
            cells = column.unique().drop_nulls()
            columns.append(_replaced(column, dict(zip(cells, unprotected(cells.to_list()), strict=True))))
    return frame.with_columns(columns)


def _replaced(column: pl.Series, by: Mapping[str, str | None]) -> pl.Series:
    others = {old: new for old, new in by.items() if old != new}
    return column.replace(others) if others else column
