"""Tables with more variables than all sets of them could be scored for."""

from __future__ import annotations

import numpy as np

import chordlearn as cl
from chordlearn.data import Dataset


def tangled(n: int, rows: int = 400, seed: int = 1) -> Dataset:
    """Each variable copies an earlier one, or the exclusive or of two, with some noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for i in range(1, n):
        parent = columns[rng.integers(0, i)] ^ (columns[-1] if i % 3 == 0 else 0)
        columns.append(np.where(rng.random(rows) < 0.2, rng.integers(0, 2, rows), parent))
    return cl.read({f"x{i}": column for i, column in enumerate(columns)})


def copies_with_noise(n: int, rows: int = 100, seed: int = 1) -> Dataset:
    """Each variable copies the one before, with a little noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, rows)]
    for _ in range(n - 1):
        columns.append(np.where(rng.random(rows) < 0.1, rng.integers(0, 3, rows), columns[-1]))
    return cl.read({f"x{i}": column for i, column in enumerate(columns)})
