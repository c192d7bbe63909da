"""The bytes of a text file in blocks of whole lines, so that a file of any size takes little memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from chordlearn.errors import InputError

BLOCK_BYTES = 1 << 23
"""Large enough for equal lines to meet, small enough for the memory of one to serve the next."""
LONGEST_LINE = 1 << 26


@dataclass(frozen=True)
class TextSource:
    """A text file: its path, or its content if it came through a pipe; gzipped or not."""

    shown: str
    content: Path | bytes
    packed: bool = False

    def open(self) -> BinaryIO:
        """Open the text's bytes from the start."""
        raw = io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")
        return cast(BinaryIO, _Unpacked(raw)) if self.packed else raw


class _Unpacked(gzip.GzipFile):
    """A gzip stream that closes what it reads from."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self._packed = packed

    def close(self) -> None:
        super().close()
        self._packed.close()


@dataclass(frozen=True)
class Block:
    """Some whole lines, and where they stand in the file."""

    content: bytes
    start: int
    """Bytes before it."""
    line: int
    """Number of its first line, from 1."""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its number."""
        return enumerate(io.BytesIO(self.content), start=self.line)

    def until(self, line: int) -> Block:
        """The lines before the one with this number."""
        return Block(b"".join(text for number, text in self.lines() if number < line), self.start, self.line)

    @property
    def after(self) -> tuple[int, int]:
        """Where the next block starts: bytes before it, and its first line."""
        return self.start + len(self.content), self.line + self.content.count(b"\n")


def blocks(source: TextSource, start: int = 0, line: int = 1) -> Iterator[Block]:
    """All blocks from a line on that begins after so many bytes."""
    with source.open() as stream:
        stream.seek(start)
        while content := stream.read(BLOCK_BYTES):
            if not content.endswith(b"\n"):
                content += read_line(stream, source, line)
            block = Block(content, start, line)
            yield block
            start, line = block.after


def read_line(stream: BinaryIO, source: TextSource, number: int) -> bytes:
    """The rest of a line, unless it is too long for one."""
    line = stream.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE:
        raise InputError(
            f"{source.shown} has a line of more than {LONGEST_LINE >> 20} MB (at line {number} or later); "
            "give a table with one row per line."
        )
    return line


def first_undecodable(source: TextSource) -> int:
    """The number of the first line that is not UTF-8 (0 if there is none)."""
    for block in blocks(source):
        for number, text in block.lines():
            try:
                text.decode()
            except UnicodeDecodeError:
                return number
    return 0
