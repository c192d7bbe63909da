"""What a command writes to stderr, without the lines on its progress that come every ten seconds."""

from __future__ import annotations

import re

_CALL_AT_THE_END = re.compile(r": chordlearn[ .](learn|data)\b.*$")


def ends_well(text: str) -> bool:
    """Whether a message ends as a sentence does, or with a call that can be copied."""
    return text.endswith((".", "?", "!")) or _CALL_AT_THE_END.search(text) is not None


def tells_progress(line: str) -> bool:
    """Whether it is a line on progress; on a busy machine any run may be long enough for one."""
    return line.endswith(" s") and " · " in line


def without_progress(text: str) -> str:
    """The other lines."""
    return "".join(line for line in text.splitlines(keepends=True) if not tells_progress(line.rstrip()))
