"""Options that several commands share, and lists of names as users type them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from chordlearn.errors import InputError
from chordlearn.problem.constraints import Edge


def split_names(text: str, option: str) -> tuple[str, ...]:
    """The names in a comma-separated list, in which a name with a comma stands in double quotes.

    >>> split_names('age, "height, cm"', "--columns")
    ('age', 'height, cm')
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        rows = []
    names = tuple(name.strip() for name in rows[0]) if len(rows) == 1 else ()
    if not names or not all(names):
        raise InputError(
            f'{option} {text!r} is not a list of names; write A,B,C and quote a name with a comma as "A,B".'
        )
    return names


def gather_edges(texts: Sequence[str] | None, option: str) -> tuple[Edge, ...]:
    """The edges of an option that may be given several times.

    >>> gather_edges(["a,b", "b,c"], "--require")
    (('a', 'b'), ('b', 'c'))
    """
    edges = []
    for text in texts or ():
        names = split_names(text, option)
        if len(names) != 2:
            raise InputError(
                f"{option} {text!r} must name the two variables of one edge, as in {option} A,B."
            )
        edges.append((names[0], names[1]))
    return tuple(edges)


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
    typer.Option(
        "--columns",
        metavar="A,B,…",
        help="Use only these columns. May be repeated; a value that is a column's name is that column, "
        "whatever commas it has.",
        rich_help_panel=READING,
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="A,B,…",
        help="Leave these columns out. May be repeated, as --columns.",
        rich_help_panel=READING,
    ),
]
CountsOption = Annotated[
    str | None,
    typer.Option(
        "--counts",
        metavar="COLUMN|none",
        help="The column that says how often each row occurs: DATA is a contingency table. none: it is not.",
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
    list[str] | None,
    typer.Option(
        "--discretize",
        metavar="[COLUMN=]quantile:K|width:K",
        help="Cut columns of numbers (or this one) into K classes of equal size or of equal width; "
        "COLUMN=keep leaves one as it is. May be repeated.",
        rich_help_panel=READING,
    ),
]


def reading(
    columns: list[str] | None,
    drop: list[str] | None,
    counts: str | None,
    missing: str,
    discretize: list[str] | None,
) -> dict[str, Any]:
    """The options above as :func:`chordlearn.read` takes them.

    >>> reading(None, ["a", "b"], None, "drop", ["quantile:3"])["discretize"]
    'quantile:3'
    """
    return {
        "columns": columns or None,
        "drop": drop or None,
        "counts": counts,
        "missing": missing,
        "discretize": one_source(discretize) if discretize else None,
    }


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
