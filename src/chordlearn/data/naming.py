"""Names of columns: which are sound, which are meant, and how to speak of them in a message."""

from __future__ import annotations

import csv
import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from chordlearn.errors import InputError, option

SHOWN = 5
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def listed(items: Sequence[str]) -> str:
    """Join the first few items into a phrase that stays one sentence however many there are."""
    phrase = ", ".join(items[:SHOWN])
    return phrase if len(items) <= SHOWN else f"{phrase} and {len(items) - SHOWN} more"


def has_control(text: str) -> bool:
    """Whether a text holds a character that would disturb a terminal or a text file.

    >>> has_control("blood pressure"), has_control("blood\\x1b[31m")
    (False, True)
    """
    return _CONTROL.search(text) is not None


def with_names(names: Sequence[str | None]) -> list[str]:
    """The names of a header, in which a column without one is called by its place.

    >>> with_names(["", "age", "column 1"])
    ['column 1_', 'age', 'column 1']
    """
    found = [name or "" for name in names]
    for place, name in enumerate(found):
        if not name:
            found[place] = f"column {place + 1}"
            while found[place] in names:
                found[place] += "_"
    return found


def distinguished(names: Sequence[str]) -> list[str]:
    """Names that :func:`check_names` would refuse, made different and printable, to describe a table.

    >>> distinguished(["a", "b", "a"])
    ['a', 'b', 'a (column 3)']
    """
    sound = with_names(["" if has_control(name) else name for name in names])
    return [
        f"{name} (column {place})" if name in sound[: place - 1] else name
        for place, name in enumerate(sound, start=1)
    ]


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse empty, repeated or unprintable column names."""
    if not names:
        raise InputError(f"{where} has no columns; give it at least one named column.")
    for position, name in enumerate(names, start=1):
        if not name:
            raise InputError(
                f"Column {position} of {where} has no name; give every column a name in the header."
            )
        if has_control(name) or any("\ud800" <= char <= "\udfff" for char in name):
            raise InputError(
                f"The name of column {position} of {where}, {name!a}, has a control character; "
                "rename it, or save the text as UTF-8 if it is not."
            )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"{where} has more than one column named {listed([repr(name) for name in repeated])}; "
            "rename them, or add a header row if the first row is data."
        )


def parse_names(
    names: str | Iterable[str] | None, known: Sequence[str], argument: str = "columns"
) -> list[str] | None:
    """Turn texts into a list of names. One that is exactly a column's name is that; others have commas.

    >>> parse_names("a, b", ["a", "b", "c"])
    ['a', 'b']
    >>> parse_names(["a, b", 'c,"d, e"'], ["a, b", "c", "d, e"])
    ['a, b', 'c', 'd, e']
    """
    if names is None:
        return None
    return [
        name
        for text in ([names] if isinstance(names, str) else names)
        for name in _split(text, known, argument)
    ]


def _split(text: object, known: Sequence[str], argument: str) -> list[str]:
    name = str(text).strip()
    if name in known:
        return [name]
    try:
        rows = list(csv.reader([name], skipinitialspace=True, strict=True))
    except csv.Error:
        raise InputError(
            f"{option(argument)} {name!r} is not a list of names; "
            'write A,B,C and quote a name with a comma as "A,B".'
        ) from None
    return [part.strip() for row in rows for part in row if part.strip()]


def position_of(name: str, known: Sequence[str], argument: str) -> int:
    """Find a column by name, or say which names are near."""
    if name in known:
        return known.index(name)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    folded = [other for other in known if other.casefold() == name.casefold()]
    guesses = list(dict.fromkeys([*folded, *near]))
    hint = f"did you mean {' or '.join(guesses)}?" if guesses else f"the columns are {listed(list(known))}."
    raise InputError(f"There is no column {name!r} for {option(argument)}; {hint}")


def choose(
    known: Sequence[str],
    columns: list[str] | None,
    drop: list[str] | None,
    counts: str | None,
    what: str = "counts",
) -> list[int]:
    """Return the positions of the variables, in the order asked for."""
    wanted = list(range(len(known)))
    if columns is not None:
        repeated = [name for name, times in Counter(columns).items() if times > 1]
        if repeated:
            raise InputError(
                f"{option('columns')} names {listed(repeated)} more than once; name each column once."
            )
        positions = {name: index for index, name in enumerate(known)}
        wanted = [positions[n] if n in positions else position_of(n, known, "columns") for n in columns]
    dropped = {position_of(name, known, "drop") for name in drop or ()}
    if counts is not None:
        dropped.add(position_of(counts, known, what))
    kept = [index for index in wanted if index not in dropped]
    if not kept:
        raise InputError(
            f"No columns are left; choose at least one with {option('columns')} "
            f"or drop fewer with {option('drop')}."
        )
    return kept
