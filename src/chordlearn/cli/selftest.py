"""`chordlearn selftest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from chordlearn.cli import networks
from chordlearn.cli.consoles import Console
from chordlearn.cli.failures import INTERRUPTED, OK, REJECTED
from chordlearn.cli.progress import ProgressLine
from chordlearn.report.spans import plain
from chordlearn.showing import shown

if TYPE_CHECKING:
    from chordlearn.testing.agreement import Tally


def selftest_command(
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="M", min=0.0, help="How long to go on.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Of the problems.")] = 0,
    problem: Annotated[
        int | None, typer.Option("--problem", metavar="K", min=0, help="Only the problem of this number.")
    ] = None,
    json: networks.JsonOption = None,
) -> int:
    """Solve random problems with all installed solvers, and check that they agree.

    The problems are small, so that all chordal graphs can be listed, and depend on the seed alone. A solver
    that needs more than a few seconds counts as unfinished, but what it found is checked too. Ctrl-C ends it
    with the counts so far. Exit codes: 0 no disagreement · 1 a disagreement · 130 interrupted.
    """
    from chordlearn.testing.agreement import Tally, compare_solvers

    networks.check_json(json)
    tally, code = Tally(), OK
    numbers = None if problem is None else [problem]
    with ProgressLine() as line:

        def report(tally: Tally) -> None:
            line.progress("testing", None, None, _summary(tally))

        report(tally)
        try:
            compare_solvers(tally, seconds=60 * minutes, seed=seed, numbers=numbers, report=report)
        except KeyboardInterrupt:
            code = INTERRUPTED
    if json is not None:
        networks.emit_json(tally.to_dict(), json)
    if json != "-":
        _print(tally, seed, Console(highlight=False))
    return REJECTED if tally.disagreements else code


def _summary(tally: Tally) -> str:
    runs = sum(sum(verdicts.values()) for verdicts in tally.runs.values())
    words = [f"{tally.problems:,} problems", f"{len(tally.runs)} backends", f"{runs:,} runs"]
    return ", ".join([*words, f"{tally.checks:,} checks", f"{len(tally.disagreements)} disagreements"])


def _print(tally: Tally, seed: int, console: Console) -> None:
    from chordlearn.testing.agreement import VERDICTS

    table = Table(box=None, pad_edge=False)
    table.add_column("backend", style="bold", no_wrap=True)
    for verdict in VERDICTS:
        table.add_column(verdict, justify="right", no_wrap=True)
    for backend, counts in sorted(tally.runs.items()):
        table.add_row(backend, *(f"{counts[verdict]:,}" if counts[verdict] else "" for verdict in VERDICTS))
    console.print(table)
    console.print()
    console.print(plain(_summary(tally), style="bold red" if tally.disagreements else "bold green"))
    for first in tally.disagreements[:1]:
        console.print(plain(shown(f"the first, problem {first['problem']}: {first['complaint']}")))
        console.print(
            plain(f"to run it again: chordlearn selftest --seed {seed} --problem {first['problem']}")
        )
