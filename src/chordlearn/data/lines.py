"""Blocks of lines become rows: a block is reduced to its distinct lines before it is parsed.

Data for networks repeat themselves, so grouping whole lines and splitting only the distinct ones is faster
than parsing every line; it also keeps every value exactly as written.
"""

from __future__ import annotations

import io
from itertools import takewhile
from typing import TYPE_CHECKING

from chordlearn.data.blocks import Block, TextSource
from chordlearn.data.header import WHITESPACE, not_text, split_line
from chordlearn.data.table import WEIGHT
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

NEVER_A_SEPARATOR = "\x1f"


def distinct_lines(block: Block) -> pl.DataFrame:
    """The distinct lines of a block that are not blank, with their weights."""
    import polars as pl

    if b"\x00" in block.content:
        raise not_text(block.source)
    scan = pl.scan_csv(
        io.BytesIO(block.source.in_utf_8(block.content)),
        has_header=False,
        schema={"line": pl.String},
        separator=NEVER_A_SEPARATOR,
        quote_char=None,
        glob=False,
    )
    line = pl.col("line")
    try:
        lines = scan.group_by("line").agg(pl.len().cast(pl.Int64).alias(WEIGHT)).collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        raise _unreadable(block, str(error)) from None
    return lines.with_columns(line.str.strip_chars_end("\r")).filter(line.str.strip_chars(" ") != "")


def _unreadable(block: Block, reason: str) -> InputError:
    source = block.source
    if NEVER_A_SEPARATOR.encode() in block.content:
        return not_text(source)
    why = reason.partition("\n")[0]
    return InputError(f"{source.shown} cannot be read as text ({why}); save it as plain CSV.")


def closed_part(lines: pl.DataFrame, block: Block) -> Block:
    """The block up to the first line that a quoted value goes beyond; the block itself if there is none."""
    if b'"' not in block.content:
        return block
    if not (lines["line"].str.count_matches('"', literal=True) % 2 == 1).any():
        return block
    closed = takewhile(lambda text: text.count(b'"') % 2 == 0, block.lines())
    return Block(block.source, b"".join(closed), block.start)


def split_lines(lines: pl.DataFrame, block: Block, delimiter: str, width: int) -> pl.DataFrame:
    """Split lines, none of which ends within quotes, into the columns "0", "1", …, beside their weights."""
    import polars as pl

    line = pl.col("line")
    if delimiter == WHITESPACE:
        lines = lines.with_columns(line.str.replace_all(r"\s+", " ").str.strip_chars(" "))
    parsed: list[list[str]] = []
    quoted = lines.clear()
    if b'"' in block.content:
        quoted = lines.filter(line.str.contains('"', literal=True))
        lines = lines.filter(~line.str.contains('"', literal=True))
        parsed = [split_line(text, delimiter) for text in quoted["line"]]
    delimiters = lines["line"].str.count_matches(delimiter, literal=True)
    if (delimiters != width - 1).any() or any(len(row) != width for row in parsed):
        raise _first_ragged(block, delimiter, width)
    fields = [str(index) for index in range(width)]
    split = line.str.split_exact(delimiter, width - 1).struct.rename_fields(fields)
    rows = lines.select(split.alias("fields"), pl.col(WEIGHT)).unnest("fields")
    if parsed:
        transposed = dict(zip(fields, map(list, zip(*parsed, strict=True)), strict=True))
        extra = pl.DataFrame(transposed, schema=dict.fromkeys(fields, pl.String))
        rows = pl.concat([rows, extra.with_columns(quoted[WEIGHT])])
    return rows


def _first_ragged(block: Block, delimiter: str, width: int) -> InputError:
    fields = (
        (number, len(split_line(text.decode(errors="replace").rstrip("\r\n"), delimiter)))
        for number, text in block.numbered_lines()
        if text.strip(b" \r\n")
    )
    number, found = next((number, found) for number, found in fields if found != width)
    return ragged(block.source, number, found, width)


def ragged(source: TextSource, line: int, found: int, width: int) -> InputError:
    """The sentence for a line with too many or too few fields."""
    return InputError(
        f"Line {line} of {source.shown} has {found} field{'s' * (found != 1)} where the header has {width};"
        " mend that line, or quote values that contain the delimiter."
    )
