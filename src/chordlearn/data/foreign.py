"""Files that are no tables we read, known by how they begin, and what to do with each."""

from __future__ import annotations

import re

from chordlearn.errors import InputError

_SHEET = "save its sheet as CSV, in a spreadsheet program with File, Save As"
_FRAME = "save the table as CSV, or read it with pandas.{} and give that data frame to chordlearn.learn"
_UNPACK = "unpack it and give the table inside"

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


def refuse_foreign(start: bytes, shown: str) -> None:
    """Refuse a file that begins like one of another kind.

    >>> refuse_foreign(b"%PDF-1.7", "table.csv")
    Traceback (most recent call last):
    ...
    chordlearn.errors.InputError: table.csv is a PDF document; get the table itself, as CSV.
    """
    for pattern, kind, fix in _PATTERNS:
        if pattern.match(start):
            raise InputError(f"{shown} is {kind}; {fix}.")
