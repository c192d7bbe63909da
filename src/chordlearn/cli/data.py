"""`chordlearn data`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from chordlearn.cli import options
from chordlearn.cli.consoles import Console
from chordlearn.cli.names import gather_names
from chordlearn.cli.progress import ProgressLine
from chordlearn.inputs import telling_rows
from chordlearn.report.spans import plain

MOST_STATES_SHOWN = 12


def data_command(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DATA…]",
            help="A bundled set, or files that are one table; if left out, the bundled sets are listed.",
        ),
    ] = None,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    counts: options.CountsOption = None,
    missing: options.MissingOption = "error",
    discretize: options.DiscretizeOption = None,
) -> None:
    """List the bundled data sets, or describe one of them or a file: variables, states and counts."""
    from chordlearn.data import describe, read

    console = Console(highlight=False)
    if not data:
        _list_bundled(console)
        return
    with ProgressLine() as line:
        dataset = read(
            options.one_source(data),
            columns=gather_names(columns, "--columns"),
            drop=gather_names(drop, "--drop"),
            counts=counts,
            missing=missing,
            discretize=discretize,
            progress=telling_rows(line),
        )
    _print_account(describe(dataset), console)


def _list_bundled(console: Console) -> None:
    from chordlearn.data import bundled

    table = Table(box=None, pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("variables", justify="right")
    table.add_column("rows", justify="right")
    table.add_column("what it is")
    for entry in bundled():
        table.add_row(entry.name, str(len(entry.variables)), str(entry.rows), escape(entry.title))
    console.print(table)


def _print_account(account: dict[str, Any], console: Console) -> None:
    variables = account["variables"]
    if "title" in account:
        console.print(plain(account["title"], style="bold"))
        console.print(Text(account["description"]))
        console.print(plain(account["reference"], style="dim"))
        console.print()
    sizes = f"{len(variables)} variables · {account['rows']} rows · {account['distinct_rows']} distinct"
    console.print(plain(f"{account['source']} · {sizes}"))
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("variable", style="bold", overflow="fold")
    table.add_column("states", justify="right")
    table.add_column("how often each occurs", overflow="fold")
    with_meaning = any("meaning" in variable for variable in variables)
    if with_meaning:
        table.add_column("meaning")
    for variable in variables:
        states = variable["states"]
        meaning = [plain(variable.get("meaning", ""))] if with_meaning else []
        table.add_row(plain(variable["name"]), str(len(states)), plain(_states(states)), *meaning)
    console.print(table)
    for suggestion in account["suggestions"]:
        console.print()
        console.print(plain(suggestion, style="yellow"))


def _states(states: list[dict[str, Any]]) -> str:
    shown = [f"{state['label']} {state['count']}" for state in states[:MOST_STATES_SHOWN]]
    more = len(states) - MOST_STATES_SHOWN
    return ", ".join([*shown, *([f"and {more} more"] if more > 0 else [])])
