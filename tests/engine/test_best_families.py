"""What no family of any size is worth more than under prices, against all families."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from chordlearn._core import Control, FamilyBounds
from chordlearn.bounds import GivenCut
from chordlearn.scores import AIC, BIC, BDeu, Dirichlet, ScoreFunction
from chordlearn.scores.compute import ScoredData
from engine.random_problems import random_table

FUNCTIONS: list[ScoreFunction] = [
    BDeu(1.0),
    BDeu(1e-4),
    BDeu(0.3),
    BDeu(40.0),
    BDeu(1e4),
    BDeu(1.0, edge_prior=-1.5),
    Dirichlet(0.5),
    BIC(),
    AIC(),
    BIC(edge_prior=0.8),
]


def random_cuts(rng: np.random.Generator, n: int) -> list[GivenCut]:
    cuts: list[GivenCut] = []
    for _ in range(int(rng.integers(0, 30))):
        seen_from = int(rng.integers(0, 3))
        drawn = rng.permutation(n).tolist()[: seen_from + int(rng.integers(2, n - 1))]
        apart, among = sorted(drawn[:seen_from]), sorted(drawn[seen_from:])
        cuts.append((apart, among, among[0] if apart else -1, False))
    return cuts


def priced(cut: GivenCut, members: frozenset[int]) -> bool:
    """Whether a set has the multiplier of a cut."""
    apart, among, at, _ = cut
    return members.issuperset(apart) and not members.isdisjoint(among) and not (apart and at in members)


@pytest.mark.parametrize("seed", range(300))
def test_best_families_are_those_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, function = int(rng.integers(4, 8)), FUNCTIONS[seed % len(FUNCTIONS)]
    scorer = ScoredData(random_table(rng, n), function).scorer
    cuts = random_cuts(rng, n)
    multipliers = rng.exponential(rng.choice([1.0, 20.0]), len(cuts)).tolist()
    largest = int(rng.integers(1, n + 1))
    pairs = list(combinations(range(n), 2))
    forbidden = [pairs[k] for k in np.flatnonzero(rng.random(len(pairs)) < 0.1)]
    families = FamilyBounds(scorer, cuts, multipliers, largest, forbidden)
    families.search(1, Control())

    sets = [frozenset(part) for size in range(n + 1) for part in combinations(range(n), size)]
    scores = scorer.sets([sorted(part) for part in sets])
    values = {
        part: score + sum(m for cut, m in zip(cuts, multipliers, strict=True) if priced(cut, part))
        for part, score in zip(sets, scores, strict=True)
    }
    allowed = [
        part for part in sets if len(part) <= largest and not any(part.issuperset(pair) for pair in forbidden)
    ]
    for child, most in enumerate(families.most):
        worth = max(values[part] - values[part - {child}] for part in allowed if child in part)
        assert most == pytest.approx(worth, abs=1e-4)
        assert most >= worth - 1e-9
