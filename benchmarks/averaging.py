"""The log-likelihood of test rows: the best network against networks drawn from the posterior, averaged.

Run with ``python benchmarks/averaging.py FOLDER``, where FOLDER has debd/ with its train and test rows, and
uci/voting.csv, of which every third row is for testing. More than 18 columns get two minutes of chains.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import polars as pl

import chordlearn as cl

DRAWN = 100
CHAIN_SECONDS = 120.0


def tables(folder: Path, name: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows to learn from, and those to test on."""
    if name == "voting":
        rows = pl.read_csv(folder / "uci/voting.csv", infer_schema=False).with_row_index()
        train, test = rows.filter(pl.col("index") % 3 > 0), rows.filter(pl.col("index") % 3 == 0)
        return train.drop("index"), test.drop("index")
    train, test = (
        pl.read_csv(folder / f"debd/{name}/{name}.{part}.csv", infer_schema=False)
        for part in ("train", "test")
    )
    return train, test


def main() -> None:
    """A line for each table."""
    folder, names = Path(sys.argv[1]), sys.argv[2:] or ["voting", "nltcs", "plants", "jester", "dna"]
    print("table    columns  rows  method  networks  best      averaged  gain per row  seconds")
    for name in names:
        train, test = tables(folder, name)
        begin = time.perf_counter()
        wide = train.width > 18
        data = cl.read(train, missing="category")
        found = cl.posterior(data, time_limit=CHAIN_SECONDS if wide else None, seed=1)
        averaged = found.average(DRAWN, data, seed=1)
        alone, together = (
            float(network.log_likelihood(test).mean()) for network in (cl.fit(found.best, data), averaged)
        )
        print(
            f"{name:<8} {train.width:>7} {train.height:>5}  {found.method:<6} {len(averaged.networks):>9} "
            f" {alone:.4f}  {together:.4f}  {together - alone:+.4f}  {time.perf_counter() - begin:.0f}",
            flush=True,
        )
        print("        ", found.note)


if __name__ == "__main__":
    main()
