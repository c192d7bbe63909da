"""The first line of a text table, once the file has been found to be text: names and delimiter."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass

from chordlearn.data.blocks import TextSource, line_number, read_line
from chordlearn.errors import InputError

WHITESPACE = " "


@dataclass(frozen=True)
class Header:
    """The first line that is not blank, and where it stands."""

    text: str
    start: int
    """Bytes before it."""
    end: int
    """Bytes up to the line after it."""


def find_header(source: TextSource) -> Header:
    """Find the header, or say why the file is no text table."""
    with source.open() as stream:
        start = stream.read(1 << 16)
        _refuse_other_formats(start, source)
        end = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
        stream.seek(end)
        while content := read_line(stream, source):
            begin, end = end, end + len(content)
            if content.strip():
                try:
                    return Header(content.decode().rstrip("\r\n"), begin, end)
                except UnicodeDecodeError:
                    raise not_utf8(source, line_number(source, begin)) from None
    raise InputError(f"{source.shown} is empty; give a file with a header row and data rows.")


def _refuse_other_formats(start: bytes, source: TextSource) -> None:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{source.shown} is UTF-16 text; save it as UTF-8.")
    if start.startswith(b"PK\x03\x04"):
        raise InputError(f"{source.shown} is a zip archive or a spreadsheet; save the table as CSV.")
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


def not_utf8(source: TextSource, line: int) -> InputError:
    """The sentence for text in another encoding."""
    return InputError(
        f"{source.shown} is not UTF-8 text (line {line}); save it as UTF-8, "
        "for example with: iconv -f latin1 -t utf-8."
    )


def sniff_delimiter(header: str, suffix: str) -> str:
    """Choose the delimiter that the suffix promises, or else the commonest one in the header.

    >>> sniff_delimiter("a,b c", ".csv"), sniff_delimiter("a;b;c", ".csv"), sniff_delimiter("a b  c", ".txt")
    (',', ';', ' ')
    """
    bare = re.sub(r'"[^"]*"', "", header)
    promised = {".csv": ",", ".tsv": "\t", ".tab": "\t"}.get(suffix)
    if promised is not None and promised in bare:
        return promised
    commonest = max(",\t;|", key=bare.count)
    if commonest in bare:
        return commonest
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
