"""Where commands print: a console on which nothing that comes from data or files can give orders."""

from __future__ import annotations

from collections.abc import Iterable

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from chordlearn.system.text import shown_lines


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
