"""Random learning problems of many kinds, small enough for brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import chordlearn as cl
from chordlearn.data import Dataset
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import ScoreTable

KINDS = ("gaussian", "integer", "likelihood", "equal", "walk")


def random_values(rng: np.random.Generator, n: int, kind: str) -> NDArray[np.float64]:
    sizes = np.bitwise_count(np.arange(1 << n))
    match kind:
        case "gaussian":
            values = rng.normal(scale=10, size=1 << n)
        case "integer":
            values = rng.integers(-3, 3, size=1 << n).astype(float)
        case "likelihood":
            values = rng.normal(scale=5, size=1 << n) - 1000.0 * sizes
        case "equal":
            values = np.zeros(1 << n)
        case _:
            values = np.cumsum(rng.normal(size=1 << n))
    values[0] = 0.0
    return values


def random_problem(rng: np.random.Generator, n: int, kind: str, *, constrained: bool = True) -> Problem:
    values = random_values(rng, n, kind)
    if constrained and rng.random() < 0.3:
        impossible = rng.random(1 << n) < 0.1
        impossible[[0, *(1 << i for i in range(n))]] = False
        values[impossible] = -np.inf
    names = tuple(f"x{i}" for i in range(n))
    required, forbidden = [], []
    for pair in combinations(names, 2):
        draw = rng.random() if constrained else 1.0
        if draw < 0.06:
            required.append(pair)
        elif draw < 0.12:
            forbidden.append(pair)
    largest = int(rng.integers(2, n + 1)) if constrained and n > 2 and rng.random() < 0.2 else None
    table = ScoreTable(names, values, max_size=n)
    return make_problem(table, Constraints(largest, tuple(required), tuple(forbidden)))


def random_table(rng: np.random.Generator, n: int) -> Dataset:
    """Copies, parities and noise of variables with two to five states."""
    rows = int(rng.integers(5, 120))
    columns = [rng.integers(0, rng.integers(2, 6), rows)]
    while len(columns) < n:
        kind = rng.integers(4)
        chosen = [columns[i] for i in rng.integers(0, len(columns), 3)]
        column = [chosen[0], sum(chosen) % 2, (chosen[0] + chosen[1]) % 3, rng.integers(0, 3, rows)][kind]
        columns.append(
            np.where(rng.random(rows) < rng.choice([0.0, 0.1, 0.4]), rng.integers(0, 2, rows), column)
        )
    return cl.read({f"x{i}": column for i, column in enumerate(columns)})
