"""`chordlearn evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from chordlearn.cli import networks, options, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.progress import ProgressLine
from chordlearn.cli.sample import write_table
from chordlearn.system.text import plain

if TYPE_CHECKING:
    pass


def evaluate_command(
    network: networks.NetworkArgument,
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="The rows to evaluate it on; may have gaps.", show_default=False),
    ],
    counts: options.CountsOption = None,
    rows: Annotated[
        Path | None,
        typer.Option("--rows", metavar="FILE.csv", help="Also write the log-likelihood of every row."),
    ] = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Say how well a network describes data: the log-likelihood, and how well each variable is predicted."""
    from chordlearn.data.rows import read_rows
    from chordlearn.network.evaluation import evaluate

    outputs.check_outputs([(json, "evaluation"), (rows, "likelihoods")], [network, data], force=force)
    with ProgressLine() as line:
        line.progress("reading", None, None)
        net = networks.open_network(network)
        table = read_rows(data, counts=counts)
        line.progress("evaluating", None, None)
        found = evaluate(net, table)
    if rows is not None:
        import polars as pl

        write_table(pl.DataFrame({"log_likelihood": found.log_likelihoods, "count": table.weights}), rows)
    if json is not None:
        networks.emit_json("evaluation", found.to_dict(), json)
    if json != "-":
        _print(found.to_dict(), Console(highlight=False))


def _print(found: dict[str, Any], console: Console) -> None:
    total = found["log_likelihood"]
    if total is None:
        console.print(f"log-likelihood −∞: {found['impossible_rows']} of {found['rows']} rows are impossible")
    else:
        mean = found["log_likelihood_per_row"]
        console.print(f"log-likelihood {total:.4f} · {mean:.6f} per row · {found['rows']} rows")
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("variable", overflow="fold")
    table.add_column("accuracy", justify="right")
    table.add_column("by its commonest state alone", justify="right")
    for name, values in found["variables"].items():
        if values["accuracy"] is not None:
            table.add_row(
                plain(name, style="bold"), f"{values['accuracy']:.4f}", f"{values['commonest_state']:.4f}"
            )
    console.print(table)
