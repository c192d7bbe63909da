"""`chordlearn sample`, `evaluate` and `impute`: a network and rows of data."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import chordlearn as cl
from chordlearn.cli.console import Console, answer, note, print_bytes
from chordlearn.cli.options import (
    READING,
    FitOption,
    ForceOption,
    GivenOption,
    JsonOption,
    NetworkArgument,
    SeedOption,
    with_options,
)
from chordlearn.cli.progress import ProgressLine
from chordlearn.cli.questions import gather_evidence
from chordlearn.report.outputs import check_outputs, check_table
from chordlearn.system.files import write_whole
from chordlearn.system.text import protected, shown_lines

if TYPE_CHECKING:
    import polars as pl


def sample_command(
    network: NetworkArgument,
    rows: Annotated[
        int, typer.Option("--rows", "-n", min=0, metavar="N", help="How many rows to draw.")
    ] = 10,
    given: GivenOption = None,
    seed: SeedOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .csv, .tsv or .parquet file instead of CSV on stdout."
        ),
    ] = None,
    data: FitOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Draw rows from a network, given what is observed."""
    check_table(output)
    check_outputs([(json, "sample"), (output, "rows")], [network, data], force=force)
    evidence = gather_evidence(given)
    net = cl.load_network(network, data)
    frame = net.sample(rows, given=evidence, seed=seed)
    if output is not None:
        _write_table(frame, output)
    if json is not None:
        document = {"variables": net.variables, "rows": [list(row) for row in frame.iter_rows()]}
        answer("sample", document, json, lambda _: None)
    elif output is None:
        text = _table_text(frame)
        # A pipe gets the states as they are; a terminal would obey what may be hidden in them.
        print_bytes(shown_lines(text) if sys.stdout.isatty() else text)


@with_options({"counts": READING["counts"]})
def evaluate_command(
    network: NetworkArgument,
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="The rows to evaluate it on; may have gaps.", show_default=False),
    ],
    counts: str | None,
    rows: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Also write the log-likelihood of every row."),
    ] = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Measure how well a network describes data: the log-likelihood, and the accuracy for each variable."""
    check_outputs([(json, "evaluation"), (rows, "likelihoods")], [network, data], force=force)
    with ProgressLine() as line:
        line.progress("reading")
        net = cl.load_network(network)
        line.progress("evaluating")
        found = cl.evaluate(net, data, counts=counts)
    if rows is not None:
        import polars as pl

        _write_table(pl.DataFrame({"log_likelihood": found.log_likelihoods, "count": found.weights}), rows)
    answer("evaluation", found.to_dict(), json, lambda console: _show_evaluation(found, console))


def _show_evaluation(found: cl.Evaluation, console: Console) -> None:
    figures = found.to_dict()
    if figures["log_likelihood"] is None:
        impossible = figures["impossible_rows"]
        console.say(f"log-likelihood −∞: {impossible} of {figures['rows']} rows are impossible")
    else:
        mean = figures["log_likelihood_per_row"]
        console.say(
            f"log-likelihood {figures['log_likelihood']:.4f} · {mean:.6f} per row · {figures['rows']} rows"
        )
    console.say()
    rows = (
        [name, f"{fit.accuracy:.4f}", f"{fit.commonest_state:.4f}"]
        for name, fit in found.variables.items()
        if fit.accuracy is not None
    )
    console.table(["variable", ">accuracy", ">baseline (commonest state)"], rows)


def impute_command(
    network: NetworkArgument,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="The table with missing values.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="A .csv, .tsv or .parquet file.", show_default=False
        ),
    ],
    draw: Annotated[
        bool, typer.Option("--draw", help="Draw the values instead of taking the most probable ones.")
    ] = False,
    seed: SeedOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Fill in missing values, with those that are most probable together or with a draw.

    Other values, the order of rows and columns that are not in the network stay as they are. A column of the
    network that the table lacks is added.
    """
    check_table(output)
    check_outputs([(json, "imputation"), (output, "rows")], [network, data], force=force)
    with ProgressLine() as line:
        line.progress("reading")
        net = cl.load_network(network)
        line.progress("filling in")
        found = cl.impute(net, data, draw=draw, seed=seed)
        _write_table(found.frame, output)
    rows = len(found.frame)
    for name, labels in zip(net.variables, net.states, strict=True):
        # This label is the state that --missing category makes of gaps.
        if "?" in labels:
            note(f"In this network 'missing' is a state of {name!r}, so its gaps stay.")
    document = {"rows": rows, "filled": found.filled, "drawn": draw, "output": str(output)}
    total = sum(found.filled.values())
    answer(
        "imputation",
        document,
        json,
        lambda console: console.say(f"{output}: {total} values filled in, {rows} rows"),
    )


def _table_text(frame: pl.DataFrame, separator: str = ",") -> str:
    """A data frame as CSV, with apostrophes before what would be a formula, in names too."""
    import polars as pl

    texts = frame.select(pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum)).cast(pl.String)
    kept = [
        column.replace({text: protected(text) for text in column.unique().drop_nulls()}) for column in texts
    ]
    return frame.with_columns(kept).rename(protected).write_csv(separator=separator)


def _write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a data frame in the format of the path's suffix, whole or not at all."""
    if path.suffix.lower() != ".parquet":
        write_whole(path, _table_text(frame, "\t" if path.suffix.lower() == ".tsv" else ","))
        return
    content = io.BytesIO()
    frame.write_parquet(content)
    write_whole(path, content.getvalue())
