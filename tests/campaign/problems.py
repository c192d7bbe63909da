"""The problems of the campaign: of every kind, each made from a few numbers that hypothesis chooses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import log10

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from campaign import data_tables
from chordlearn.data import Dataset
from chordlearn.problem.constraints import Constraints
from chordlearn.scores import AIC, BIC, QNML, BDeu, Dirichlet, ScoreFunction, ScoreTable
from chordlearn.testing import random_scores

SHARES = {1: 2, 2: 5, 3: 11, 4: 15, 5: 19, 6: 19, 7: 5, 8: 7, 9: 5, 10: 6} | dict.fromkeys(range(11, 17), 1)
"""Of a hundred problems, how many have so many variables; most can be solved by looking at all graphs."""
SIZES = [n for n, share in SHARES.items() for _ in range(share)]
MOST_VARIABLES_OF_ANY_KIND = 10
"""What no bound can reduce is out of reach for most solvers with more."""
MOST_PAIRS_CONSTRAINED = 0.3
NONE = Constraints()


@dataclass(frozen=True, eq=False)
class Trial:
    """One problem of the campaign: scores, or data with a score function, and constraints."""

    source: ScoreTable | Dataset
    function: ScoreFunction | None
    """None when scores are given."""
    constraints: Constraints
    seed: int
    """Of everything that is random in the solvers and the checks."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.source.variables)


@dataclass(frozen=True)
class Recipe:
    """All that a problem is made from; what is printed of it is enough to make it again."""

    kind: str
    """Of scores or of data."""
    n: int
    """Number of variables."""
    seed: int
    rows: int = 0
    """Of data; none for scores."""
    function: ScoreFunction | None = None
    constraints: Constraints = NONE

    def trial(self) -> Trial:
        """Make the problem."""
        rng = np.random.default_rng(self.seed)
        source: ScoreTable | Dataset
        if self.function is None:
            source = random_scores.random_scores(self.n, self.kind, rng)
        else:
            source = data_tables.random_data(self.n, self.kind, self.rows, rng)
        return Trial(source, self.function, self.constraints, self.seed)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Any problem: three fifths are scores, the others data; two fifths have constraints."""
    n = draw(st.sampled_from(SIZES))
    seed = draw(st.integers(0, 2**24 - 1))
    # Hypothesis begins every round with the simplest problem there is, which is always the same.
    assume(seed > 0)
    constraints = draw(_constraints(n)) if draw(st.sampled_from([False] * 3 + [True] * 2)) else NONE
    if n > MOST_VARIABLES_OF_ANY_KIND:
        return Recipe(data_tables.SMALL_TREE, n, seed, draw(_rows(300, 20_000)), BDeu(1.0), constraints)
    if draw(st.sampled_from([False] * 3 + [True] * 2)):
        rows = draw(_rows(1, min(data_tables.MOST_ROWS, data_tables.MOST_VALUES // n)))
        kind = draw(st.sampled_from(data_tables.KINDS))
        return Recipe(kind, n, seed, rows, draw(score_functions()), constraints)
    return Recipe(draw(st.sampled_from(list(random_scores.KINDS))), n, seed, 0, None, constraints)


def _rows(least: int, most: int) -> st.SearchStrategy[int]:
    """Of all magnitudes alike."""
    return st.integers(int(10 * log10(least)), int(10 * log10(most))).map(lambda k: int(10 ** (k / 10)))


@st.composite
def score_functions(draw: st.DrawFn) -> ScoreFunction:
    """A score function with parameters of any size."""
    prior = draw(st.sampled_from([0.0] * 18 + [-1.5, 0.7]))
    size = 10 ** (draw(st.integers(-8, 12)) / 4)
    functions = (
        BDeu(1.0, edge_prior=prior),
        BDeu(size, edge_prior=prior),
        Dirichlet(size, edge_prior=prior),
        BIC(edge_prior=prior),
        AIC(edge_prior=prior),
        QNML(edge_prior=prior),
    )
    return draw(st.sampled_from(functions))


@st.composite
def _constraints(draw: st.DrawFn, n: int) -> Constraints:
    """Some pairs required, some forbidden, perhaps a largest clique; they may contradict each other."""
    every = list(combinations([f"x{i}" for i in range(n)], 2))
    most = round(MOST_PAIRS_CONSTRAINED * len(every))
    pairs = draw(st.lists(st.sampled_from(every), unique=True, max_size=most)) if most else []
    required = tuple(sorted(pair for pair in pairs if draw(st.booleans())))
    forbidden = tuple(sorted(set(pairs) - set(required)))
    largest = draw(st.integers(1, n)) if draw(st.sampled_from([False] * 3 + [True] * 2)) else None
    return Constraints(largest, required, forbidden)
