"""Opening a path: which format it is, and every reason why it cannot be read."""

from __future__ import annotations

import gzip
import io
import stat
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chordlearn.data.table import RawTable, distinct_rows, ordered_rows
from chordlearn.data.text import TextSource, read_text
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"


def open_file(path: Path, shown: str) -> RawTable:
    """Open a CSV, TSV (also gzipped) or Parquet file."""
    try:
        return _open(path, shown)
    except PermissionError:
        raise InputError(f"{shown} may not be read; change its permissions.") from None
    except OSError as error:
        raise InputError(f"{shown} cannot be read ({error.strerror or error}); check the path.") from None


def _open(path: Path, shown: str) -> RawTable:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError(f"{shown} is a directory; give a file inside it.")
    if stat.S_ISFIFO(mode):
        content: Path | bytes = path.read_bytes()
    elif stat.S_ISREG(mode):
        content = path
    else:
        raise InputError(f"{shown} is not a regular file; give a CSV, TSV or Parquet file.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    start = _start(content)
    if not start:
        raise InputError(f"{shown} is empty; give a file with a header row and data rows.")
    if start.startswith(PARQUET_MAGIC) or (suffixes and suffixes[-1] in {".parquet", ".pq"}):
        return _open_parquet(content, shown)
    if start.startswith(GZIP_MAGIC):
        content = _unpacked(content, shown)
        if not content:
            raise InputError(f"{shown} is empty; give a file with a header row and data rows.")
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return read_text(TextSource(shown, content), suffixes[-1] if suffixes else "")


def _start(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content[:4]
    with content.open("rb") as stream:
        return stream.read(4)


def _unpacked(content: Path | bytes, shown: str) -> bytes:
    packed = content if isinstance(content, bytes) else content.read_bytes()
    try:
        return gzip.decompress(packed)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{shown} is a damaged or cut-off gzip file; copy or compress it again.") from None


def _open_parquet(content: Path | bytes, shown: str) -> RawTable:
    import polars as pl

    from chordlearn.data.labels import declared_labels

    scan = pl.scan_parquet(io.BytesIO(content) if isinstance(content, bytes) else content, glob=False)
    # A damaged file can make the decoder panic, which is no ordinary exception.
    failures = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
    damaged = InputError(f"{shown} is not a Parquet file or is damaged; write it again.")
    try:
        schema = scan.collect_schema()
    except failures:
        raise damaged from None

    def taken(
        take: Callable[[pl.LazyFrame, Sequence[str]], pl.DataFrame], positions: Sequence[int]
    ) -> pl.DataFrame:
        try:
            return take(scan, [schema.names()[position] for position in positions])
        except failures:
            raise damaged from None

    return RawTable(
        [name.strip() for name in schema.names()],
        partial(taken, distinct_rows),
        declared_labels(schema),
        partial(taken, ordered_rows),
    )
