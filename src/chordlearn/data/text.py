"""CSV, TSV and their relatives: names and delimiter from the first line, then the rows block by block."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chordlearn.data.blocks import TextSource, blocks, read_line
from chordlearn.data.lines import (
    WHITESPACE,
    block_lines,
    closed_part,
    not_text,
    record_batches,
    records,
    split_line,
    split_lines,
)
from chordlearn.data.naming import with_names
from chordlearn.data.table import RawTable
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

DELIMITERS = ",\t;|"
SAMPLED_LINES = 20

_SHEET = "save its sheet as CSV, in a spreadsheet program with File, Save As"
_FRAME = "save the table as CSV, or read it with pandas.{} and give that data frame to chordlearn.learn"
_UNPACK = "unpack it and give the table inside"

# How files begin that are no tables we read, what they are, and what to do with each.
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (rb"PK\x03\x04.*?[\x00-\x1f]xl/", "an Excel workbook (.xlsx)", _SHEET),
    (rb"PK\x03\x04.*?opendocument\.spreadsheet", "an OpenDocument spreadsheet (.ods)", _SHEET),
    (
        rb"PK\x03\x04.*?([\x00-\x1f]word/|opendocument\.text)",
        "a text document",
        "copy its table into a spreadsheet and save that as CSV",
    ),
    (rb"PK(\x03\x04|\x05\x06)", "a zip archive", _UNPACK),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (.xls) or another old Office document", _SHEET),
    (rb"%PDF", "a PDF document", "get the table itself, as CSV"),
    (rb"\s*(?i:<!doctype html|<html)", "a web page", "download the table itself, as CSV"),
    (rb"\s*<\?xml", "an XML document", "save the table as CSV"),
    (rb"\$FL[23]", "an SPSS file (.sav)", _FRAME.format("read_spss")),
    (rb"<stata_dta>|[\x6c-\x73][\x01\x02]\x01", "a Stata file (.dta)", _FRAME.format("read_stata")),
    (rb"\0{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}", "a SAS file", _FRAME.format("read_sas")),
    (
        rb"RD[AX][23]\n|[XAB]\n\0\0\0[\x02\x03]",
        "a file of R (.rds, .rda)",
        "save the table as CSV, in R with write.csv(table, file, row.names = FALSE)",
    ),
    (rb"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    (rb"ARROW1", "an Arrow (Feather) file", "save the table as Parquet or CSV"),
    (rb"\x89HDF", "an HDF5 file", "save the table as Parquet or CSV"),
    (rb"\x93NUMPY", "a numpy array", "load it with numpy.load and give that array to chordlearn.learn"),
    (rb"BZh[1-9]|\xfd7zXZ\0|\x28\xb5\x2f\xfd|7z\xbc\xaf", "compressed, but not with gzip", _UNPACK),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", "get the table itself, as CSV"),
)
_PATTERNS = [(re.compile(start, re.DOTALL), kind, fix) for start, kind, fix in _FOREIGN]


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

    @property
    def is_open(self) -> bool:
        """Whether a quoted name goes on in the next line."""
        return self.text.count('"') % 2 == 1


def open_text(source: TextSource, suffix: str) -> RawTable:
    """Open a text table; the delimiter is taken from the suffix and the header."""
    source = source.whole_in_utf_8()
    header = find_header(source)
    delimiter = sniff_delimiter(header.text, suffix, header.sample)
    names = split_line(header.text, delimiter)
    if header.is_open:
        _, names = next(records(source, delimiter, header.start), (0, []))

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        width = len(names)
        if header.is_open:
            found = records(source, delimiter, header.start)
            next(found, None)
            yield from record_batches(found, source, positions, width)
            return
        for block in blocks(source, header.end):
            lines = block_lines(block, in_order)
            closed = closed_part(lines, block)
            if closed is not block:
                lines = block_lines(closed, in_order) if closed.content else lines.clear()
            if lines.height:
                yield split_lines(lines, closed, delimiter, width, positions, in_order)
            if closed is not block:
                rest = records(source, delimiter, closed.end)
                yield from record_batches(rest, source, positions, width)
                return

    return RawTable(with_names([name.strip() for name in names]), batches, notes=lambda: source.notes)


def find_header(source: TextSource) -> Header:
    """Find the header, or say why the file is no text table."""
    with source.open() as stream:
        start = stream.read(1 << 16)
        _refuse_foreign(start, source.shown)
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


def _refuse_foreign(start: bytes, shown: str) -> None:
    """Refuse a file that begins like one of another kind."""
    for pattern, kind, fix in _PATTERNS:
        if pattern.match(start):
            raise InputError(f"{shown} is {kind}; {fix}.")
