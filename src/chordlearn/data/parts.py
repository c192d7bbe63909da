"""Several files that are one table: which files a source means, and their rows one file after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chordlearn.data.files import open_file
from chordlearn.data.labels import as_labels
from chordlearn.data.naming import check_names, listed
from chordlearn.data.table import RawTable
from chordlearn.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def find_files(source: str | Path) -> list[Path]:
    """The files that a path, a pattern, or paths joined as in PATH stand for; none if they are not there.

    >>> [path.name for path in find_files(Path(__file__).with_name("pa[rc]*s.py"))]
    ['parts.py']
    """
    try:
        path = Path(source).expanduser()
        if path.exists():
            return [path]
        several = [Path(part).expanduser() for part in str(source).split(os.pathsep)]
        if all(part.is_file() for part in several):
            return several
        return _matching(path) if has_wildcard(str(source)) else []
    except (OSError, ValueError, RuntimeError, NotImplementedError):
        return []


def has_wildcard(text: str) -> bool:
    """Whether a text can be a pattern for names.

    >>> has_wildcard("part-*.csv"), has_wildcard("part-1.csv")
    (True, False)
    """
    return any(character in text for character in "*?[")


def _matching(pattern: Path) -> list[Path]:
    folder = Path(pattern.anchor or ".")
    found = folder.glob(str(pattern.relative_to(pattern.anchor)))
    hidden = pattern.name.startswith(".")
    return sorted(path for path in found if path.is_file() and (hidden or not path.name.startswith(".")))


def joined(paths: Sequence[str | Path]) -> str:
    """One text for several paths, from which :func:`find_files` finds them again."""
    return os.pathsep.join(str(path) for path in paths)


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

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        for table, order in zip(tables, orders, strict=True):
            yield from table.batches([order[position] for position in positions])

    def ordered(positions: Sequence[int]) -> pl.DataFrame:
        frames = []
        for table, order in zip(tables, orders, strict=True):
            assert table.ordered is not None
            frames.append(table.ordered([order[position] for position in positions]))
        return _stacked(frames, [names[position] for position in positions])

    def notes() -> list[str]:
        return [note for table in tables for note in table.notes()]

    return RawTable(names, batches, declared, ordered, notes, all(table.is_text for table in tables))


def _refuse_other_columns(path: Path, names: Sequence[str], first: Path, expected: Sequence[str]) -> None:
    lacking = [repr(name) for name in expected if name not in set(names)]
    more = [repr(name) for name in names if name not in set(expected)]
    if lacking or more:
        what = [f"lacks {listed(lacking)}"] * bool(lacking) + [f"has {listed(more)} besides"] * bool(more)
        raise InputError(
            f"{path} {' and '.join(what)}, unlike {first}; give files that have the same columns."
        )


def _stacked(frames: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """One frame of all rows; a column that differs in type between files becomes labels."""
    import polars as pl

    columns = []
    for index, name in enumerate(names):
        parts = [frame[str(index)] for frame in frames]
        if len({part.dtype for part in parts}) > 1:
            parts = [as_labels(part, name) for part in parts]
        columns.append(pl.concat(parts))
    return pl.DataFrame(columns)
