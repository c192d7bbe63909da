"""The first line of a text table, once the file has been found to be text: names and delimiter."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from chordlearn.data.blocks import TextSource, read_line
from chordlearn.data.foreign import refuse_foreign
from chordlearn.errors import InputError

WHITESPACE = " "
DELIMITERS = ",\t;|"
SAMPLED_LINES = 20


@dataclass(frozen=True)
class Header:
    """The first line that is not blank, and where it stands."""

    text: str
    start: int
    """Bytes before it."""
    end: int
    """Bytes up to the line after it."""
    sample: list[str]
    """Some of the lines after it."""


def find_header(source: TextSource) -> Header:
    """Find the header, or say why the file is no text table."""
    with source.open() as stream:
        start = stream.read(1 << 16)
        refuse_foreign(start, source.shown)
        _refuse_other_text(start, source)
        end = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
        stream.seek(end)
        while content := read_line(stream, source):
            begin, end = end, end + len(content)
            if content.strip():
                text = source.in_utf_8(content).decode().rstrip("\r\n")
                return Header(text, begin, end, _some_lines(start[end:]))
    raise InputError(f"{source.shown} is empty; give a file with a header row and data rows.")


def _some_lines(content: bytes) -> list[str]:
    lines = content.decode(errors="replace").split("\n")[:SAMPLED_LINES]
    # The last one may be cut off.
    return [line.rstrip("\r") for line in lines[:-1] if line.strip()]


def _refuse_other_text(start: bytes, source: TextSource) -> None:
    if b"\x00" in start:
        raise not_text(source)
    if b"\r" in start.rstrip(b"\r") and b"\n" not in start:
        raise InputError(
            f"{source.shown} ends its lines with carriage returns only; save it with line feeds."
        )


def not_text(source: TextSource) -> InputError:
    """The sentence for a file with characters that no text table has."""
    return InputError(
        f"{source.shown} is not a text table (it holds control characters); give a CSV or Parquet file."
    )


def sniff_delimiter(header: str, suffix: str, sample: Sequence[str] = ()) -> str:
    """Choose the delimiter that splits the header most, as often as the lines of a sample if one does.

    Among equals it is one that no space follows, as in prose, then the one that the suffix promises.

    >>> sniff_delimiter("a,b c", ".csv"), sniff_delimiter("a;b;c", ".csv"), sniff_delimiter("a b  c", ".txt")
    (',', ';', ' ')
    >>> sniff_delimiter("name, first;age", ".csv", ["Ann;3,5", "Bo;4,0"])
    ';'
    """
    bare = re.sub(r'"[^"]*"', "", header)
    promised = {".csv": ",", ".tsv": "\t", ".tab": "\t"}.get(suffix)
    found = [delimiter for delimiter in DELIMITERS if delimiter in bare]
    agreeing = [
        delimiter
        for delimiter in found
        if all(len(split_line(line, delimiter)) == bare.count(delimiter) + 1 for line in sample)
    ]
    if agreeing:
        return max(agreeing, key=lambda each: (bare.count(each), -bare.count(f"{each} "), each == promised))
    if promised in found:
        return promised
    if found:
        return max(found, key=bare.count)
    if promised is None and WHITESPACE in bare.strip():
        return WHITESPACE
    return promised or ","


def split_line(line: str, delimiter: str) -> list[str]:
    """The fields of one line, quoted or not.

    >>> split_line('a,"b,c"', ","), split_line("a   b", " ")
    (['a', 'b,c'], ['a', 'b'])
    """
    if delimiter == WHITESPACE:
        line = " ".join(line.split())
    return next(csv.reader([line], delimiter=delimiter), [])
