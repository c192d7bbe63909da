"""`chordlearn sample`."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chordlearn.cli import networks, outputs
from chordlearn.errors import InputError
from chordlearn.system.files import write_whole
from chordlearn.system.text import protected, shown_lines

if TYPE_CHECKING:
    import polars as pl


def sample_command(
    network: networks.NetworkArgument,
    rows: Annotated[
        int, typer.Option("--rows", "-n", min=0, metavar="N", help="How many rows to draw.")
    ] = 10,
    given: networks.GivenOption = None,
    seed: networks.SeedOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .csv, .tsv or .parquet file instead of CSV on stdout."
        ),
    ] = None,
    data: networks.FitOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Draw rows from a network, given what is known."""
    if output is not None:
        check_table_suffix(output)
    outputs.check_outputs([(json, "sample"), (output, "rows")], [network, data], force=force)
    evidence = networks.gather_evidence(given)
    net = networks.open_network(network, data)
    frame = net.sample(rows, given=evidence, seed=seed)
    if output is not None:
        write_table(frame, output)
    if json is not None:
        document = {"variables": net.variables, "rows": [list(row) for row in frame.iter_rows()]}
        networks.emit_json("sample", document, json)
    elif output is None:
        text = _protected(frame).write_csv()
        # A pipe gets the states as they are; a terminal would obey what may be hidden in them.
        sys.stdout.buffer.write((shown_lines(text) if sys.stdout.isatty() else text).encode())


def check_table_suffix(path: Path) -> None:
    """Refuse a suffix that is no table's."""
    if path.suffix.lower() not in (".csv", ".tsv", ".parquet"):
        raise InputError(f"{path} has no suffix that says its format; use .csv, .tsv or .parquet.")


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a data frame in the format of the path's suffix, whole or not at all.

    In text tables, what a spreadsheet would take for a formula is protected.
    """
    content = io.BytesIO()
    if path.suffix.lower() == ".parquet":
        frame.write_parquet(content)
    else:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        _protected(frame).write_csv(content, separator=separator)
    write_whole(path, content.getvalue())


def _protected(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of texts, and the names, as they may stand in cells."""
    import polars as pl

    texts = frame.select(pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum)).cast(pl.String)
    kept = [
        column.replace({text: protected(text) for text in column.unique().drop_nulls()}) for column in texts
    ]
    return frame.with_columns(kept).rename(protected)
