"""`chordlearn selftest`."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.failures import INTERRUPTED, OK, REJECTED
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import InputError
from chordlearn.report.spans import plain
from chordlearn.showing import shown

if TYPE_CHECKING:
    from chordlearn.selftest import Share, Tally

MOST_COMPLAINTS = 8


def selftest_command(
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="M", min=0.0, help="How long to go on.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Of the problems.")] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, help="Processes that share the problems.")
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The first disagreement goes there.  [default: selftest-S.json]",
            show_default=False,
        ),
    ] = None,
    problem: Annotated[
        int | None, typer.Option("--problem", metavar="K", min=0, help="Only the problem of this number.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Run a disagreement again.")
    ] = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
    share: Annotated[str | None, typer.Option("--share", hidden=True)] = None,
) -> int:
    """Solve random problems with all backends in many ways, and compare what they say.

    The problems depend on the seed alone. A solver that does not come to an end in a few seconds counts as
    unfinished, but its score and bound are compared too. Ctrl-C ends it with the counts so far. Exit codes:
    0 no disagreement · 1 a disagreement · 130 interrupted.
    """
    from chordlearn.selftest import campaign, run_campaign, run_crew

    target = out or Path(f"selftest-{seed}.json")
    outputs.check_outputs(
        [(json, "campaign"), (None if replay else target, "selftest")], [replay], force=force
    )
    whole = True
    with ProgressLine() as line:
        line.progress("testing", None, None)

        told: set[int] = set()

        def tell(tally: Tally) -> None:
            line.progress("testing", None, None, _in_short(tally))
            for note in tally.noted:
                if note["problem"] not in told:
                    told.add(note["problem"])
                    typer.echo(
                        shown(f"problem {note['problem']} ({note['what']}): {note['complaints'][0]}"),
                        err=True,
                    )

        if replay is not None:
            tally = campaign.replay(replay)
        elif problem is not None:
            tally = campaign.run_one(seed, problem, target)
        elif share is not None:
            return _run_share(_read_share(share), 60 * minutes, seed, target)
        elif jobs > 1:
            tally, whole = run_crew(seconds=60 * minutes, seed=seed, jobs=jobs, out=target, tell=tell)
        else:
            tally, whole = run_campaign(seconds=60 * minutes, seed=seed, out=target, tell=tell)
    if json is not None:
        networks.emit_json("campaign", tally.as_json(), json)
    if json != "-":
        _print(tally, None if replay else target, Console(highlight=False))
    if tally.disagreements:
        return REJECTED
    return OK if whole else INTERRUPTED


def _run_share(share: Share, seconds: float, seed: int, out: Path) -> int:
    """As one of several processes: a line of JSON with all counts after every problem."""
    from chordlearn.selftest import run_campaign

    def tell(tally: Tally) -> None:
        sys.stdout.write(json_format.dumps(tally.as_json()) + "\n")
        sys.stdout.flush()

    tally, _ = run_campaign(seconds=seconds, seed=seed, share=share, out=out, tell=tell)
    return REJECTED if tally.disagreements else OK


def _read_share(text: str) -> Share:
    from chordlearn.selftest import Share

    index, _, of = text.partition("/")
    if not (index.isdigit() and of.isdigit() and int(index) < int(of)):
        raise InputError(f"A share is written as 0/2, not {text!r}.")
    return Share(int(index), int(of))


def _in_short(tally: Tally) -> str:
    words = [f"{tally.problems:,} problems", f"{tally.comparisons:,} comparisons"]
    return ", ".join([*words, f"{tally.disagreements} disagreements"])


def _print(tally: Tally, written: Path | None, console: Console) -> None:
    from chordlearn.selftest.tally import VERDICTS

    table = Table(box=None, pad_edge=False)
    table.add_column("backend", style="bold", no_wrap=True)
    for verdict in VERDICTS:
        table.add_column(verdict, justify="right", no_wrap=True)
    for backend, counts in sorted(tally.runs.items()):
        table.add_row(backend, *(f"{counts[verdict]:,}" if counts[verdict] else "" for verdict in VERDICTS))
    console.print(table)
    console.print()
    style = "bold red" if tally.disagreements else "bold green"
    runs = sum(sum(counts.values()) for counts in tally.runs.values())
    console.print(
        plain(
            f"{tally.problems:,} problems, {len(tally.runs)} backends, {runs:,} runs, "
            f"{tally.comparisons:,} comparisons, {tally.disagreements} disagreements",
            style=style,
        )
    )
    if not tally.noted:
        return
    first = tally.noted[0]
    console.print(plain(f"the first, problem {first['problem']} ({first['what']}):"))
    for complaint in first["complaints"][:MOST_COMPLAINTS]:
        console.print(plain(f"  {complaint}"))
    if len(first["complaints"]) > MOST_COMPLAINTS:
        console.print(plain(f"  and {len(first['complaints']) - MOST_COMPLAINTS} more"))
    if written is not None:
        console.print(plain(f"to run it again: chordlearn selftest --replay {written}"))
