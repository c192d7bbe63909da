"""Texts from outside in a terminal's tables and paragraphs."""

from __future__ import annotations

from rich.text import Text

from chordlearn.showing import shown


def plain(text: str, style: str = "") -> Text:
    r"""The text without markup, on one line, with hidden characters spelled out.

    >>> plain("[red]a\nb").plain
    '[red]a\\nb'
    """
    return Text(shown(text), style=style)
