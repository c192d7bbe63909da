"""Seconds to score all sets of variables, for tables of several shapes, and next to reading a large file.

Run with ``python benchmarks/scoring.py``; the times are of one thread unless the table says otherwise.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from chordlearn.data.dataset import Dataset
from chordlearn.scores import BDeu, compute_scores

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL = [("debd/nltcs/nltcs.train", 16), ("uci/voting", 17), ("bn/alarm_1000", 20), ("uci/mushroom", 20)]


def from_frame(frame: pl.DataFrame) -> Dataset:
    counted = frame.group_by(frame.columns).len("rows in all").sort(frame.columns)
    states, codes = [], []
    for name in frame.columns:
        labels = counted[name].unique().sort()
        states.append(tuple(str(label) for label in labels))
        codes.append(labels.search_sorted(counted[name]).to_numpy())
    weights = counted["rows in all"].to_numpy().astype(np.int64)
    return Dataset(tuple(frame.columns), tuple(states), np.stack(codes, axis=1).astype(np.int32), weights)


def random_frame(rows: int, arities: list[int]) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame({f"v{i}": rng.integers(0, arity, rows) for i, arity in enumerate(arities)})


def report(label: str, dataset: Dataset, max_size: int | None = None, threads: int = 1) -> float:
    begin = time.perf_counter()
    compute_scores(dataset, BDeu(), max_size=max_size, threads=threads)
    seconds = time.perf_counter() - begin
    n = len(dataset.variables)
    print(
        f"{label:<34}{n:>4}{len(dataset.weights):>10}{max_size or n:>6}{threads:>9}{seconds:>10.3f}",
        flush=True,
    )
    return seconds


def million_rows() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.csv"
        random_frame(1_000_000, [2] * 8).write_csv(path)
        begin = time.perf_counter()
        frame = pl.read_csv(path)
        reading = time.perf_counter() - begin
        dataset = from_frame(frame)
        coding = time.perf_counter() - begin - reading
        scoring = report("1,000,000 rows, binary", dataset)
    print(f"    reading {reading:.3f} s, coding {coding:.3f} s, scoring {scoring:.4f} s")


def main() -> None:
    print(f"{'data':<34}{'n':>4}{'distinct':>10}{'size':>6}{'threads':>9}{'seconds':>10}")
    for rows in (1_000, 10_000):
        binary = from_frame(random_frame(rows, [2] * 20))
        report(f"{rows:,} rows, binary", binary)
        report(f"{rows:,} rows, binary", binary, threads=2)
        report(
            f"{rows:,} rows, 2 to 4 states", from_frame(random_frame(rows, [2 + i % 3 for i in range(20)]))
        )
    report("10,000 rows, binary", from_frame(random_frame(10_000, [2] * 24)), max_size=4)
    million_rows()
    for name, columns in REAL:
        path = SHARED / f"{name}.csv"
        if path.exists():
            frame = pl.read_csv(path, infer_schema=False)
            report(name, from_frame(frame.select(frame.columns[:columns])))


if __name__ == "__main__":
    main()
