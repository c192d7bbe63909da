"""`chordlearn verify` and `chordlearn selftest`: whether a result, or what is installed, can be trusted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

import chordlearn as cl
from chordlearn.cli.console import Console, answer, stdout
from chordlearn.cli.failures import INTERRUPTED, OK, REJECTED
from chordlearn.cli.options import ForceOption, JsonOption
from chordlearn.cli.progress import ProgressLine
from chordlearn.report.outputs import check_outputs
from chordlearn.system.text import plain, shown

if TYPE_CHECKING:
    from chordlearn.testing.agreement import Tally

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
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="S", min=0.0, help="Seconds for the check of a proof."),
    ] = None,
) -> int:
    """Check a result, or a whole proof, from its data with code that shares nothing with the solver.

    The data are read with the options that the result records. That the bound of a result is valid is taken
    on trust from the backend; a proof shows it. Exit codes: 0 everything is right · 1 it is rejected ·
    2 the input or the call is wrong · 3 the time limit came first.
    """
    with ProgressLine() as line:
        line.progress("checking")
        report = cl.verify(result, data, time_limit=time_limit, observer=line)
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
    json: JsonOption = None,
    force: ForceOption = False,
) -> int:
    """Solve random problems with all installed solvers, and check that they agree.

    The problems are small, so that all chordal graphs can be listed, and depend on the seed alone. A solver
    that needs more than a few seconds counts as unfinished, but what it found is checked too. Ctrl-C ends it
    with the counts so far. Exit codes: 0 no disagreement · 1 a disagreement · 130 interrupted.
    """
    from chordlearn.testing.agreement import Tally, compare_solvers

    check_outputs([(json, "selftest")], force=force)
    tally, code = Tally(), OK
    seconds, numbers = (60 * minutes, None) if problem is None else (math.inf, [problem])
    with ProgressLine() as line:

        def report(tally: Tally) -> None:
            line.progress("testing", detail=_summary(tally))

        report(tally)
        try:
            compare_solvers(tally, seconds=seconds, seed=seed, numbers=numbers, report=report)
        except KeyboardInterrupt:
            code = INTERRUPTED
    answer("selftest", tally.to_dict(), json, lambda console: _print_tally(tally, seed, console))
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


def _print_tally(tally: Tally, seed: int, console: Console) -> None:
    from chordlearn.testing.agreement import VERDICTS

    rows = (
        [backend, *(f"{counts[verdict]:,}" if counts[verdict] else "" for verdict in VERDICTS)]
        for backend, counts in sorted(tally.runs.items())
    )
    console.table(["backend", *(f">{verdict}" for verdict in VERDICTS)], rows, fixed=1 + len(VERDICTS))
    console.say()
    console.say(_summary(tally), style="bold red" if tally.disagreements else "bold green")
    for first in tally.disagreements[:1]:
        console.say(f"the first, problem {first['problem']}: {first['complaint']}")
        console.say(f"to run it again: chordlearn selftest --seed {seed} --problem {first['problem']}")
