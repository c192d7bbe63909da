"""Large tables counted in parts: each worker reduces its part to distinct coded rows, which are merged here.

The files themselves do not travel: a worker reads its part where the path leads, and only if the same file is
there. Parts that no worker can see are counted by this process.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chordlearn.cluster import Workforce, task
from chordlearn.contents import GZIP_MAGIC
from chordlearn.data.blocks import TextSource
from chordlearn.data.catalogue import BUNDLED
from chordlearn.data.distinct import as_matrix
from chordlearn.data.encoding import UTF_16
from chordlearn.data.files import PARQUET_MAGIC, open_file
from chordlearn.data.gathering import Watch, gather
from chordlearn.data.header import find_header
from chordlearn.data.parquet import scan_parquet, sound_parquet
from chordlearn.data.parts import find_files, joined, open_parts
from chordlearn.data.table import WEIGHT, OpenTable, RawTable, sliced_rows
from chordlearn.data.text import open_text
from chordlearn.errors import InputError
from chordlearn.remote.datasets import small
from chordlearn.scores import is_score_file

if TYPE_CHECKING:
    import polars as pl

FEWEST_BYTES = 32 << 20
"""Tables of less are read here before a worker would have begun."""
PARTS_PER_SLOT = 4
LEAST_ROWS, MOST_ROWS = 1 << 18, 1 << 22
LEAST_BYTES, MOST_BYTES = 1 << 24, 1 << 26
STAMPED_BYTES = 1 << 16
PARQUET, TEXT, WHOLE = "parquet", "text", "whole"


@dataclass(frozen=True)
class Part:
    """Some rows of a file: from row to row, from byte to byte, or all of them."""

    path: str
    stamp: str
    kind: str
    start: int
    stop: int

    def row(self, names: Sequence[str]) -> tuple[Any, ...]:
        """The arguments of the task that counts it."""
        return self.path, self.stamp, self.kind, self.start, self.stop, list(names)


def counted_on(workforce: Workforce, source: Any, *, fewest_bytes: int = FEWEST_BYTES) -> Any:
    """The source as a table that the workers count when it is read; small or other sources as they are."""
    paths = _files(source)
    if not paths or sum(path.stat().st_size for path in paths) < fewest_bytes:
        return source
    table = open_parts(paths)

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        return _batches(workforce, paths, [table.names[position] for position in positions])

    shown = str(source) if isinstance(source, str | Path) else joined(paths)
    return OpenTable(replace(table, batches=batches), shown)


def _files(source: Any) -> list[Path]:
    """The regular files that a source stands for; none if it is anything else."""
    sources = source if isinstance(source, list | tuple) else [source]
    if not all(isinstance(one, str | Path) and one not in BUNDLED for one in sources):
        return []
    if len(sources) == 1 and is_score_file(sources[0]):
        return []
    found = [find_files(one) for one in sources]
    paths = [path for some in found for path in some]
    return paths if all(found) and all(stat.S_ISREG(path.stat().st_mode) for path in paths) else []


def _batches(workforce: Workforce, paths: Sequence[Path], names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The distinct rows of all parts, file by file as each is counted."""
    parts = {path: list(_divide(path, workforce.slots * PARTS_PER_SLOT)) for path in paths}
    owners = [(path, part) for path in paths for part in parts[path]]
    rows = [part.row(names) for _, part in owners]
    answers: dict[Path, list[Any]] = {path: [] for path in paths}
    for number, found in workforce.run(count_part, rows):
        path = owners[number][0]
        # A part that a worker cannot count is counted here; one that cannot stand alone is found out below.
        answers[path].append(found if found is not None else count_part(*rows[number]))
        if len(answers[path]) == len(parts[path]):
            yield from _frames(path, answers.pop(path), names)


def _frames(path: Path, answers: Iterable[Any], names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of a file; if a part of it cannot be counted apart, those of the file read here as a whole."""
    answers = list(answers)
    if all(answer is not None and answer["labels"] is not None for answer in answers):
        yield from (_frame(answer) for answer in answers)
        return
    table = open_file(path, str(path))
    yield from table.batches([table.names.index(name) for name in names])


def _frame(answer: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    columns = {
        str(index): pl.Series(labels, dtype=pl.String).gather(answer["codes"][:, index].astype(np.int64))
        for index, labels in enumerate(answer["labels"])
    }
    return pl.DataFrame({**columns, WEIGHT: answer["weights"]})


def _divide(path: Path, most: int) -> Iterator[Part]:
    with path.open("rb") as stream:
        start = stream.read(4)
    size, stamp = path.stat().st_size, stamp_of(path)
    if start.startswith((GZIP_MAGIC, *UTF_16)):
        yield Part(str(path), stamp, WHOLE, 0, size)
    elif start.startswith(PARQUET_MAGIC):
        count = _parquet_rows(path)
        step = min(max(-(-count // most), LEAST_ROWS), MOST_ROWS)
        for first in range(0, count, step):
            yield Part(str(path), stamp, PARQUET, first, min(first + step, count))
    else:
        header = find_header(TextSource(str(path), path))
        step = min(max(-(-size // most), LEAST_BYTES), MOST_BYTES)
        if header.text.count('"') % 2:
            # A name goes over several lines.
            yield Part(str(path), stamp, WHOLE, 0, size)
            return
        for first in range(header.end, size, step):
            yield Part(str(path), stamp, TEXT, first, min(first + step, size))


def _parquet_rows(path: Path) -> int:
    import polars as pl

    with sound_parquet(str(path)):
        return int(scan_parquet(path, str(path)).select(pl.len()).collect().item())


def stamp_of(path: Path) -> str:
    """What tells a file from another one of the same name: its size, and a hash of how it begins and ends."""
    size = path.stat().st_size
    digest = sha256(str(size).encode())
    with path.open("rb") as stream:
        digest.update(stream.read(STAMPED_BYTES))
        stream.seek(max(0, size - STAMPED_BYTES))
        digest.update(stream.read(STAMPED_BYTES))
    return digest.hexdigest()


@task
def count_part(
    path: str, stamp: str, kind: str, start: int, stop: int, names: list[str]
) -> dict[str, Any] | None:
    """Distinct rows of a part as codes, with labels and weights; None if the file is not to be seen here.

    Without labels if the part cannot be counted apart from the rest of its file.
    """
    try:
        if stamp_of(Path(path)) != stamp:
            return None
    except OSError:
        return None
    unfit = {"labels": None, "codes": None, "weights": None}
    try:
        table = _open_part(Path(path), kind, start, stop)
        if table is None:
            return unfit
        columns = table.batches([table.names.index(name) for name in names])
        gathered = gather(columns, path, names, None, [False] * len(names), Watch())
    except InputError:
        # The sentence for it needs the whole file: the numbers of its lines, or what else is wrong with it.
        return unfit
    if gathered.hopeless or gathered.no_labels:
        return unfit
    gathered.rows.merge()
    codes, weights = as_matrix(gathered.rows)
    return {"labels": [list(labels) for labels in gathered.labels], "codes": small(codes), "weights": weights}


def _open_part(path: Path, kind: str, start: int, stop: int) -> RawTable | None:
    if kind == PARQUET:
        return _parquet_part(path, start, stop)
    return _text_part(path, start, stop) if kind == TEXT else open_file(path, str(path))


def _parquet_part(path: Path, start: int, stop: int) -> RawTable:
    scan = scan_parquet(path, str(path)).slice(start, stop - start)
    own = scan.collect_schema().names()

    def batches(positions: Sequence[int]) -> Iterator[pl.DataFrame]:
        with sound_parquet(str(path)):
            yield from sliced_rows(scan, [own[position] for position in positions])

    return RawTable([name.strip() for name in own], batches)


def _text_part(path: Path, start: int, stop: int) -> RawTable | None:
    """The lines that begin between two bytes, under the file's header; None if a quoted value may cross."""
    header = find_header(TextSource(str(path), path))
    with path.open("rb") as stream:
        # A line belongs to the part in which it begins.
        stream.seek(start - 1)
        begin = start - 1 + len(stream.readline(MOST_BYTES))
        content = stream.read(max(0, stop - begin))
        if content and not content.endswith(b"\n"):
            content += stream.readline(MOST_BYTES)
    if b'"' in content and any(line.count(b'"') % 2 for line in content.splitlines()):
        return None
    lines = header.text.encode() + b"\n" + content
    return open_text(TextSource(str(path), lines), path.suffix.lower())
