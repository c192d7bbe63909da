"""Time of reading a CSV of a million binary rows, as a ratio to merely parsing the same file with polars."""

import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from chordlearn.data import read

ROWS, COLUMNS, REPEATS = 1_000_000, 8, 5


def fastest(action):
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    values = np.random.default_rng(1).integers(0, 2, (ROWS, COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.csv"
        pl.DataFrame(values, schema=[f"v{index}" for index in range(COLUMNS)]).write_csv(path)
        parse = fastest(lambda: pl.read_csv(path))
        parse_texts = fastest(lambda: pl.read_csv(path, infer_schema=False))
        ours = fastest(lambda: read(path))
    print(f"polars.read_csv, numbers inferred    {parse:7.3f} s")
    print(f"polars.read_csv, all texts           {parse_texts:7.3f} s")
    print(f"chordlearn read + code + deduplicate {ours:7.3f} s")
    print(f"ratio to inferred {ours / parse:.2f}, ratio to texts {ours / parse_texts:.2f}")


if __name__ == "__main__":
    main()
