"""Names as they fit on paper: broken into short lines, cut in the middle when they are still too long."""

from __future__ import annotations

import re
import unicodedata

LONGEST_LINE = 18
MOST_LINES = 3
WIDE = ("W", "F")


def printable(name: str) -> str:
    """The name without characters that have no shape, which XML and fonts refuse.

    >>> printable("a\\tb")
    'a�b'
    """
    return "".join(letter if letter.isprintable() else "�" for letter in name) or "�"


def cells(text: str) -> int:
    """How many columns a text takes, where East Asian letters take two.

    >>> cells("abc"), cells("年齢")
    (3, 4)
    """
    return sum(
        2 if unicodedata.east_asian_width(letter) in WIDE else 0 if unicodedata.combining(letter) else 1
        for letter in text
    )


def shortened(name: str, longest: int = 28) -> str:
    """The name on one line, with its middle left out if it is too long.

    >>> shortened("adoption-of-the-budget-resolution", 20)
    'adoption-o…esolution'
    """
    text = printable(name)
    if cells(text) <= longest:
        return text
    head, tail = "", ""
    while cells(head) + cells(tail) < longest - 2:
        tail = text[len(text) - len(tail) - 1] + tail if len(head) > len(tail) else tail
        head = text[: len(head) + 1]
    return f"{head}…{tail}"


def broken(name: str) -> tuple[str, ...]:
    """The name in lines, broken after a space, a hyphen, an underscore, a dot or a slash.

    >>> broken("adoption-of-the-budget-resolution")
    ('adoption-of-the-', 'budget-resolution')
    >>> broken("smoke")
    ('smoke',)
    """
    text = printable(name)
    lines = [""]
    for piece in re.findall(r"[^\s\-_./]*[\s\-_./]*", text):
        if lines[-1] and cells(lines[-1]) + cells(piece.rstrip()) > LONGEST_LINE:
            lines.append("")
        lines[-1] += piece
    lines = [line.strip() for line in lines]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], "…" + lines[-1]]
    return tuple(shortened(line, LONGEST_LINE) for line in lines)
