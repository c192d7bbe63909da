"""Options that several commands share, each stated once."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from chordlearn.errors import InputError

Edge = tuple[str, str]
Command = Callable[..., Any]

LONG_RUNS = "Long runs"


class Shared(NamedTuple):
    """An option as typer takes it, and what becomes of its value."""

    type: Any
    option: Any
    convert: Callable[[Any], Any]


def with_options(*groups: Mapping[str, Shared]) -> Callable[[Command], Command]:
    """Give a command the options of these groups, which it receives as keyword arguments.

    They stand after what it cannot do without and before its own options.
    """
    shared = {name: option for group in groups for name, option in group.items()}

    def decorate(command: Command) -> Command:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD and parameter.name not in shared
        ]
        needed = [parameter for parameter in own if parameter.default is inspect.Parameter.empty]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=one.option, annotation=one.type)
            for name, one in shared.items()
        ]

        @wraps(command)
        def run(**values: Any) -> Any:
            for name, one in shared.items():
                values[name] = one.convert(values[name])
            return command(**values)

        # Typer asks for the signature alone; these names mean nothing here.
        del run.__wrapped__
        run.__annotations__ = {}
        run.__signature__ = inspect.Signature([*needed, *added, *(one for one in own if one not in needed)])  # type: ignore[attr-defined]
        return run

    return decorate


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


def one_source(data: list[str] | None) -> str | list[str] | None:
    """The only value, or all of them.

    >>> one_source(["a.csv"]), one_source(["a.csv", "b.csv"])
    ('a.csv', ['a.csv', 'b.csv'])
    """
    return data[0] if data and len(data) == 1 else data


def option(
    panel: str | None,
    kind: Any,
    default: Any,
    help: str,
    *flags: str,
    convert: Callable[[Any], Any] = lambda value: value,
    **about: Any,
) -> Shared:
    """An option of a group, shown in this panel of the help."""
    return Shared(kind, typer.Option(default, *flags, help=help, rich_help_panel=panel, **about), convert)


_score = partial(option, "Score")
_constraint = partial(option, "Constraints")
_reading = partial(option, "Reading the data")

SCORE = {
    "score": _score(str, "bdeu", "bdeu, dirichlet, jeffreys, k2, bic, aic or qnml.", metavar="NAME"),
    "ess": _score(float | None, None, "Equivalent sample size of bdeu. [dim](default: 1)[/dim]"),
    "alpha": _score(float | None, None, "Parameter of every cell for dirichlet."),
    "edge_prior": _score(
        float,
        0.0,
        "Log prior odds of each edge; negative favours sparse networks.",
        metavar="LOG-ODDS",
    ),
}

CONSTRAINTS = {
    "max_clique": _constraint(int | None, None, "Largest clique allowed.", metavar="K", min=1),
    "require": _constraint(
        list[str] | None,
        None,
        "An edge that must be there. May be repeated.",
        metavar="A,B",
        convert=lambda texts: gather_edges(texts, "--require"),
    ),
    "forbid": _constraint(
        list[str] | None,
        None,
        "An edge that must not be there. May be repeated.",
        metavar="A,B",
        convert=lambda texts: gather_edges(texts, "--forbid"),
    ),
}

THREADS = {"threads": option(None, int | None, None, "Threads to use. [dim](default: all)[/dim]", min=1)}

READING = {
    "columns": _reading(
        list[str] | None,
        None,
        "Use only these columns. May be repeated; a value that is a column's name is that column, "
        "whatever commas it has.",
        metavar="A,B,…",
    ),
    "drop": _reading(
        list[str] | None, None, "Leave these columns out. May be repeated, as --columns.", metavar="A,B,…"
    ),
    "counts": _reading(
        str | None,
        None,
        "The column that says how often each row occurs: DATA is a contingency table. none: it is not.",
        metavar="COLUMN|none",
    ),
    "weights": _reading(
        str | None,
        None,
        "The column of the weights of observations, whole or not, which are taken as they are.",
        metavar="COLUMN",
    ),
    "states": _reading(
        str | None,
        None,
        "States that columns have whether or not they occur: an object of lists, or lines of column,state. "
        "occurring: no others, whatever a Parquet file declares.",
        metavar="FILE.json|.csv|occurring",
    ),
    "missing": _reading(
        str,
        "error",
        "Missing values (?, empty, NA, null): refuse them, drop their rows, count 'missing' as a state, "
        "learn by EM, or by that and from M completed tables.",
        metavar="error|drop|category|em|impute:M",
    ),
    "discretize": _reading(
        list[str] | None,
        None,
        "Cut columns of numbers (or this one) into K classes of equal size or of equal width; "
        "COLUMN=keep leaves one as it is. May be repeated.",
        metavar="[COLUMN=]quantile:K|width:K",
        convert=one_source,
    ),
}
"""As :func:`chordlearn.read` takes them."""
COUNTING = {name: READING[name] for name in ("counts", "weights")}
UNSEEN = {
    "unseen": option(
        None,
        str,
        "missing",
        "What states are that the network does not have: missing, with a count, or an error.",
        metavar="missing|error",
    )
}

DataArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA…",
        help="A CSV, TSV or Parquet file, or several that are one table (also as a pattern such as "
        "'part-*.parquet'); a bundled set (see [b]chordlearn data[/b]); or a score file.",
        show_default=False,
    ),
]
NetworkArgument = Annotated[
    Path,
    typer.Argument(
        metavar="NET",
        help="A network file (.chord.json), or a result, whose data are then read again.",
        show_default=False,
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS|local:N",
        help="Hand the work to a dask cluster: tcp://host:8786, or N workers on this machine.",
        rich_help_panel=LONG_RUNS,
    ),
]
FitOption = Annotated[
    str | None,
    typer.Option(
        "--data", metavar="DATA", help="For a result: the data, if they are no longer where it says."
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        "-g",
        metavar="A=x,…",
        help="What is observed; weights of states as A={x: 0.8, y: 0.2}. May be repeated.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(min=0, help="The seed of the random numbers. [dim](default: another each time)[/dim]"),
]
JsonOption = Annotated[
    str | None, typer.Option(metavar="FILE|-", help="Write JSON; - prints it and nothing else.")
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace output files that chordlearn did not write, too; inputs are never replaced."
    ),
]
