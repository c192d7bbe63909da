"""Names and numbers as other programs accept them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from chordlearn.network.directed import Table

SPELLED = {"<=": "le_", ">=": "ge_", "<": "lt_", ">": "gt_", "..": "_to_", "+": "plus_", "%": "_percent"}
"""Signs that tell states apart, as words; the longer ones first."""

EXPONENT = re.compile(r"[0-9]+[eE][0-9]+")
"""What would do for a state if it were not read as a number."""


def identifiers(
    names: Sequence[str], *, first_letter: bool = True, reserved: Collection[str] = ()
) -> tuple[str, ...]:
    """An identifier for each name, the name itself where it is one; all different, and no reserved word.

    Without ``first_letter`` an identifier may begin with a digit, as states often do.

    >>> identifiers(["age", "blood pressure", "blood-pressure", "2nd"])
    ('age', 'blood_pressure', 'blood_pressure_2', '_2nd')
    >>> identifiers(["0", "1", ">=2.5", "1e5"], first_letter=False)
    ('0', '1', 'ge_2_5', '_1e5')
    >>> identifiers(["type", "type_", "Type"], reserved=["type"])
    ('type__2', 'type_', 'Type')
    """
    made: list[str] = []
    taken = {name for name in names if _is_identifier(name, first_letter)} | set(reserved)
    for name in names:
        word = name
        if name in reserved or not _is_identifier(name, first_letter):
            for sign, spelled in SPELLED.items():
                word = word.replace(sign, spelled)
            word = re.sub(r"[^A-Za-z0-9_]", "_", word) or "_"
            word = f"_{word}" if EXPONENT.fullmatch(word) or (first_letter and word[0].isdigit()) else word
            word = f"{word}_" if word in reserved else word
            stem, number = word, 2
            while word in taken:
                word, number = f"{stem}_{number}", number + 1
        taken.add(word)
        made.append(word)
    return tuple(made)


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, numbered where one has come before.

    >>> distinct(["a", "b", "a", "a_2"])
    ('a', 'b', 'a_2', 'a_2_2')
    """
    made: dict[str, None] = {}
    for text in texts:
        word, number = text, 2
        while word in made:
            word, number = f"{text}_{number}", number + 1
        made[word] = None
    return tuple(made)


def _is_identifier(name: str, first_letter: bool) -> bool:
    pattern = r"[A-Za-z_][A-Za-z0-9_]*" if first_letter else r"[A-Za-z0-9_]+"
    return re.fullmatch(pattern, name) is not None and not EXPONENT.fullmatch(name)


def decimal(probability: float) -> str:
    """All digits and no exponent, which some readers do not know.

    >>> decimal(1e-7), decimal(0.1), decimal(1.0)
    ('0.0000001', '0.1', '1.0')
    """
    return np.format_float_positional(probability, unique=True, trim="0")


def decimals(table: Table) -> list[str]:
    """The same for each number in a table, row by row."""
    return [decimal(number) for number in table.ravel().tolist()]
