"""Blocks of lines become rows: a block is reduced to its distinct lines before it is parsed.

Data for networks repeat themselves, so grouping whole lines and splitting only the distinct ones is faster
than parsing every line; it also keeps every value exactly as written. From the first value on that goes over
several lines, the rest of the file is read record by record.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from chordlearn.data.blocks import Block, TextSource, line_number
from chordlearn.data.table import WEIGHT, batch_rows
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

WHITESPACE = " "
NEVER_A_SEPARATOR = "\x1f"

Record = tuple[int, list[str]]
"""The number of its first line, and its fields."""


def block_lines(block: Block, in_order: bool) -> pl.DataFrame:
    """The distinct lines of a block that are not blank with their weights, or all with their numbers."""
    import polars as pl

    if b"\x00" in block.content:
        raise not_text(block.source)
    lines = pl.scan_csv(
        io.BytesIO(block.source.in_utf_8(block.content)),
        has_header=False,
        schema={"line": pl.String},
        separator=NEVER_A_SEPARATOR,
        quote_char=None,
        glob=False,
    )
    if in_order:
        lines = lines.with_row_index(WEIGHT)
    else:
        lines = lines.group_by("line").agg(pl.len().cast(pl.Int64).alias(WEIGHT))
    try:
        found = lines.collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        raise _unreadable(block, str(error)) from None
    line = pl.col("line")
    return found.with_columns(line.str.strip_chars_end("\r")).filter(line.str.strip_chars(" ") != "")


def _unreadable(block: Block, reason: str) -> InputError:
    source = block.source
    if NEVER_A_SEPARATOR.encode() in block.content:
        return not_text(source)
    why = reason.partition("\n")[0]
    return InputError(f"{source.shown} cannot be read as text ({why}); save it as plain CSV.")


def not_text(source: TextSource) -> InputError:
    """The sentence for a file with characters that no text table has."""
    return InputError(
        f"{source.shown} is not a text table (it holds control characters); give a CSV or Parquet file."
    )


def closed_part(lines: pl.DataFrame, block: Block) -> Block:
    """The block up to the first line that a quoted value goes beyond; the block itself if there is none."""
    if b'"' not in block.content:
        return block
    if not (lines["line"].str.count_matches('"', literal=True) % 2 == 1).any():
        return block
    closed = takewhile(lambda text: text.count(b'"') % 2 == 0, block.lines())
    return Block(block.source, b"".join(closed), block.start)


def split_lines(
    lines: pl.DataFrame, block: Block, delimiter: str, width: int, positions: Sequence[int], in_order: bool
) -> pl.DataFrame:
    """The fields at some positions of lines, none of which ends within quotes, beside their weights."""
    import polars as pl

    line = pl.col("line")
    if delimiter == WHITESPACE:
        lines = lines.with_columns(line.str.replace_all(r"\s+", " ").str.strip_chars(" "))
    quoted = lines.clear()
    if b'"' in block.content:
        quoted = lines.filter(line.str.contains('"', literal=True))
        lines = lines.filter(~line.str.contains('"', literal=True))
    parsed = [split_line(text, delimiter) for text in quoted["line"]]
    delimiters = lines["line"].str.count_matches(delimiter, literal=True)
    if (delimiters != width - 1).any() or any(len(row) != width for row in parsed):
        raise _first_ragged(block, delimiter, width)
    split = line.str.split_exact(delimiter, width - 1).struct.rename_fields([str(i) for i in range(width)])
    rows = lines.select(split.alias("fields"), pl.col(WEIGHT)).unnest("fields")
    rows = rows.select(
        *(pl.col(str(position)).alias(str(index)) for index, position in enumerate(positions)), WEIGHT
    )
    if parsed:
        others = _frame([[row[position] for position in positions] for row in parsed])
        rows = pl.concat([rows, others.with_columns(quoted[WEIGHT])])
    return rows.sort(WEIGHT).drop(WEIGHT) if in_order else rows


def _frame(rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    import polars as pl

    columns = zip(*rows, strict=True)
    return pl.DataFrame([pl.Series(str(index), column, pl.String) for index, column in enumerate(columns)])


def split_line(line: str, delimiter: str) -> list[str]:
    """The fields of one line, quoted or not.

    >>> split_line('a,"b,c"', ","), split_line("a   b", " ")
    (['a', 'b,c'], ['a', 'b'])
    """
    if delimiter == WHITESPACE:
        line = " ".join(line.split())
    return next(csv.reader([line], delimiter=delimiter), [])


def _first_ragged(block: Block, delimiter: str, width: int) -> InputError:
    for number, text in enumerate(block.lines(), start=line_number(block.source, block.start)):
        fields = split_line(text.decode(errors="replace").rstrip("\r\n"), delimiter)
        if text.strip(b" \r\n") and len(fields) != width:
            return _ragged(block.source, number, len(fields), width)
    raise AssertionError("no line has another number of fields")


def _ragged(source: TextSource, line: int, found: int, width: int) -> InputError:
    return InputError(
        f"Line {line} of {source.shown} has {found} field{'s' * (found != 1)} where the header has {width};"
        " mend that line, or quote values that contain the delimiter."
    )


def records(source: TextSource, delimiter: str, start: int) -> Iterator[Record]:
    """All records from a line on that begins after so many bytes; their values may go over several lines."""
    with source.open() as binary:
        binary.seek(start)
        stream = io.TextIOWrapper(binary, encoding="utf-8", errors="surrogateescape", newline="")
        reader = csv.reader(
            map(source.decoded, stream),
            delimiter=delimiter,
            strict=True,
            skipinitialspace=delimiter == WHITESPACE,
        )
        before = line_number(source, start)
        first = before
        try:
            for record in reader:
                if delimiter == WHITESPACE and record and not record[-1]:
                    # A space at the end of the line.
                    record.pop()
                if any(field.strip() for field in record) or len(record) > 1:
                    yield first, record
                first = before + reader.line_num
        except csv.Error as error:
            raise InputError(
                f"{source.shown} cannot be read from line {first} on ({error}); check the quotes there."
            ) from None


def record_batches(
    found: Iterator[Record], source: TextSource, positions: Sequence[int], width: int
) -> Iterator[pl.DataFrame]:
    """The chosen fields of records in their order, batch by batch."""
    while some := list(islice(found, batch_rows(width))):
        for number, record in some:
            if len(record) != width:
                raise _ragged(source, number, len(record), width)
        yield _frame([[record[position] for position in positions] for _, record in some])
