"""`chordlearn score`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from chordlearn.cli import options
from chordlearn.cli.names import gather_names
from chordlearn.cli.outputs import check_writable
from chordlearn.cli.progress import ProgressLine


def score_command(
    data: options.DataArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the scores.", show_default=False),
    ],
    file_format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="The format, if the suffix does not say it.")
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
) -> None:
    """Write the score of every set of variables, for learning later or for another program."""
