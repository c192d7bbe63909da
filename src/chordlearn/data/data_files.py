"""Opening files: which format each has, why it cannot be read, and several that are one table."""

from __future__ import annotations

import csv
import gzip
import io
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chordlearn._core import pages_are_sound
from chordlearn.data.coding import declared_labels
from chordlearn.data.naming import check_names, listed
from chordlearn.data.tables import RawTable, sliced_rows
from chordlearn.data.text_blocks import TextSource
from chordlearn.data.text_tables import open_text
from chordlearn.errors import InputError
from chordlearn.system.files import GZIP_MAGIC, read_at_most
from chordlearn.system.memory import available_bytes

if TYPE_CHECKING:
    import polars as pl


PARQUET_MAGIC = b"PAR1"


def open_parts(paths: Sequence[Path]) -> RawTable:
    """Open files as one table; they must have the same columns, in any order."""
    if len(paths) == 1:
        return open_file(paths[0], str(paths[0]))
    tables = [open_file(path, str(path)) for path in paths]
    names = tables[0].names
    check_names(names, str(paths[0]))
    for path, table in zip(paths[1:], tables[1:], strict=True):
        check_names(table.names, str(path))
        _refuse_other_columns(path, table.names, paths[0], names)
    orders = [[table.names.index(name) for name in names] for table in tables]
    declared: dict[int, list[str]] = {}
    for table, order in zip(tables, orders, strict=True):
        for position, own in enumerate(order):
            if own in table.declared:
                declared[position] = [*declared.get(position, ()), *table.declared[own]]

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        for table, order in zip(tables, orders, strict=True):
            yield from table.batches([order[position] for position in positions], in_order)

    def notes() -> list[str]:
        return [note for table in tables for note in table.notes()]

    return RawTable(names, batches, declared, notes)


def _refuse_other_columns(path: Path, names: Sequence[str], first: Path, expected: Sequence[str]) -> None:
    lacking = [repr(name) for name in expected if name not in set(names)]
    more = [repr(name) for name in names if name not in set(expected)]
    if lacking or more:
        what = [f"lacks {listed(lacking)}"] * bool(lacking) + [f"has {listed(more)} besides"] * bool(more)
        raise InputError(
            f"{path} {' and '.join(what)}, unlike {first}; give files that have the same columns."
        )


def open_file(path: Path, shown: str) -> RawTable:
    """Open a CSV, TSV (also gzipped) or Parquet file."""
    with _readable(shown):
        table = _open(path, shown)

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        with _readable(shown):
            yield from table.batches(positions, in_order)

    return replace(table, batches=batches)


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
    with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as stream:
        start = stream.read(4)
    if not start:
        raise InputError(f"{shown} is empty; give a file with a header row and data rows.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if start.startswith(PARQUET_MAGIC) or (suffixes and suffixes[-1] in {".parquet", ".pq"}):
        return _open_parquet(content, shown)
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    source = TextSource(shown, content, packed=start.startswith(GZIP_MAGIC))
    return open_text(source, suffixes[-1] if suffixes else "")


def _open_parquet(content: Path | bytes, shown: str) -> RawTable:
    import polars as pl

    with _sound_parquet(shown):
        raw = (
            np.frombuffer(content, np.uint8)
            if isinstance(content, bytes)
            else np.memmap(content, np.uint8, "r")
        )
        if not pages_are_sound(raw):
            raise _damaged(shown)
        scan = pl.scan_parquet(io.BytesIO(content) if isinstance(content, bytes) else content, glob=False)
        schema = scan.collect_schema()
    names = schema.names()

    def batches(positions: Sequence[int], in_order: bool) -> Iterator[pl.DataFrame]:
        with _sound_parquet(shown):
            yield from sliced_rows(scan, [names[position] for position in positions])

    return RawTable([name.strip() for name in names], batches, declared_labels(schema))


@contextmanager
def _sound_parquet(shown: str) -> Iterator[None]:
    """Whatever a damaged file leads to becomes one sentence."""
    import polars as pl

    # A damaged file can make the decoder panic, which is no ordinary exception.
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise _damaged(shown) from None


def _damaged(shown: str) -> InputError:
    return InputError(f"{shown} is not a Parquet file or is damaged; write it again.")
