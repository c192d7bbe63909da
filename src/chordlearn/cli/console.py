"""What commands print: tables and JSON, on a console where nothing from data or files can give orders."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from chordlearn.report.outputs import schema
from chordlearn.system.files import write_whole
from chordlearn.system.text import json_text, plain, shown_lines


class Console(rich.console.Console):
    """A console that spells out control characters, other than its own, and marks of direction.

    >>> import io
    >>> out = io.StringIO()
    >>> Console(file=out).print("a\\x1b[31m\\u202eb")
    >>> out.getvalue()
    'a\\\\x1b[31m\\\\u202eb\\n'
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Segments of text, with what is hidden in them spelled out."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown_lines(segment.text), segment.style)

    def say(self, text: str = "", style: str = "") -> None:
        """Print a line in which nothing is markup."""
        self.print(plain(text, style=style))

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str | Text]], *, fixed: int = 0) -> None:
        """Print rows below their heads, the first column in bold.

        A head that begins with > is of a column of numbers, aligned to the right. The first ``fixed`` columns
        are never broken into lines.
        """
        table = Table(box=None, pad_edge=False, show_header=any(heads))
        for number, head in enumerate(heads):
            table.add_column(
                plain(head.removeprefix(">")),
                justify="right" if head.startswith(">") else "left",
                style="" if number else "bold",
                no_wrap=number < fixed,
                overflow="fold",
            )
        for row in rows:
            table.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in row))
        self.print(table)


def stdout() -> Console:
    """Where answers go."""
    return Console(highlight=False)


def answer(
    kind: str, document: Mapping[str, Any], target: str | None, show: Callable[[Console], object]
) -> None:
    """Show an answer, and write it as JSON to the target of `--json`; for `-` print nothing but the JSON."""
    if target is not None:
        text = json_text({"schema": schema(kind), **document}, indent=2) + "\n"
        if target == "-":
            print_bytes(text)
        else:
            write_whole(Path(target), text)
    if target != "-":
        show(stdout())


def print_bytes(text: str) -> None:
    """Print as UTF-8, whatever the terminal speaks."""
    sys.stdout.buffer.write(text.encode())


def note(sentence: str) -> None:
    """Say something on stderr that belongs to no answer."""
    print(f"chordlearn: {sentence}", file=sys.stderr)
