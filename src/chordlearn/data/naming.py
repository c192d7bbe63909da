"""Names of columns: which are sound, which are meant, and how to speak of them in a message."""

from __future__ import annotations

import csv
import difflib
from collections import Counter
from collections.abc import Iterable, Sequence

from chordlearn.errors import InputError

SHOWN = 5


def listed(items: Sequence[str]) -> str:
    """Join the first few items into a phrase that stays one sentence however many there are."""
    phrase = ", ".join(items[:SHOWN])
    return phrase if len(items) <= SHOWN else f"{phrase} and {len(items) - SHOWN} more"


def has_control(text: str) -> bool:
    """Whether a text holds a character that would disturb a terminal or a text file.

    >>> has_control("blood pressure"), has_control("blood\\x1b[31m")
    (False, True)
    """
    return any(ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u2028\u2029" for char in text)


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
                f"The name of column {position} of {where}, {name!a}, has a control character; rename it."
            )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"{where} has more than one column named {listed([repr(name) for name in repeated])}; "
            "rename them, or add a header row if the first row is data."
        )


def parse_names(names: str | Iterable[str] | None, known: Sequence[str]) -> list[str] | None:
    """Turn a sequence of names, or one text with commas between them, into a list.

    >>> parse_names("a, b", ["a", "b", "c"])
    ['a', 'b']
    >>> parse_names("a, b", ["a, b", "c"])
    ['a, b']
    """
    if names is None:
        return None
    if isinstance(names, str):
        if names.strip() in known:
            return [names.strip()]
        names = next(csv.reader([names], skipinitialspace=True), [])
        return [name.strip() for name in names if name.strip()]
    return [str(name).strip() for name in names]


def position_of(name: str, known: Sequence[str], option: str) -> int:
    """Find a column by name, or say which names are near."""
    if name in known:
        return known.index(name)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    folded = [other for other in known if other.casefold() == name.casefold()]
    guesses = list(dict.fromkeys([*folded, *near]))
    hint = f"did you mean {' or '.join(guesses)}?" if guesses else f"the columns are {listed(list(known))}."
    raise InputError(f"There is no column {name!r} for --{option}; {hint}")


def choose(
    known: Sequence[str],
    columns: list[str] | None,
    drop: list[str] | None,
    counts: str | None,
) -> list[int]:
    """Return the positions of the variables, in the order asked for."""
    wanted = list(range(len(known)))
    if columns is not None:
        repeated = [name for name, times in Counter(columns).items() if times > 1]
        if repeated:
            raise InputError(f"--columns names {listed(repeated)} more than once; name each column once.")
        positions = {name: index for index, name in enumerate(known)}
        wanted = [positions[n] if n in positions else position_of(n, known, "columns") for n in columns]
    dropped = {position_of(name, known, "drop") for name in drop or ()}
    if counts is not None:
        dropped.add(position_of(counts, known, "counts"))
    kept = [index for index in wanted if index not in dropped]
    if not kept:
        raise InputError("No columns are left; choose at least one with --columns or drop fewer with --drop.")
    return kept
