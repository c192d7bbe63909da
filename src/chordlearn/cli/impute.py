"""`chordlearn impute`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.progress import ProgressLine
from chordlearn.cli.sample import check_table_suffix, write_table
from chordlearn.data.labels import MISSING
from chordlearn.data.rows import Rows, read_rows
from chordlearn.network import FittedNetwork
from chordlearn.network.rowwise import Codes
from chordlearn.system.text import plain

if TYPE_CHECKING:
    import polars as pl


def impute_command(
    network: networks.NetworkArgument,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="The table with missing values.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .csv, .tsv or .parquet file.", show_default=False
        ),
    ],
    draw: Annotated[
        bool, typer.Option("--draw", help="Draw the values instead of taking the most probable ones.")
    ] = False,
    seed: networks.SeedOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Fill in missing values, with those that are most probable together or with a draw.

    Other values, the order of rows and columns that are not in the network stay as they are. A column of the
    network that the table lacks is added.
    """

    check_table_suffix(output)
    outputs.check_outputs([(json, "imputation"), (output, "rows")], [network, data], force=force)
    with ProgressLine() as line:
        line.progress("reading", None, None)
        net = networks.open_network(network)
        rows = read_rows(data)
        codes = rows.codes(net.variables, net.states, optional=net.variables)
        line.progress("filling in", None, None)
        filled = net.complete_codes(codes, draw=draw, seed=seed)
        write_table(_filled_frame(net, rows, codes, filled), output)
    gaps = {name: int((codes[:, i] < 0).sum()) for i, name in enumerate(net.variables)}
    if json is not None:
        document = {"rows": len(rows), "filled": gaps, "drawn": draw, "output": str(output)}
        networks.emit_json("imputation", document, json)
    for name, labels in zip(net.variables, net.states, strict=True):
        if MISSING in labels:
            print(
                f"chordlearn: In this network 'missing' is a state of {name!r}, so its gaps stay.",
                file=sys.stderr,
            )
    if json != "-":
        total = sum(gaps.values())
        Console(highlight=False).print(plain(f"{output}: {total} values filled in, {len(rows)} rows"))


def _filled_frame(net: FittedNetwork, rows: Rows, codes: Codes, filled: Codes) -> pl.DataFrame:
    """The table as it was, with labels where values were missing."""
    import polars as pl

    frame = rows.frame
    for i, (name, labels) in enumerate(zip(net.variables, net.states, strict=True)):
        gaps = codes[:, i] < 0
        if not gaps.any():
            continue
        chosen = np.array(labels, dtype=object)[filled[:, i]]
        old = frame[name].cast(pl.String) if name in frame.columns else pl.Series(name, [None] * len(rows))
        values = [new if gap else kept for new, kept, gap in zip(chosen, old.to_list(), gaps, strict=True)]
        frame = frame.with_columns(pl.Series(name, values, dtype=pl.String))
    return frame
