"""Write tables on which proofs are hard: rows drawn from chordal networks with cliques of 5 to 7 variables.

python benchmarks/dense_tables.py FOLDER         dense_40.csv, dense_60.csv and dense_80.csv
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

ROWS = 5_000
CLIQUES = 5, 7


def dense_table(columns: int, seed: int) -> pl.DataFrame:
    """Variables with two or three states, each drawn by those of a clique that was there before."""
    rng = np.random.default_rng(seed)
    states = rng.integers(2, 4, columns)
    codes = np.zeros((ROWS, columns), dtype=np.int64)
    cliques = [list(range(CLIQUES[0]))]
    for i in range(columns):
        clique = rng.permutation(cliques[rng.integers(len(cliques))]).tolist()
        parents = clique[: rng.integers(*CLIQUES, endpoint=True) - 1] if i >= CLIQUES[0] else list(range(i))
        cell = np.zeros(ROWS, dtype=np.int64)
        for parent in parents:
            cell = cell * states[parent] + codes[:, parent]
        shares = rng.dirichlet(np.full(states[i], 0.5), int(np.prod(states[parents], dtype=int)))
        codes[:, i] = (rng.random((ROWS, 1)) > shares.cumsum(axis=1)[cell, :-1]).sum(axis=1)
        if i >= CLIQUES[0]:
            cliques.append([*parents, i])
    # Not in the order in which they were drawn.
    order = rng.permutation(columns)
    return pl.DataFrame({f"x{k}": codes[:, i] for k, i in enumerate(order)})


def write_tables(folder: Path) -> list[Path]:
    """Three tables; where they are."""
    paths = []
    for columns in (40, 60, 80):
        paths.append(folder / f"dense_{columns}.csv")
        dense_table(columns, seed=columns).write_csv(paths[-1])
    return paths


if __name__ == "__main__":
    write_tables(Path(sys.argv[1]))
