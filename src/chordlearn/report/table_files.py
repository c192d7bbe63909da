"""Tables of rows as files; what a spreadsheet would take for a formula is protected in text."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from chordlearn.errors import InputError
from chordlearn.system.files import write_whole
from chordlearn.system.text import protected

if TYPE_CHECKING:
    import polars as pl


def check_table_suffix(path: Path | None) -> None:
    """Refuse a suffix that is no table's."""
    if path is not None and path.suffix.lower() not in (".csv", ".tsv", ".parquet"):
        raise InputError(f"{path} has no suffix that says its format; use .csv, .tsv or .parquet.")


def table_text(frame: pl.DataFrame, separator: str = ",") -> str:
    """A data frame as CSV, with apostrophes before what would be a formula, in names too."""
    import polars as pl

    texts = frame.select(pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum)).cast(pl.String)
    kept = [
        column.replace({text: protected(text) for text in column.unique().drop_nulls()}) for column in texts
    ]
    return frame.with_columns(kept).rename(protected).write_csv(separator=separator)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a data frame in the format of the path's suffix, whole or not at all."""
    if path.suffix.lower() != ".parquet":
        write_whole(path, table_text(frame, "\t" if path.suffix.lower() == ".tsv" else ","))
        return
    content = io.BytesIO()
    frame.write_parquet(content)
    write_whole(path, content.getvalue())
