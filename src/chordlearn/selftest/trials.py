"""The problems of the campaign: problem k of seed s is the same always and everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from chordlearn.data import Dataset
from chordlearn.problem.constraints import Constraints
from chordlearn.scores import BDeu, ScoreFunction, ScoreTable
from chordlearn.selftest import data_tables, score_tables

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
SHARES = (0.02, 0.05, 0.12, 0.16, 0.2, 0.2, 0.05, 0.08, 0.06, 0.06)
"""Most problems are small enough that all chordal graphs can be looked at."""
LARGE_SIZES = (11, 12, 13, 14, 15, 16)
LARGE_SHARE = 0.06
DATA_SHARE = 0.4


@dataclass(frozen=True, eq=False)
class Trial:
    """One problem of the campaign: scores, or data with a score function, and constraints."""

    seed: int
    number: int
    what: str
    source: ScoreTable | Dataset
    function: ScoreFunction | None
    """None when scores are given."""
    constraints: Constraints

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.source.variables)


def make_trial(seed: int, number: int) -> Trial:
    """The problem of this number.

    >>> make_trial(0, 1).what == make_trial(0, 1).what
    True
    """
    rng = np.random.default_rng((seed, number))
    large = rng.random() < LARGE_SHARE
    n = int(rng.choice(LARGE_SIZES) if large else rng.choice(SIZES, p=SHARES))
    source: ScoreTable | Dataset
    function: ScoreFunction | None = None
    if large:
        # What no bound can reduce is out of reach for most with so many variables.
        source, function = data_tables.random_tree_data(n, rng), BDeu(1.0)
        what = f"large data, {n} variables, {source.rows} rows"
    elif rng.random() < DATA_SHARE:
        kind = str(rng.choice(data_tables.KINDS))
        source, function = data_tables.random_data(n, kind, rng), data_tables.random_function(rng)
        what = f"data, {kind}, {n} variables, {source.rows} rows, {function.name}"
    else:
        kind = str(rng.choice(list(score_tables.KINDS)))
        source = score_tables.random_scores(n, kind, rng)
        what = f"scores, {kind}, {n} variables"
    constraints = _random_constraints(source.variables, rng)
    if constraints != Constraints():
        what += ", constraints"
    return Trial(seed, number, what, source, function, constraints)


def _random_constraints(names: tuple[str, ...], rng: np.random.Generator) -> Constraints:
    if rng.random() < 0.6:
        return Constraints()
    share = float(rng.uniform(0.0, 0.15))
    required, forbidden = [], []
    for pair in combinations(names, 2):
        draw = rng.random()
        if draw < share:
            required.append(pair)
        elif draw < 2 * share:
            forbidden.append(pair)
    largest = int(rng.integers(1, len(names) + 1)) if rng.random() < 0.4 else None
    return Constraints(largest, tuple(required), tuple(forbidden))
