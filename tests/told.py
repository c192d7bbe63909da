"""What a command tells on stderr, without the lines on its progress that come every ten seconds."""

from __future__ import annotations


def tells_progress(line: str) -> bool:
    """Whether it is a line on progress; on a busy machine any run may be long enough for one."""
    return line.endswith(" s") and " · " in line


def without_progress(text: str) -> str:
    """The other lines."""
    return "".join(line for line in text.splitlines(keepends=True) if not tells_progress(line.rstrip()))
