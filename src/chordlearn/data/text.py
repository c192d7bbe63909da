"""CSV, TSV and their relatives: line by line as long as values keep to their lines, then record by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chordlearn.data.blocks import TextSource, blocks
from chordlearn.data.formulas import unprotected
from chordlearn.data.header import Header, find_header, sniff_delimiter, split_line
from chordlearn.data.lines import closed_part, distinct_lines, split_lines
from chordlearn.data.naming import with_names
from chordlearn.data.records import ordered_records, record_batches, records
from chordlearn.data.table import WEIGHT, RawTable

if TYPE_CHECKING:
    import polars as pl


def open_text(source: TextSource, suffix: str) -> RawTable:
    """Open a text table; the delimiter is taken from the suffix and the header."""
    source = source.whole_in_utf_8()
    header = find_header(source)
    delimiter = sniff_delimiter(header.text, suffix, header.sample)
    fields = split_line(header.text, delimiter)
    if _is_open(header):
        _, fields = next(records(source, delimiter, header.start), (0, []))
    width = len(fields)

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        return _batches(source, header, delimiter, width, positions)

    def ordered(positions: Sequence[int]) -> pl.DataFrame:
        found = records(source, delimiter, header.start)
        next(found, None)
        return ordered_records(found, source, positions, width)

    names = with_names(unprotected([field.strip() for field in fields]))
    return RawTable(names, batches, ordered=ordered, notes=lambda: source.notes, is_text=True)


def _batches(
    source: TextSource, header: Header, delimiter: str, width: int, positions: Sequence[int]
) -> Iterator[pl.DataFrame]:
    import polars as pl

    if _is_open(header):
        found = records(source, delimiter, header.start)
        next(found, None)
        yield from record_batches(found, source, positions, width)
        return
    chosen = [pl.col(str(position)).alias(str(index)) for index, position in enumerate(positions)]
    for block in blocks(source, header.end):
        lines = distinct_lines(block)
        closed = closed_part(lines, block)
        if closed is not block:
            lines = distinct_lines(closed) if closed.content else lines.clear()
        if lines.height:
            yield split_lines(lines, closed, delimiter, width).select(*chosen, pl.col(WEIGHT))
        if closed is not block:
            found = records(source, delimiter, closed.end)
            yield from record_batches(found, source, positions, width)
            return


def _is_open(header: Header) -> bool:
    return header.text.count('"') % 2 == 1
