"""`chordlearn score`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chordlearn.cli import options
from chordlearn.cli.consoles import Console
from chordlearn.cli.outputs import ForceOption, check_outputs
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import InputError
from chordlearn.system.text import plain


def score_command(
    data: options.DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write them.", show_default=False)
    ],
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="junctor, dmst, cussens or plain, if the suffix does not say."
        ),
    ] = None,
    max_size: Annotated[
        int | None, typer.Option("--max-size", metavar="K", min=1, help="Only sets of at most K variables.")
    ] = None,
    score: options.ScoreOption = "bdeu",
    ess: options.EssOption = None,
    alpha: options.AlphaOption = None,
    edge_prior: options.EdgePriorOption = 0.0,
    threads: options.ThreadsOption = None,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    counts: options.CountsOption = None,
    missing: options.MissingOption = "error",
    discretize: options.DiscretizeOption = None,
    force: ForceOption = False,
) -> None:
    """Write the score of every set of variables, to learn from later or with another program."""
    from chordlearn.pipeline.inputs import score_sets
    from chordlearn.scores import write_scores

    _check_format(output, file_format)
    check_outputs([(output, "scores")], [data], force=force)
    with ProgressLine() as line:
        table = score_sets(
            options.one_source(data),
            score=score,
            ess=ess,
            alpha=alpha,
            edge_prior=edge_prior,
            max_size=max_size,
            threads=threads,
            observer=line,
            **options.reading(columns, drop, counts, missing, discretize),
        ).table
        line.progress("writing", None, None)
        write_scores(table, output, format=file_format)
    sizes = f"{table.n} variables, sets of at most {table.max_size}"
    Console(highlight=False).print(plain(f"{output}: {sizes}"))


def _check_format(output: Path, file_format: str | None) -> None:
    """Refuse a format that cannot be written before the sets are scored."""
    from chordlearn.scores.files import FORMATS, is_score_file

    if file_format not in FORMATS and not (file_format is None and is_score_file(output)):
        known = ", ".join(f"{kind.suffixes[0]} ({name})" for name, kind in FORMATS.items())
        asked = f"the suffix of {output}" if file_format is None else f"--format {file_format}"
        raise InputError(f"No score file format is named by {asked}; those known are {known}.")
