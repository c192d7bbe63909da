"""`chordlearn selftest`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.failures import INTERRUPTED, OK, REJECTED
from chordlearn.cli.progress import ProgressLine
from chordlearn.system.text import plain, shown

if TYPE_CHECKING:
    from chordlearn.testing.agreement import Tally


def selftest_command(
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="M", min=0.0, help="How long to go on.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Of the problems.")] = 0,
    problem: Annotated[
        int | None,
        typer.Option(
            "--problem", metavar="K", min=0, help="Only the problem of this number, without a time limit."
        ),
    ] = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> int:
    """Solve random problems with all installed solvers, and check that they agree.

    The problems are small, so that all chordal graphs can be listed, and depend on the seed alone. A solver
    that needs more than a few seconds counts as unfinished, but what it found is checked too. Ctrl-C ends it
    with the counts so far. Exit codes: 0 no disagreement · 1 a disagreement · 130 interrupted.
    """
    from chordlearn.testing.agreement import Tally, compare_solvers

    outputs.check_outputs([(json, "selftest")], force=force)
    tally, code = Tally(), OK
    seconds, numbers = (60 * minutes, None) if problem is None else (math.inf, [problem])
    with ProgressLine() as line:

        def report(tally: Tally) -> None:
            line.progress("testing", None, None, _summary(tally))

        report(tally)
        try:
            compare_solvers(tally, seconds=seconds, seed=seed, numbers=numbers, report=report)
        except KeyboardInterrupt:
            code = INTERRUPTED
    if json is not None:
        networks.emit_json("selftest", tally.to_dict(), json)
    if json != "-":
        _print(tally, seed, Console(highlight=False))
    return REJECTED if tally.disagreements else code


def _summary(tally: Tally) -> str:
    runs = sum(sum(verdicts.values()) for verdicts in tally.runs.values())
    counts = {
        "problem": tally.problems,
        "backend": len(tally.runs),
        "run": runs,
        "check": tally.checks,
        "disagreement": len(tally.disagreements),
    }
    return ", ".join(f"{count:,} {what}{'' if count == 1 else 's'}" for what, count in counts.items())


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
