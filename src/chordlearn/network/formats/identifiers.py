"""Names that other programs accept where ours may hold any character."""

from __future__ import annotations

import re
from collections.abc import Sequence


def identifiers(names: Sequence[str], *, first_letter: bool = True) -> tuple[str, ...]:
    """An identifier for each name, the name itself where it is one; all different.

    Without ``first_letter`` an identifier may begin with a digit, as states often do.

    >>> identifiers(["age", "blood pressure", "blood-pressure", "2nd"])
    ('age', 'blood_pressure', 'blood_pressure_2', '_2nd')
    >>> identifiers(["0", "1", ">=2.5"], first_letter=False)
    ('0', '1', '__2_5')
    """
    made: list[str] = []
    taken = {name for name in names if _is_identifier(name, first_letter)}
    for name in names:
        word = name
        if not _is_identifier(name, first_letter):
            word = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
            word = f"_{word}" if first_letter and word[0].isdigit() else word
            stem, number = word, 2
            while word in taken:
                word, number = f"{stem}_{number}", number + 1
        taken.add(word)
        made.append(word)
    return tuple(made)


def _is_identifier(name: str, first_letter: bool) -> bool:
    pattern = r"[A-Za-z_][A-Za-z0-9_]*" if first_letter else r"[A-Za-z0-9_]+"
    return re.fullmatch(pattern, name) is not None


def one_line(text: str) -> str:
    """For comments: nothing that could end one.

    >>> one_line("a*/b")
    'a* /b'
    """
    return " ".join(text.split()).replace("*/", "* /").replace('"', "'")
