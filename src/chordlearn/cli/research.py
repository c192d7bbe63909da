"""`chordlearn solvers`, `score`, `encode` and `decode`: for those who work on solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import chordlearn as cl
from chordlearn.cli.console import stdout
from chordlearn.cli.options import (
    CONSTRAINTS,
    READING,
    SCORE,
    THREADS,
    DataArgument,
    ForceOption,
    one_source,
    option,
    with_options,
)
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import InputError
from chordlearn.report.outputs import check_outputs, check_score_format
from chordlearn.report.terminal import print_result


def solvers_command() -> None:
    """List the backends: which can run here, which cannot and why, and how to get them."""
    rows: list[list[str | Text]] = []
    for solver in cl.solvers():
        proves = "?" if solver.exact is None else "yes" if solver.exact else "no"
        mark = Text("✓", "green") if solver.available else Text("✗", "red")
        why = " ".join(text for text in (solver.reason, solver.how_to_get) if text)
        what = (
            solver.summary if solver.available else ": ".join(text for text in (solver.summary, why) if text)
        )
        rows.append([solver.name, mark, solver.version if solver.available else "", proves, what])
    heads = ["backend", "", "version", "proves", "what it is, or why it cannot run and how to get it"]
    stdout().table(heads, rows, fixed=4)


SCORING = {
    "output": option(None, Path, ..., "Where to write them.", "--output", "-o", metavar="FILE"),
    "format": option(
        None, str | None, None, "junctor, dmst, cussens or plain, if the suffix does not say.", metavar="NAME"
    ),
    "max_size": option(None, int | None, None, "Only sets of at most K variables.", metavar="K", min=1),
}


@with_options(SCORING, SCORE, THREADS, READING)
def score_command(
    data: DataArgument, output: Path, format: str | None, force: ForceOption = False, **options: Any
) -> None:
    """Write the score of every set of variables, to learn from later or with another program."""
    check_score_format(output, format)
    check_outputs([(output, "scores")], [data], force=force)
    with ProgressLine() as line:
        table = cl.score_sets(one_source(data), observer=line, **options)
        line.progress("writing")
        cl.write_scores(table, output, format=format)
    stdout().say(f"{output}: {table.n} variables, sets of at most {table.max_size}")


def _switches(settings: list[str] | None) -> dict[str, bool]:
    switches = {}
    for setting in settings or ():
        name, _, value = setting.partition("=")
        if value not in ("on", "off"):
            raise InputError(f"--set {setting!r} must be NAME=on or NAME=off, as in --set chordality=off.")
        switches[name.strip().replace("-", "_")] = value == "on"
    return switches


ENCODING = {
    "output": option(None, Path, ..., "Where to write the model.", "--output", "-o", metavar="FILE"),
    "encoding": option(
        None, str, "edges", "The constraint model.", metavar="paper|paper-implied|edges|elimination"
    ),
    "format": option(
        None,
        str | None,
        None,
        "The language, if the suffix does not say.",
        metavar="wcnf|wcnf-classic|opb|smt2|lp|mps",
    ),
    "reduce": option(
        None, bool, False, "Write every candidate.", "--no-reduce", convert=lambda without: not without
    ),
    "scale": option(
        None,
        float | None,
        None,
        "Round scores times K to integers. By default as precise as integer languages allow; "
        "smt2 and mps keep real scores.",
        metavar="K",
    ),
    "settings": option(
        None,
        list[str] | None,
        None,
        "An option of the encoding. May be repeated.",
        "--set",
        metavar="NAME=on|off",
        convert=_switches,
    ),
}
"""As :func:`chordlearn.encode` takes them."""


@with_options(ENCODING, CONSTRAINTS, SCORE, THREADS, READING)
def encode_command(data: DataArgument, output: Path, force: ForceOption = False, **options: Any) -> None:
    """Write the learning problem as a constraint model for any solver, and beside it a map of its variables.

    The solver's answer becomes a result with chordlearn decode.
    """
    check_outputs([(output, "encoded"), (_map_of(output), "model")], [data], force=force)
    with ProgressLine() as line:
        written = cl.encode(one_source(data), output, observer=line, **options)
    stdout().say(f"{output}: {written.size}")


def decode_command(
    model: Annotated[
        Path, typer.Argument(metavar="FILE", help="What chordlearn encode wrote.", show_default=False)
    ],
    answer: Annotated[
        Path,
        typer.Argument(
            metavar="SOLVER_OUTPUT", help="What the solver printed, or its solution file.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="RESULT.json", help="Write the result as JSON."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Turn a solver's answer to an encoded file into a result, scored with the real scores."""
    check_outputs([(output, "result")], [model, _map_of(model), answer], force=force)
    result = cl.decode(model, answer)
    if output is not None:
        result.save(output)
    print_result(result, stdout())


def _map_of(model: Path) -> Path:
    """The map that encode writes beside a model."""
    return model.with_name(f"{model.name}.map.json")
