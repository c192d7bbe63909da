"""`chordlearn selftest`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from chordlearn.cli.failures import INTERRUPTED, OK, REJECTED
from chordlearn.cli.options import ForceOption, JsonOption
from chordlearn.cli.printing import Console, answer
from chordlearn.cli.progress import ProgressLine
from chordlearn.report.outputs import check_outputs

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
    answer("selftest", tally.to_dict(), json, lambda console: _print(tally, seed, console))
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
