"""What families of any size are worth at most, checked by a search that proofs have for themselves."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from chordlearn._checker import Families, FamilyCheck, Table
from chordlearn.certificate.results.values import score_formula


class Problem:
    """A table with copies and parities, a score, and cuts with multipliers, all by chance."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.n = n = int(rng.integers(2, 7))
        self.states = [int(count) for count in rng.integers(2, 5, n)]
        rows = int(rng.integers(3, 60))
        table = np.stack([rng.integers(0, count, rows) for count in self.states], axis=1)
        for i in range(1, n):
            if rng.random() < 0.5:
                same = rng.random(rows) < 0.85
                table[same, i] = table[same, i - 1] % self.states[i]
            if i > 2 and rng.random() < 0.4:
                table[:, i] = (table[:, i - 1] + table[:, i - 2]) % self.states[i]
        self.codes, inverse = np.unique(table, axis=0, return_inverse=True)
        self.weights = np.bincount(inverse.ravel()).astype(np.int64)
        if rng.random() < 0.3:
            self.weights *= rng.integers(1, 300, len(self.weights))
        self.score = ("bdeu", "bic", "aic", "bdeu")[seed % 4]
        self.ess = float(rng.choice([1, 0.3, 4, 1e-4, 60, 1000]))
        self.edge_prior = float(rng.choice([0, 0, -1.5, 0.8]))
        self.most_parents = int(rng.integers(0, n)) if seed % 5 == 0 else n - 1
        self.forbidden = [(0, 1)] if seed % 6 == 0 else []
        self.cuts = [self._cut(rng) for _ in range(int(rng.integers(0, 12)))]

    def _cut(self, rng: np.random.Generator) -> tuple[float, list[int], list[int], int]:
        order = [int(i) for i in rng.permutation(self.n)]
        apart = int(rng.integers(0, min(3, self.n - 1)))
        among = order[apart : apart + int(rng.integers(1, self.n - apart + 1))]
        return float(rng.random() * 20), order[:apart], among, among[0] if apart else -1

    @property
    def families(self) -> Families:
        return Families(
            Table(self.codes.astype(np.uint16), self.weights, self.states),
            self.score,
            self.ess,
            self.edge_prior,
            self.most_parents,
            self.forbidden,
            self.cuts,
        )

    def best_families(self) -> list[float]:
        """What each variable's best family is worth, by looking at all."""
        parameters = {"edge_prior": self.edge_prior} | ({"ess": self.ess} if self.score == "bdeu" else {})
        formula = score_formula(self.score, parameters, int(self.weights.sum()))
        worths = {}
        for members in (
            set(chosen) for size in range(self.n + 1) for chosen in combinations(range(self.n), size)
        ):
            cells: Counter[tuple[int, ...]] = Counter()
            for row, weight in zip(
                self.codes[:, sorted(members)].tolist(), self.weights.tolist(), strict=True
            ):
                cells[tuple(row)] += weight
            states = math.prod(self.states[i] for i in members)
            worth = formula.value(Counter(cells.values()), states, len(members)) if members else 0.0
            for multiplier, apart, among, at in self.cuts:
                if set(apart) <= members and set(among) & members and at not in members:
                    worth += multiplier
            worths[frozenset(members)] = worth
        best = [-math.inf] * self.n
        for family in worths:
            if len(family) > self.most_parents + 1 or any(family.issuperset(pair) for pair in self.forbidden):
                continue
            for child in family:
                best[child] = max(best[child], worths[family] - worths[family - {child}])
        return best


def more_is_worth(families: Families, child: int, most: float) -> list[int] | None:
    check = FamilyCheck(families, child, most)
    assert check.error < 1e-7
    while not check.advance(7):
        pass
    return check.counterexample


@pytest.mark.parametrize("seed", range(60))
def test_the_best_family_is_known(seed: int) -> None:
    problem = Problem(seed)
    for child, best in enumerate(problem.best_families()):
        assert more_is_worth(problem.families, child, best + 1e-6) is None
        found = more_is_worth(problem.families, child, best - 1e-6)
        assert found is not None and child not in found and len(found) <= problem.most_parents
