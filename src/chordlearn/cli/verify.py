"""`chordlearn verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

import chordlearn as cl
from chordlearn.cli.failures import OK, REJECTED
from chordlearn.cli.printing import Console, stdout
from chordlearn.cli.progress import ProgressLine
from chordlearn.system.text import plain, shown

MARKS = {"passed": ("✓", "green"), "failed": ("✗", "bold red"), "skipped": ("–", "yellow")}


def verify_command(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT.json|DIR", help="What learn --json or --proof wrote.", show_default=False
        ),
    ],
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="What it was learned from; by default the source that the result names."
        ),
    ] = None,
) -> int:
    """Check a result, or a whole proof, from its data with code that shares nothing with the solver.

    The data are read with the options that the result records. That the bound of a result is valid is taken
    on trust from the backend; a proof shows it. Exit codes: 0 everything is right · 1 it is rejected ·
    2 the input or the call is wrong.
    """
    with ProgressLine() as line:
        line.progress("checking")
        report = cl.verify(result, data)
    _print_report(report, stdout())
    return OK if report.ok else REJECTED


def _print_report(report: cl.Report, console: Console) -> None:
    for check in report:
        mark, style = MARKS[check.verdict]
        console.print(
            Text.assemble((mark, style), " ", (shown(check.name), "bold"), shown(f": {check.reason}"))
        )
    console.print()
    console.print(_conclusion(report))


def _conclusion(report: cl.Report) -> Text:
    if not report.ok:
        return plain(f"rejected: {report.failures[0].name}: {report.failures[0].reason}", style="bold red")
    trust = f"; {report.on_trust}" if report.on_trust else ""
    if report.complete:
        return plain(f"accepted: every check passed{shown(trust)}", style="bold green")
    left_out = f"accepted, but {len(report.skipped)} of the checks could not be made"
    return plain(f"{left_out}{shown(trust)}", style="bold yellow")
