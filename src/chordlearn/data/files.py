"""Opening a path: which format it is, and every reason why it cannot be read."""

from __future__ import annotations

import csv
import gzip
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chordlearn.data.blocks import TextSource
from chordlearn.data.parquet import open_parquet
from chordlearn.data.table import RawTable
from chordlearn.data.text import open_text
from chordlearn.errors import InputError
from chordlearn.system.files import GZIP_MAGIC, read_at_most
from chordlearn.system.memory import available_bytes

if TYPE_CHECKING:
    import polars as pl

PARQUET_MAGIC = b"PAR1"


def open_file(path: Path, shown: str) -> RawTable:
    """Open a CSV, TSV (also gzipped) or Parquet file."""
    with _readable(shown):
        table = _open(path, shown)

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        with _readable(shown):
            yield from table.batches(positions)

    def ordered(positions: Sequence[int]) -> pl.DataFrame:
        assert table.ordered is not None
        with _readable(shown):
            return table.ordered(positions)

    return replace(table, batches=batches, ordered=ordered)


@contextmanager
def _readable(shown: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{shown} is a damaged or cut-off gzip file; copy or compress it again.") from None
    except csv.Error as error:
        raise InputError(f"{shown} cannot be read as a table ({error}); check its quotes.") from None
    except PermissionError:
        raise InputError(f"{shown} may not be read; change its permissions.") from None
    except OSError as error:
        raise InputError(f"{shown} cannot be read ({error.strerror or error}); check the path.") from None


def _open(path: Path, shown: str) -> RawTable:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError(
            f"{shown} is a directory; give a file inside it, or a pattern such as {shown}/*.csv."
        )
    if stat.S_ISFIFO(mode):
        with path.open("rb") as pipe:
            content: Path | bytes = read_at_most(pipe, available_bytes() / 2)
    elif stat.S_ISREG(mode):
        content = path
    else:
        raise InputError(f"{shown} is not a regular file; give a CSV, TSV or Parquet file.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    start = _start(content)
    if not start:
        raise InputError(f"{shown} is empty; give a file with a header row and data rows.")
    if start.startswith(PARQUET_MAGIC) or (suffixes and suffixes[-1] in {".parquet", ".pq"}):
        return open_parquet(content, shown)
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    source = TextSource(shown, content, packed=start.startswith(GZIP_MAGIC))
    return open_text(source, suffixes[-1] if suffixes else "")


def _start(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content[:4]
    with content.open("rb") as stream:
        return stream.read(4)
