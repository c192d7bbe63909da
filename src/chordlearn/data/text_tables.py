"""CSV, TSV and their relatives: names and delimiter from the first line, then the rows block by block."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING

from chordlearn.data.naming import with_names
from chordlearn.data.tables import WEIGHT, RawTable, batch_rows
from chordlearn.data.text_blocks import Block, TextSource, blocks, line_number, read_line
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
_SEPARATOR = re.compile('"?sep=(.)"?')
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
    delimiter: str = ""
    """What a line `sep=;` before it says, as spreadsheet programs write one."""

    @property
    def is_open(self) -> bool:
        """Whether a quoted name goes on in the next line."""
        return self.text.count('"') % 2 == 1


def open_text(source: TextSource, suffix: str) -> RawTable:
    """Open a text table; the delimiter is taken from the suffix and the header."""
    source = source.whole_in_utf_8()
    header = find_header(source)
    delimiter = header.delimiter or sniff_delimiter(header.text, suffix, header.sample)
    names = split_line(header.text, delimiter)
    if header.is_open:
        _, names = next(records(source, delimiter, header.start), (0, []))
    if seem_values(names):
        source.notes.append(
            f"The first line of {source.shown} gives the columns their names, such as {names[0]!r}; "
            "if it holds data, put a line of names before it."
        )

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        width = len(names)
        if header.is_open:
            found = records(source, delimiter, header.start)
            next(found, None)
            yield from record_batches(found, source, positions, width)
            return
        for block in blocks(source, header.end - header.start, header.end):
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
        delimiter = ""
        stream.seek(end)
        while content := read_line(stream, source):
            begin, end = end, end + len(content)
            if content.strip():
                text = source.in_utf_8(content).decode().rstrip("\r\n")
                announced = _SEPARATOR.fullmatch(text)
                if announced is None:
                    return Header(text, begin, end, _some_lines(start[end:]), delimiter)
                delimiter = announced[1]
    raise InputError(f"{source.shown} is empty; give a file with a header row and data rows.")


def seem_values(names: Sequence[str]) -> bool:
    """Whether the names are rather values: some are numbers that do not count up, as years would.

    >>> seem_values(["39", "Private", "77516"]), seem_values(["age", "2019", "2020", "2021"])
    (True, False)
    """
    numbers = [int(name) for name in names if re.fullmatch(r" *[0-9]{1,18} *", name)]
    steps = {after - before for before, after in pairwise(numbers)}
    return len(steps) > 1 or (len(numbers) == 2 and steps != {1})


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
