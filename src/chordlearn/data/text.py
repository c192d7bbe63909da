"""CSV, TSV and their relatives: a text file is reduced to its distinct lines before it is parsed.

Data for networks repeat themselves, so grouping whole lines and splitting only the distinct ones is faster
than parsing every line; it also keeps every value exactly as written.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from chordlearn.data.table import WEIGHT, RawTable
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

NEVER_A_SEPARATOR = "\x1f"
WHITESPACE = " "


@dataclass(frozen=True)
class TextSource:
    """A text file, as a path to stream from or as bytes already unpacked."""

    shown: str
    content: Path | bytes

    def open(self) -> BinaryIO:
        """Open the bytes from the start."""
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")

    def text(self) -> io.TextIOWrapper:
        """Open the text from the start, line ends untouched, without a byte order mark."""
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline="")


def read_text(source: TextSource, suffix: str) -> RawTable:
    """Open a text table; the delimiter is taken from the suffix and the header."""
    header_line = _header_line(source)
    delimiter = sniff_delimiter(header_line, suffix)
    lines = _distinct_lines(source)
    quotes = lines["line"].str.count_matches('"', literal=True)
    if (quotes % 2 == 1).any():
        names, rows = _parse_multiline(source, delimiter)
    else:
        names, rows = _parse_lines(source, lines, header_line, delimiter)
    if rows.height == 0:
        raise InputError(f"{source.shown} has a header but no data rows; add the observations below it.")

    def distinct(positions: Sequence[int]) -> pl.DataFrame:
        import polars as pl

        chosen = [pl.col(str(position)).alias(str(index)) for index, position in enumerate(positions)]
        return rows.select(*chosen, pl.col(WEIGHT))

    def ordered(positions: Sequence[int]) -> pl.DataFrame:
        return _in_order(source, delimiter, positions, len(names))

    return RawTable(names, distinct, ordered=ordered)


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


def _header_line(source: TextSource) -> str:
    """Return the first line that is not blank, once the start of the file has been found to be text."""
    with source.open() as stream:
        start = stream.read(1 << 16)
        stream.seek(0)
        header = next((line for line in stream if line.removeprefix(codecs.BOM_UTF8).strip()), b"")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{source.shown} is UTF-16 text; save it as UTF-8.")
    if start.startswith(b"PK\x03\x04"):
        raise InputError(f"{source.shown} is a zip archive or a spreadsheet; save the table as CSV.")
    if b"\x00" in start:
        raise _not_text(source)
    if b"\r" in start.rstrip(b"\r") and b"\n" not in start:
        raise InputError(
            f"{source.shown} ends its lines with carriage returns only; save it with line feeds."
        )
    if not header:
        raise InputError(f"{source.shown} is empty; give a file with a header row and data rows.")
    try:
        return header.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise _not_utf8(source) from None


def _not_text(source: TextSource) -> InputError:
    return InputError(
        f"{source.shown} is not a text table (it holds control characters); give a CSV or Parquet file."
    )


def _not_utf8(source: TextSource) -> InputError:
    number = 0
    with source.open() as stream:
        for line in stream:
            number += 1
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                break
    return InputError(
        f"{source.shown} is not UTF-8 text (line {number}); save it as UTF-8, "
        "for example with: iconv -f latin1 -t utf-8."
    )


def _distinct_lines(source: TextSource) -> pl.DataFrame:
    import polars as pl

    target = source.content if isinstance(source.content, Path) else io.BytesIO(source.content)
    scan = pl.scan_csv(
        target,
        has_header=False,
        schema={"line": pl.String},
        separator=NEVER_A_SEPARATOR,
        quote_char=None,
        glob=False,
    )
    grouped = scan.group_by("line").agg(pl.len().cast(pl.Int64).alias(WEIGHT))
    try:
        lines = grouped.collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        if "utf-8" in str(error).lower() or "utf8" in str(error).lower():
            raise _not_utf8(source) from None
        with source.open() as stream:
            if any(NEVER_A_SEPARATOR.encode() in line for line in stream):
                raise _not_text(source) from None
        reason = str(error).partition("\n")[0]
        raise InputError(f"{source.shown} cannot be read as text ({reason}); save it as plain CSV.") from None
    if lines["line"].str.contains("\x00", literal=True).any():
        raise _not_text(source)
    return lines.drop_nulls("line")


def _parse_lines(
    source: TextSource, lines: pl.DataFrame, header_line: str, delimiter: str
) -> tuple[list[str], pl.DataFrame]:
    import polars as pl

    names = [name.strip() for name in _split(header_line, delimiter)]
    line = pl.col("line")
    lines = (
        lines.with_columns(line.str.strip_chars_end("\r"))
        .with_columns(pl.col(WEIGHT) - (line == header_line).cast(pl.Int64))
        .filter((pl.col(WEIGHT) > 0) & (line.str.strip_chars(" ") != ""))
    )
    if delimiter == WHITESPACE:
        lines = lines.with_columns(line.str.replace_all(r"\s+", " ").str.strip_chars(" "))
    quoted = lines.filter(line.str.contains('"', literal=True))
    plain = lines.filter(~line.str.contains('"', literal=True))
    ragged = plain.filter(line.str.count_matches(delimiter, literal=True) != len(names) - 1)["line"].to_list()
    parsed = [_split(text, delimiter) for text in quoted["line"]]
    ragged += [text for text, row in zip(quoted["line"], parsed, strict=True) if len(row) != len(names)]
    if ragged:
        raise _ragged(source, delimiter, len(names))
    fields = [str(index) for index in range(len(names))]
    split = line.str.split_exact(delimiter, len(names) - 1).struct.rename_fields(fields)
    rows = plain.select(split.alias("fields"), pl.col(WEIGHT)).unnest("fields")
    if parsed:
        transposed = dict(zip(fields, map(list, zip(*parsed, strict=True)), strict=True))
        extra = pl.DataFrame(transposed, schema=dict.fromkeys(fields, pl.String))
        rows = pl.concat([rows, extra.with_columns(quoted[WEIGHT])])
    return names, rows


def _split(line: str, delimiter: str) -> list[str]:
    if delimiter == WHITESPACE:
        line = " ".join(line.split())
    return next(csv.reader([line], delimiter=delimiter), [])


def _records(source: TextSource, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    with source.text() as stream:
        reader = csv.reader(
            stream, delimiter=delimiter, strict=True, skipinitialspace=delimiter == WHITESPACE
        )
        start = 1
        try:
            for record in reader:
                if any(field.strip() for field in record) or len(record) > 1:
                    yield start, record
                start = reader.line_num + 1
        except csv.Error as error:
            raise InputError(
                f"{source.shown} cannot be read from line {start} on ({error}); check the quotes there."
            ) from None


def _parse_multiline(source: TextSource, delimiter: str) -> tuple[list[str], pl.DataFrame]:
    """Parse a file in which quotes may span lines, one record at a time."""
    import polars as pl

    records = _records(source, delimiter)
    names = [name.strip() for name in next(records)[1]]
    counted: Counter[tuple[str, ...]] = Counter()
    for number, record in records:
        if len(record) != len(names):
            raise _ragged_at(source, number, len(record), len(names))
        counted[tuple(record)] += 1
    schema = {str(index): pl.String for index in range(len(names))}
    rows = pl.DataFrame(list(counted), schema=schema, orient="row")
    return names, rows.with_columns(pl.Series(WEIGHT, list(counted.values()), dtype=pl.Int64))


def _in_order(source: TextSource, delimiter: str, positions: Sequence[int], width: int) -> pl.DataFrame:
    """Parse the file again, record by record: equal lines were merged when it was opened."""
    import polars as pl

    columns: list[list[str]] = [[] for _ in positions]
    records = _records(source, delimiter)
    next(records)
    for number, record in records:
        if delimiter == WHITESPACE and not record[-1]:
            # A space at the end of the line.
            record.pop()
        if len(record) != width:
            raise _ragged_at(source, number, len(record), width)
        for column, position in zip(columns, positions, strict=True):
            column.append(record[position])
    return pl.DataFrame({str(index): column for index, column in enumerate(columns)})


def _ragged(source: TextSource, delimiter: str, width: int) -> InputError:
    number = found = 0
    with source.text() as stream:
        for text in stream:
            number += 1
            found = len(_split(text.rstrip("\r\n"), delimiter))
            if text.strip(" \r\n") and found != width:
                break
    return _ragged_at(source, number, found, width)


def _ragged_at(source: TextSource, number: int, found: int, width: int) -> InputError:
    return InputError(
        f"Line {number} of {source.shown} has {found} field{'s' * (found != 1)} where the header has {width};"
        " mend that line, or quote values that contain the delimiter."
    )
