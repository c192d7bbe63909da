"""The bytes of a text file in blocks of whole lines, so that a file of any size takes little memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from chordlearn.data.encoding import UTF_16, as_utf_8, windows_note
from chordlearn.errors import InputError
from chordlearn.system.files import read_at_most

BLOCK_BYTES = 1 << 23
"""Large enough for equal lines to meet, small enough for the memory of one to serve the next."""
LONGEST_LINE = 1 << 26
LARGEST_UTF_16 = 1 << 28
"""Such text is held in memory as a whole."""


@dataclass(frozen=True)
class TextSource:
    """A text file: its path, or its content if it came through a pipe; gzipped or not."""

    shown: str
    content: Path | bytes
    packed: bool = False
    notes: list[str] = field(default_factory=list)
    """What was found out about its encoding when it was read, a sentence each."""

    def note(self, sentence: str) -> None:
        """Add to the notes what is not among them."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def whole_in_utf_8(self) -> TextSource:
        """This text unless it begins with the mark of UTF-16; else the same in UTF-8."""
        with self.open() as stream:
            if not stream.read(2).startswith(UTF_16):
                return self
            stream.seek(0)
            content = read_at_most(stream, LARGEST_UTF_16)
        try:
            text = content.decode("utf-16")
        except UnicodeDecodeError:
            raise InputError(f"{self.shown} is damaged UTF-16 text; write it again, best as UTF-8.") from None
        return TextSource(self.shown, text.encode(), notes=[f"{self.shown} is UTF-16 text and was read so."])

    def in_utf_8(self, content: bytes) -> bytes:
        """Bytes of the text in UTF-8, with a note if they were not."""
        recoded = as_utf_8(content)
        if recoded is None:
            return content
        self.note(windows_note(self.shown))
        return recoded

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
    """Some whole lines, and how many bytes of the file come before them."""

    source: TextSource
    content: bytes
    start: int

    @property
    def end(self) -> int:
        """Bytes up to what follows."""
        return self.start + len(self.content)

    def lines(self) -> Iterator[bytes]:
        """Each line with its line end."""
        return iter(io.BytesIO(self.content))

    def numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its number in the file, for which the file is read again up to here."""
        return enumerate(self.lines(), start=line_number(self.source, self.start))


def blocks(source: TextSource, start: int = 0) -> Iterator[Block]:
    """All blocks from a line on that begins after so many bytes."""
    with source.open() as stream:
        stream.seek(start)
        while content := stream.read(BLOCK_BYTES):
            if not content.endswith(b"\n"):
                content += read_line(stream, source)
            block = Block(source, content, start)
            yield block
            start = block.end


def line_number(source: TextSource, start: int) -> int:
    """The number, from 1, of the line that begins after so many bytes."""
    number = 1
    with source.open() as stream:
        while start > 0 and (content := stream.read(min(start, BLOCK_BYTES))):
            number += content.count(b"\n")
            start -= len(content)
    return number


def read_line(stream: BinaryIO, source: TextSource) -> bytes:
    """The rest of a line, unless it is too long for one."""
    line = stream.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE:
        raise InputError(
            f"{source.shown} has a line of more than {LONGEST_LINE >> 20} MB; "
            "give a table with one row per line."
        )
    return line
