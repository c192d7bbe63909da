"""Lists of variable names as users type them."""

from __future__ import annotations

import csv
from collections.abc import Sequence

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
