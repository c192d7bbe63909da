"""`chordlearn sample`, `evaluate`, `impute` and `update`: a network and rows of data."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import chordlearn as cl
from chordlearn.cli.console import Console, answer, note, print_bytes
from chordlearn.cli.failures import INTERRUPTED, OK
from chordlearn.cli.options import (
    COUNTING,
    THREADS,
    UNSEEN,
    FitOption,
    ForceOption,
    GivenOption,
    JsonOption,
    NetworkArgument,
    SeedOption,
    one_source,
    with_options,
)
from chordlearn.cli.progress import Broadcast, Finishing, ProgressLine
from chordlearn.cli.questions import gather_evidence
from chordlearn.errors import InputError
from chordlearn.report.outputs import check_outputs, check_table, kind_of
from chordlearn.system.files import write_whole
from chordlearn.system.text import counted, protected, shown_lines

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


@with_options(COUNTING, UNSEEN)
def evaluate_command(
    network: NetworkArgument,
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="The rows to evaluate it on; may have gaps.", show_default=False),
    ],
    counts: str | None,
    weights: str | None,
    unseen: str,
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
        found = cl.evaluate(net, data, counts=counts, weights=weights, unseen=unseen)
    if rows is not None:
        import polars as pl

        _write_table(pl.DataFrame({"log_likelihood": found.log_likelihoods, "count": found.weights}), rows)
    if found.unseen:
        note(found.unseen_in_words)
    answer("evaluation", found.to_dict(), json, lambda console: _show_evaluation(found, console))


def _show_evaluation(found: cl.Evaluation, console: Console) -> None:
    figures = found.to_dict()
    if figures["log_likelihood"] is None:
        impossible = figures["impossible_rows"]
        console.say(
            f"log-likelihood −∞: {impossible:.12g} of {counted(figures['rows'], 'row')} are impossible"
        )
    else:
        mean = figures["log_likelihood_per_row"]
        console.say(
            f"log-likelihood {figures['log_likelihood']:.4f} · {mean:.6f} per row"
            f" · {counted(figures['rows'], 'row')}"
        )
    console.say()
    rows = (
        [name, f"{fit.accuracy:.4f}", f"{fit.commonest_state:.4f}"]
        for name, fit in found.variables.items()
        if fit.accuracy is not None
    )
    console.table(["variable", ">accuracy", ">baseline (commonest state)"], rows)


@with_options(UNSEEN)
def impute_command(
    network: NetworkArgument,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="The table with missing values.", show_default=False)
    ],
    unseen: str,
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
        found = cl.impute(net, data, draw=draw, seed=seed, unseen=unseen)
        _write_table(found.frame, output)
    rows = len(found.frame)
    for name, labels in zip(net.variables, net.states, strict=True):
        # This label is the state that --missing category makes of gaps.
        if "?" in labels:
            note(f"In this network 'missing' is a state of {name!r}, so its gaps stay.")
    if found.unseen:
        note(found.unseen_in_words)
    document = {
        "rows": rows,
        "unseen": found.unseen,
        "filled": found.filled,
        "drawn": draw,
        "output": str(output),
    }
    total = sum(found.filled.values())
    answer(
        "imputation",
        document,
        json,
        lambda console: console.say(f"{output}: {total} values filled in, {rows} rows"),
    )


@with_options(COUNTING, THREADS)
def update_command(
    network: NetworkArgument,
    more: Annotated[
        list[str],
        typer.Argument(
            metavar="MORE_ROWS…", help="The rows to add, as [b]learn[/b] reads them.", show_default=False
        ),
    ],
    counts: str | None,
    weights: str | None,
    threads: int | None,
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="error|drop|em",
            help="Rows with missing values: refuse, leave out, or count what NET expects them to hold. "
            "[dim](default: as NET was learned)[/dim]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE.chord.json", help="Write this file and leave NET as it is."
        ),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review/--no-review", help="Learn from all rows, to compare the structures.")
    ] = True,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop the review after this time.")
    ] = None,
    data: FitOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> int:
    """Count more rows in the tables of a network, and say whether its structure would now be another.

    The structure stays. The rows that were counted before are needed for the review only, and read again.
    """
    if output is None and kind_of(network) == "result":
        raise InputError(
            f"{network} is a result, which has no tables; name a file for the network with --output."
        )
    target = output or network
    kept = network if output else None
    check_outputs([(json, "update"), (target, "network")], [kept, more, data], force=force)
    finishing = Finishing()
    with ProgressLine() as line:
        line.progress("reading")
        net = cl.load_network(network, data)
        found = cl.update(net, one_source(more), counts=counts, weights=weights, missing=missing)
        found.network.save(target)
        reviewed, why_not = None, None
        if review:
            try:
                observer = Broadcast([line, finishing])
                reviewed = found.review(data, time_limit=time_limit, threads=threads, observer=observer)
            except InputError as error:
                why_not = error.on_command_line()
    if found.counted_before:
        note("The network counted just these rows before; if that is a mistake, start from an older file.")
    document = {
        "network": str(target),
        **found.to_dict(),
        "review": None if reviewed is None else reviewed.to_dict(),
    }

    def show(console: Console) -> None:
        rows = found.to_dict()
        console.say(f"{target}: {rows['rows_before']} rows and {rows['rows_added']} more")
        if found.dropped:
            console.say(f"{found.dropped} rows with missing values were left out")
        if reviewed is not None:
            console.say(reviewed.in_words, style="yellow" if reviewed.gain else "")

    answer("update", document, json, show)
    if why_not is not None:
        note(f"Without the rows counted before (--data) the structure was not reviewed: {why_not}")
    return INTERRUPTED if finishing.interrupted else OK


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
