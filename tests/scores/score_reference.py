"""Slow, obvious scores to compare with."""

from __future__ import annotations

import csv
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import mpmath
import numpy as np

from chordlearn.data.dataset import Dataset

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def make_dataset(codes, weights, arities) -> Dataset:
    """A data set with variables v0, v1, … and states s0, s1, …, equal rows merged."""
    merged: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(codes, weights, strict=True):
        merged[tuple(int(code) for code in row)] += int(weight)
    rows = sorted(merged)
    return Dataset(
        tuple(f"v{i}" for i in range(len(arities))),
        tuple(tuple(f"s{x}" for x in range(arity)) for arity in arities),
        np.array(rows, dtype=np.int32).reshape(len(rows), len(arities)),
        np.array([merged[row] for row in rows], dtype=np.int64),
    )


def read_csv(path: Path) -> Dataset:
    with path.open() as file:
        header, *rows = csv.reader(file)
    table = np.array(rows)
    states = [tuple(sorted(set(table[:, j]))) for j in range(len(header))]
    codes = np.stack([np.searchsorted(states[j], table[:, j]) for j in range(len(header))], axis=1)
    distinct, weights = np.unique(codes.astype(np.int32), axis=0, return_counts=True)
    return Dataset(tuple(header), tuple(states), distinct, weights.astype(np.int64), source=str(path))


def members(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def counts(dataset: Dataset, mask: int) -> tuple[list[int], int]:
    """Positive counts of a set's joint states, and how many joint states there are."""
    found: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(dataset.codes.tolist(), dataset.weights.tolist(), strict=True):
        found[tuple(row[i] for i in members(mask))] += weight
    return list(found.values()), math.prod(dataset.arities[i] for i in members(mask))


def nml_constant(draws: int, cells: int) -> mpmath.mpf:
    """The sum over all samples of two cells, then the recurrence in the number of cells."""
    total, half = mpmath.mpf(0), mpmath.mpf(1)
    for first in range(draws + 1):
        share = mpmath.mpf(first) / draws
        total += mpmath.binomial(draws, first) * share**first * (1 - share) ** (draws - first)
    if cells == 1:
        return half
    for k in range(1, cells - 1):
        half, total = total, total + mpmath.mpf(draws) / k * half
    return total


def reference(
    dataset: Dataset, mask: int, name: str, parameter: float = 1.0, edge_prior: float = 0.0
) -> float:
    """The score of a set with 40 digits."""
    if mask == 0:
        return 0.0
    with mpmath.workdps(40):
        cell_counts, cells = counts(dataset, mask)
        rows = sum(cell_counts)
        size = mask.bit_count()
        value = mpmath.mpf(edge_prior) * size * (size - 1) / 2
        if name in ("bdeu", "dirichlet"):
            alpha = mpmath.mpf(parameter) / (cells if name == "bdeu" else 1)
            value += mpmath.loggamma(alpha * cells) - mpmath.loggamma(rows + alpha * cells)
            value += sum(mpmath.loggamma(c + alpha) - mpmath.loggamma(alpha) for c in cell_counts)
            return float(value)
        value += sum(c * mpmath.log(mpmath.mpf(c) / rows) for c in cell_counts)
        penalty = {
            "bic": lambda: mpmath.log(rows) / 2 * (cells - 1),
            "aic": lambda: cells - 1,
            "qnml": lambda: mpmath.log(nml_constant(rows, cells)),
        }[name]()
        return float(value - penalty)


def subsets(n: int, max_size: int):
    for size in range(max_size + 1):
        for chosen in combinations(range(n), size):
            yield sum(1 << i for i in chosen)
