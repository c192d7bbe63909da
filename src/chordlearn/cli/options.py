"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

READING = "Reading the data"
SCORING = "Score"
LONG_RUNS = "Long runs"

DataArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA…",
        help="A CSV, TSV or Parquet file, or several that are one table (also as a pattern such as "
        "'part-*.parquet'); a bundled set (see [b]chordlearn data[/b]); or a score file.",
        show_default=False,
    ),
]


def one_source(data: list[str]) -> str | list[str]:
    """The only DATA, or all of them.

    >>> one_source(["a.csv"]), one_source(["a.csv", "b.csv"])
    ('a.csv', ['a.csv', 'b.csv'])
    """
    return data[0] if len(data) == 1 else data


ColumnsOption = Annotated[
    list[str] | None,
    typer.Option("--columns", metavar="A,B,…", help="Use only these columns.", rich_help_panel=READING),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="A,B,…", help="Leave these columns out.", rich_help_panel=READING),
]
CountsOption = Annotated[
    str | None,
    typer.Option(
        "--counts",
        metavar="COLUMN",
        help="The column that says how often each row occurs: DATA is a contingency table.",
        rich_help_panel=READING,
    ),
]
MissingOption = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="error|drop|category",
        help="Rows with missing values (?, empty, NA, null): refuse, drop, or count 'missing' as a state.",
        rich_help_panel=READING,
    ),
]
DiscretizeOption = Annotated[
    str | None,
    typer.Option(
        "--discretize",
        metavar="quantile:K|width:K",
        help="Cut continuous columns into K classes of equal size or of equal width.",
        rich_help_panel=READING,
    ),
]
ScoreOption = Annotated[
    str,
    typer.Option(
        "--score",
        metavar="NAME",
        help="bdeu, dirichlet, jeffreys, k2, bic, aic or qnml.",
        rich_help_panel=SCORING,
    ),
]
EssOption = Annotated[
    float | None,
    typer.Option(
        "--ess", help="Equivalent sample size of bdeu. [dim](default: 1)[/dim]", rich_help_panel=SCORING
    ),
]
AlphaOption = Annotated[
    float | None,
    typer.Option("--alpha", help="Parameter of every cell for dirichlet.", rich_help_panel=SCORING),
]
EdgePriorOption = Annotated[
    float,
    typer.Option(
        "--edge-prior",
        metavar="LOG-ODDS",
        help="Log prior odds of each edge; negative favours sparse networks.",
        rich_help_panel=SCORING,
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS|local:N",
        help="Hand the work to a dask cluster: tcp://host:8786, or N workers on this machine.",
        rich_help_panel=LONG_RUNS,
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="Threads to use. [dim](default: all)[/dim]"),
]
