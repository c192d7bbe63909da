"""`chordlearn data`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import chordlearn as cl
from chordlearn.cli.console import Console, answer, stdout
from chordlearn.cli.options import READING, ForceOption, JsonOption, one_source, with_options
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import as_flags
from chordlearn.report.outputs import check_outputs

MOST_COLUMNS_SHOWN = 200
"""More are named in the JSON; first come those that something is to be said about."""


@with_options(READING)
def data_command(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DATA…]",
            help="A bundled set, or files that are one table; if left out, the bundled sets are listed.",
        ),
    ] = None,
    json: JsonOption = None,
    force: ForceOption = False,
    **reading: Any,
) -> None:
    """Describe a table column by column, with a command that learns from it; or list the bundled sets."""
    if not data:
        sets = ([one.name, str(len(one.variables)), str(one.rows), one.title] for one in cl.bundled())
        stdout().table(["name", ">variables", ">rows", "what it is"], sets, fixed=1)
        return
    check_outputs([(json, "survey")], data, force=force)
    with ProgressLine() as line:
        found = cl.survey(
            one_source(data),
            progress=lambda rows: line.progress("reading", detail=f"{rows:,} rows"),
            **reading,
        )
    answer("survey", found.to_dict(), json, lambda console: _print(found, console))


def _print(found: cl.Survey, console: Console) -> None:
    entry = next((one for one in cl.bundled() if one.name == found.source), None)
    if entry is not None:
        console.say(entry.title, style="bold")
        console.print(entry.description, markup=False)
        console.say(entry.source, style="dim")
        console.say()
    sizes = [
        f"{number:,.12g} {noun}{'s' * (number != 1)}"
        for number, noun in ((len(found.columns), "column"), (found.rows, "row"))
    ]
    if found.distinct_rows is not None:
        sizes.append(f"{found.distinct_rows:,} distinct")
    console.say(" · ".join([found.source, *sizes]))
    console.say()
    _print_columns(found.columns, entry.variables if entry else {}, console)
    warnings = [f"Copies that determine each other: {', '.join(group)}." for group in found.copies]
    if found.problems:
        warnings.append(f"Settle before learning: {as_flags('; '.join(found.problems))}.")
    for sentence, style in [*((text, "yellow") for text in warnings), *((text, "") for text in found.notes)]:
        console.say()
        console.say(sentence, style=style)
    console.say()
    if found.command is None:
        console.say(as_flags(found.why_not), style="red")
    else:
        # On a line of its own and unbroken, however narrow the terminal, so that it can be pasted.
        console.print(found.command, style="bold", soft_wrap=True, markup=False)


def _print_columns(columns: list[dict[str, Any]], meanings: Any, console: Console) -> None:
    shown = columns
    if len(columns) > MOST_COLUMNS_SHOWN:
        shown = sorted(columns, key=lambda column: bool(column["advice"] == "fine"))[:MOST_COLUMNS_SHOWN]
    rows = []
    for column in shown:
        states = ", ".join(f"{state['state']} {state['count']:,}" for state in column["frequent"])
        more = ", …" if len(column["frequent"]) < column["distinct"] else ""
        cells = [column["name"], column["type"], f"{column['distinct']:,}", f"{column['missing']:,}"]
        cells += [states + more, column["advice"], *([meanings.get(column["name"], "")] if meanings else [])]
        rows.append(cells)
    heads = ["column", "type", ">distinct", ">missing", "most frequent", "verdict"]
    console.table([*heads, "meaning"] if meanings else heads, rows)
    if len(columns) > len(shown):
        console.say(f"… and {len(columns) - len(shown):,} more columns; --json has all of them", style="dim")
