"""Texts from outside on their way to a terminal or into JSON: nothing in them can hide or give orders.

Names and states come from anybody's files. A terminal obeys control characters, and characters that turn the
direction of writing make a text look like another one. Shown, such characters are spelled out; letters of
any script stay as they are.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Controls, marks of direction, halves of characters, and what takes no space; not the joiners of scripts."""


def shown(text: str) -> str:
    r"""The text with hidden characters spelled as in Python.

    >>> print(shown("naïve 年齢 \x1b[31mred\u202e"))
    naïve 年齢 \x1b[31mred\u202e
    """
    return HIDDEN.sub(lambda match: repr(match[0])[1:-1], text)


def shown_lines(text: str) -> str:
    r"""The same for a text of several lines, whose ends stay.

    >>> print(shown_lines("a\tb\nc"))
    a\tb
    c
    """
    return "\n".join(shown(line) for line in text.split("\n"))


def counted(number: float, noun: str) -> str:
    """The number with its noun.

    >>> counted(1, "edge"), counted(10**11, "edge"), counted(0.1 + 0.2, "row")
    ('1 edge', '100000000000 edges', '0.3 rows')
    """
    shown = int(number) if number == int(number) else f"{number:.12g}"
    return f"{shown} {noun}" if number == 1 else f"{shown} {noun}s"


def json_text(document: Any, *, indent: int | None = None) -> str:
    r"""JSON in which letters stand as they are, and hidden characters as escapes that mean the same.

    >>> print(json_text({"年齢": "\x9b31m\u202e"}))
    {"年齢": "\u009b31m\u202e"}
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    # Outside of strings there are no hidden characters but the ends of lines; inside, JSON escapes these.
    return HIDDEN.sub(lambda match: match[0] if match[0] == "\n" else json.dumps(match[0])[1:-1], text)


def plain(text: str, style: str = "") -> Text:
    r"""The text without markup, on one line, with hidden characters spelled out.

    >>> plain("[red]a\nb").plain
    '[red]a\\nb'
    """
    from rich.text import Text

    return Text(shown(text), style=style)


_FORMULA = re.compile(r"(?![+\-][0-9.,eE+\-]*$)[=+\-@\t\r\n＝＋－＠]")


def protected(text: str) -> str:
    """The text as it may stand in a cell of a text table, where a spreadsheet would compute a formula.

    A formula begins with one of ``= + - @`` (also in full width), a tab or the end of a line, and can do
    harm. With an apostrophe in front it is a text. What begins with a sign and has nothing but digits, dots,
    commas, signs and exponents can do none and stays.

    >>> [protected(text) for text in ("=1+cmd", "-1.5", "yes", "-x")]
    ["'=1+cmd", '-1.5', 'yes', "'-x"]
    """
    return f"'{text}" if _FORMULA.match(text) else text
