"""Data of many kinds, from one row to a million."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chordlearn.data import Dataset

MOST_STATES = 50
MOST_ROWS = 1_000_000
MOST_VALUES = 2_000_000
"""Rows times variables; a table with more variables gets fewer rows."""

SMALL_TREE = "small tree"
"""Variables with two or three states, each depending on one before it; bounds do well there."""
KINDS = ("independent", "chain", "tree", "duplicated columns", "nearly determined", "one state", "few cells")


def random_data(n: int, kind: str, rows: int, rng: np.random.Generator) -> Dataset:
    """A table with n variables of up to 50 states; some states may not occur."""
    if kind == SMALL_TREE:
        return _dataset(rows, [int(rng.integers(2, 4)) for _ in range(n)], "tree", rng)
    few = rng.random() < 0.8
    most = min(MOST_ROWS, MOST_VALUES // n)
    return _dataset(rows, [_arity(rng, few=few) for _ in range(n)], kind, rng, most // rows)


def _dataset(
    rows: int, arities: list[int], kind: str, rng: np.random.Generator, most_repeated: int = 1
) -> Dataset:
    n = len(arities)
    codes = np.empty((rows, n), dtype=np.int32)
    for i in range(n):
        codes[:, i] = _column(codes[:, :i], arities, i, kind, rng)
    weights = np.ones(rows, dtype=np.int64)
    if kind == "few cells":
        weights = rng.integers(1, max(2, most_repeated), size=rows)
    distinct, counts = _merged(codes, arities, weights)
    states = tuple(tuple(f"s{code:02}" for code in range(arity)) for arity in arities)
    distinct.setflags(write=False)
    counts.setflags(write=False)
    return Dataset(tuple(f"x{i}" for i in range(n)), states, distinct, counts)


def _merged(
    codes: NDArray[np.int32], arities: list[int], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct rows in order, and how often each occurs; cells are few enough to be numbered."""
    cells, place = np.unique(np.ravel_multi_index(tuple(codes.T), arities), return_inverse=True)
    distinct = np.stack(np.unravel_index(cells, arities), axis=1).astype(np.int32)
    counts = np.zeros(len(cells), dtype=np.int64)
    np.add.at(counts, place, weights)
    return distinct, counts


def _arity(rng: np.random.Generator, *, few: bool) -> int:
    return int(rng.integers(2, 5)) if few and rng.random() < 0.9 else int(rng.integers(1, MOST_STATES + 1))


def _column(
    before: NDArray[np.int32], arities: list[int], i: int, kind: str, rng: np.random.Generator
) -> NDArray[np.int64]:
    rows, arity = len(before), arities[i]
    noise = rng.integers(0, arity, size=rows)
    if kind == "one state" and rng.random() < 0.5:
        return np.full(rows, rng.integers(0, arity))
    if kind == "few cells":
        return np.minimum(noise, int(rng.integers(0, arity)))
    if i == 0 or kind in ("independent", "one state"):
        # Skewed, so that some states are rare and some do not occur.
        return np.minimum(noise, rng.geometric(float(rng.uniform(0.1, 0.9)), size=rows) - 1)
    if kind == "duplicated columns" and rng.random() < 0.5:
        parent = int(rng.integers(0, i))
        arities[i] = arities[parent]
        return before[:, parent].astype(np.int64)
    parent = i - 1 if kind == "chain" else int(rng.integers(0, i))
    doubt = 0.01 if kind == "nearly determined" else float(rng.uniform(0.1, 0.9))
    return np.where(rng.random(rows) < doubt, noise, before[:, parent] % arity)
