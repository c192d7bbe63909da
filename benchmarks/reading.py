"""Processor time, memory and result of reading five kinds of table, with one or several versions.

Each reading runs in a process of its own. The tables are made once in the folder (about 2 GB) and kept.

    python benchmarks/reading.py FOLDER [PYTHON…]     PYTHON: of an environment with another version
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl

READ = """
import json, resource, sys
path, kind = sys.argv[1:]
if kind == "rows":
    import hashlib
    try:
        from chordlearn.data.ordered_rows import read_rows
    except ImportError:
        from chordlearn.data.rows import read_rows
    names, states = [f"v{i}" for i in range(12)], [["a", "b", "c"]] * 12
    found = hashlib.sha256(read_rows(path).codes(names, states).tobytes()).hexdigest()
else:
    from chordlearn.data import read
    found = read(path).sha256
own = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([own.ru_utime + own.ru_stime, own.ru_maxrss / 1e6, found[:12]]))
"""


def few_distinct(rng: np.random.Generator) -> pl.DataFrame:
    """10,000,000 rows x 20 columns, of which 1,000 are distinct."""
    patterns, chosen = rng.integers(0, 4, (1000, 20)), rng.integers(0, 1000, 10_000_000)
    return pl.DataFrame(
        {f"v{i}": pl.Series(patterns[:, i].astype(np.int8)).gather(chosen) for i in range(20)}
    )


def all_distinct(rng: np.random.Generator) -> pl.DataFrame:
    """3,000,000 rows x 30 columns, nearly all distinct."""
    return pl.DataFrame({f"v{i}": rng.integers(0, 4, 3_000_000, dtype=np.int8) for i in range(30)})


def wide(rng: np.random.Generator) -> pl.DataFrame:
    """1,000 rows x 2,000 columns."""
    return pl.DataFrame({f"v{i}": rng.integers(0, 3, 1000, dtype=np.int8) for i in range(2000)})


def gaps(rng: np.random.Generator) -> pl.DataFrame:
    """2,000,000 rows x 12 columns, a tenth of the values missing; read in their order."""
    labels = pl.Series(["a", "b", "c", None])
    drawn = rng.choice(4, (2_000_000, 12), p=[0.3, 0.3, 0.3, 0.1])
    return pl.DataFrame({f"v{i}": labels.gather(drawn[:, i]) for i in range(12)})


CASES = {
    "few.csv": (few_distinct, "table"),
    "distinct.csv": (all_distinct, "table"),
    "wide.csv": (wide, "table"),
    "few.parquet": (few_distinct, "table"),
    "gaps.csv": (gaps, "rows"),
}


def main() -> None:
    folder, pythons = Path(sys.argv[1]), sys.argv[2:] or [sys.executable]
    for name, (make, _) in CASES.items():
        if not (folder / name).exists():
            frame = make(np.random.default_rng(1))
            (frame.write_parquet if name.endswith(".parquet") else frame.write_csv)(folder / name)
    for name, (make, kind) in CASES.items():
        print(f"{name}: {make.__doc__}")
        for python in pythons:
            command = [python, "-c", READ, str(folder / name), kind]
            seconds, memory, found = json.loads(subprocess.check_output(command))
            print(f"  {seconds:7.2f} s of processors  {memory:5.2f} GB  result {found}  {python}", flush=True)


if __name__ == "__main__":
    main()
