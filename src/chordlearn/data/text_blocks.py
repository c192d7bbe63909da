"""The bytes of a text file in blocks of whole lines, so that a file of any size takes little memory.

Text that is not UTF-8: UTF-16 goes by its byte order mark, any other is taken for Windows-1252. That is a
matter of each character: what is UTF-8 stays so, as in files that were put together from several.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from chordlearn.errors import InputError
from chordlearn.system.files import read_at_most

BLOCK_BYTES = 1 << 23
"""Large enough for equal lines to meet, small enough for the memory of one to serve the next."""
WIDE_BYTES, MOST_BLOCKS_AT_ONCE = 1 << 16, 8
"""Blocks of very long lines are larger, because each column costs time in every block."""
LONGEST_LINE = 1 << 26
LARGEST_UTF_16 = 1 << 28
"""Such text is held in memory as a whole."""
_UTF_16 = {
    "utf-16": re.compile(rb"\xff\xfe(?!\0\0)|\xfe\xff"),
    "utf-16-le": re.compile(rb"([^\0]\0){2}"),
    "utf-16-be": re.compile(rb"(\0[^\0]){2}"),
}

# Python stands in for a byte that is no UTF-8 with half a character.
_NO_UTF_8 = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class TextSource:
    """A text file: its path, or its content if it came through a pipe; gzipped or not."""

    shown: str
    content: Path | bytes
    packed: bool = False
    notes: list[str] = field(default_factory=list)
    """What was found out about its encoding when it was read, a sentence each."""

    def whole_in_utf_8(self) -> TextSource:
        """This text; if it begins with the mark of UTF-16, or two letters of it, then in UTF-8."""
        with self.open() as stream:
            start = stream.read(4)
            form = next((form for form, begins in _UTF_16.items() if begins.match(start)), None)
            if form is None:
                return self
            stream.seek(0)
            content = read_at_most(stream, LARGEST_UTF_16)
        try:
            text = content.decode(form)
        except UnicodeDecodeError:
            raise InputError(f"{self.shown} is damaged UTF-16 text; write it again, best as UTF-8.") from None
        return TextSource(self.shown, text.encode(), notes=[f"{self.shown} is UTF-16 text and was read so."])

    def in_utf_8(self, content: bytes) -> bytes:
        """Bytes of the text in UTF-8, with a note if they were not.

        >>> source = TextSource("t.csv", b"")
        >>> source.in_utf_8("Größe;1 €".encode("cp1252")).decode(), source.notes[0][:12]
        ('Größe;1 €', 't.csv is not')
        """
        if content.isascii():
            return content
        try:
            content.decode()
        except UnicodeDecodeError:
            return self.decoded(content.decode(errors="surrogateescape")).encode()
        return content

    def decoded(self, text: str) -> str:
        """A text decoded with `surrogateescape`, with its escaped bytes as characters of Windows-1252."""
        if text.isascii() or not _NO_UTF_8.search(text):
            return text
        note = (
            f"{self.shown} is not UTF-8 throughout; what is not was read as Windows-1252 (Western European)."
        )
        if note not in self.notes:
            self.notes.append(note)
        return _NO_UTF_8.sub(_character, text)

    def open(self) -> BinaryIO:
        """Open the text's bytes from the start."""
        if self.packed:
            packed = io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content
            return cast(BinaryIO, gzip.open(packed))
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")


def _character(match: re.Match[str]) -> str:
    byte = bytes([ord(match[0]) - 0xDC00])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        # Five bytes mean nothing there; in Latin-1 they are control characters, which are refused later.
        return byte.decode("latin-1")


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


def blocks(source: TextSource, header: int, start: int) -> Iterator[Block]:
    """All blocks from a line on that begins after so many bytes, given the length of the header in bytes."""
    size = BLOCK_BYTES * min(max(1, header // WIDE_BYTES), MOST_BLOCKS_AT_ONCE)
    with source.open() as stream:
        stream.seek(start)
        while content := stream.read(size):
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
