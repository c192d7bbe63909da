"""Rows per second and memory of reading a table of many rows, which is generated first.

Each reading runs in a process of its own, whose largest resident memory is reported. With --learn, the
whole of `chordlearn learn` runs on the file too. Examples:

    python benchmarks/read_many_rows.py --rows 100_000_000 --columns 16 --format parquet
    python benchmarks/read_many_rows.py --rows 10_000_000 --columns 12 --format csv --kind even --learn
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

BLOCK = 1_000_000
REPORT = """
import json, re, sys, time
from pathlib import Path
from chordlearn.data import read
start = time.perf_counter()
data = read(sys.argv[1])
seconds = time.perf_counter() - start
status = Path("/proc/self/status").read_text()
print(json.dumps({
    "seconds": seconds, "processor": time.process_time(),
    "bytes": 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", status)[1]),
    "rows": data.rows, "distinct": len(data.weights), "sha256": data.sha256,
}))
"""
LEARN = """
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.call(["chordlearn", "learn", *sys.argv[1:]])
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"  exit code {code}, {time.perf_counter() - start:.1f} s, {usage.ru_maxrss / 1e6:.2f} GB")
"""


def arities(columns: int, kind: str) -> list[int]:
    """From 2 to 10 states; for the kind `even` 10 in every column."""
    return [10] * columns if kind == "even" else [2 + 4 * index % 9 for index in range(columns)]


def block(rng: np.random.Generator, sizes: list[int], kind: str, rows: int) -> list[np.ndarray]:
    """Columns of which each is mostly a function of the one before it (`chain`), or independent of it."""
    columns = [rng.integers(0, sizes[0], rows)]
    for size in sizes[1:]:
        drawn = rng.integers(0, size, rows)
        columns.append(
            np.where(rng.random(rows) < 0.9, columns[-1] % size, drawn) if kind == "chain" else drawn
        )
    return columns


def generated(rows: int, columns: int, kind: str, states: str, seed: int) -> pl.LazyFrame:
    """A table that comes in blocks and is never in memory as a whole."""
    sizes = arities(columns, kind)
    names = [f"v{index}" for index in range(columns)]
    labels = [pl.Series([f"state {code}" for code in range(size)]) for size in sizes]
    dtype = pl.String if states == "text" else pl.Int64

    def blocks(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        rng = np.random.default_rng(seed)
        for start in range(0, rows, BLOCK):
            codes = block(rng, sizes, kind, min(BLOCK, rows - start))
            if states == "text":
                yield pl.DataFrame(
                    {n: label.gather(c) for n, label, c in zip(names, labels, codes, strict=True)}
                )
            else:
                yield pl.DataFrame(dict(zip(names, codes, strict=True)))

    return register_io_source(blocks, schema=dict.fromkeys(names, dtype))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--kind", choices=["chain", "independent", "even"], default="chain")
    parser.add_argument("--states", choices=["integer", "text"], default="integer")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the file is made; by default a temporary folder")
    parser.add_argument("--learn", nargs="*", metavar="OPTION", help="also learn, with these options")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder) / f"table.{given.format}"
        start = time.perf_counter()
        table = generated(given.rows, given.columns, given.kind, given.states, given.seed)
        table.sink_parquet(path) if given.format == "parquet" else table.sink_csv(path)
        kind = f"{given.kind}, {given.states} states, {given.format}"
        print(f"{given.rows:,} rows x {given.columns} columns, {kind}")
        print(f"  made in {time.perf_counter() - start:.0f} s, {path.stat().st_size / 1e9:.2f} GB on disk")
        for _ in range(given.repeats):
            found = json.loads(subprocess.check_output([sys.executable, "-c", REPORT, str(path)]))
            print(
                f"  read in {found['seconds']:.1f} s ({found['processor']:.1f} s of processors), "
                f"{found['rows'] / found['seconds']:,.0f} rows/s, {found['bytes'] / 1e9:.2f} GB, "
                f"{found['distinct']:,} distinct rows, sha256 {found['sha256'][:12]}"
            )
        if given.learn is not None:
            options = [f"--{option}" for option in given.learn]
            subprocess.run(
                [sys.executable, "-c", LEARN, str(path), *" ".join(options).replace("=", " ").split()]
            )


if __name__ == "__main__":
    main()
