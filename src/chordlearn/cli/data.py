"""`chordlearn data`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from chordlearn.cli import networks, options, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import as_flags
from chordlearn.pipeline.inputs import telling_rows
from chordlearn.system.text import plain

MOST_COLUMNS_SHOWN = 200
"""More are named in the JSON; first come those that something is to be said about."""


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
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Describe a table column by column, with a command that learns from it; or list the bundled sets."""
    from chordlearn.data import survey
    from chordlearn.data.catalogue import BUNDLED
    from chordlearn.data.gathering import Watch

    console = Console(highlight=False)
    if not data:
        _list_bundled(console)
        return
    outputs.check_outputs([(json, "survey")], data, force=force)
    with ProgressLine() as line:
        found = survey(
            options.one_source(data),
            watch=Watch(telling_rows(line)),
            **options.reading(columns, drop, counts, missing, discretize),
        )
    if json is not None:
        networks.emit_json("survey", found.to_dict(), json)
    if json == "-":
        return
    entry = BUNDLED.get(found.source)
    if entry is not None:
        console.print(plain(entry.title, style="bold"))
        console.print(Text(entry.description))
        console.print(plain(entry.source, style="dim"))
        console.print()
    sizes = [f"{len(found.columns)} columns", f"{found.rows:,} rows"]
    if found.distinct_rows is not None:
        sizes.append(f"{found.distinct_rows:,} distinct")
    console.print(plain(" · ".join([found.source, *sizes])))
    console.print()
    _print_columns(found.columns, entry.variables if entry else {}, console)
    for group in found.copies:
        console.print()
        console.print(plain(f"Copies that determine each other: {', '.join(group)}.", style="yellow"))
    if found.problems:
        console.print()
        console.print(plain(f"To be settled: {as_flags('; '.join(found.problems))}.", style="yellow"))
    for note in found.notes:
        console.print()
        console.print(plain(note))
    console.print()
    if found.command is None:
        console.print(plain(as_flags(found.why_not), style="red"))
    else:
        # On a line of its own and unbroken, however narrow the terminal, so that it can be pasted.
        console.print(plain(found.command, style="bold"), soft_wrap=True)


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


def _print_columns(columns: list[dict[str, Any]], meanings: Any, console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("column", style="bold", overflow="fold")
    table.add_column("type")
    table.add_column("distinct", justify="right")
    table.add_column("missing", justify="right")
    table.add_column("most frequent", overflow="fold")
    table.add_column("verdict", overflow="fold")
    if meanings:
        table.add_column("meaning")
    shown = sorted(columns, key=lambda column: column["advice"] == "fine")[:MOST_COLUMNS_SHOWN]
    for column in columns if len(columns) <= MOST_COLUMNS_SHOWN else shown:
        states = ", ".join(f"{state['state']} {state['count']:,}" for state in column["frequent"])
        more = ", …" if len(column["frequent"]) < column["distinct"] else ""
        cells = [column["name"], column["type"], f"{column['distinct']:,}", f"{column['missing']:,}"]
        cells += [states + more, column["advice"], *([meanings.get(column["name"], "")] if meanings else [])]
        table.add_row(*map(plain, cells))
    console.print(table)
    if len(columns) > MOST_COLUMNS_SHOWN:
        rest = len(columns) - MOST_COLUMNS_SHOWN
        console.print(plain(f"… and {rest:,} more columns; --json has all of them", style="dim"))
