"""Claims about wider and wider classes of networks, against all networks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, CutBound, FamilyBounds
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.ladder import Ladder
from chordlearn.backends.search.local import search_with_bound
from chordlearn.data import Dataset
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.scores import AIC, BIC, BDeu, Dirichlet, ScoreFunction
from chordlearn.scores.compute import ScoredData
from chordlearn.scores.functions import QNML
from engine.random_problems import random_table

FUNCTIONS: list[ScoreFunction] = [
    BDeu(1.0),
    BDeu(0.05),
    BDeu(50.0),
    Dirichlet(0.5),
    BIC(),
    AIC(),
    BDeu(1.0, edge_prior=-1.5),
    QNML(),
]


def random_constraints(rng: np.random.Generator, names: Iterable[str]) -> Constraints:
    pairs = list(combinations(names, 2))
    draws = rng.random(len(pairs))
    required = tuple(pair for pair, draw in zip(pairs, draws, strict=True) if draw < 0.03)
    forbidden = tuple(pair for pair, draw in zip(pairs, draws, strict=True) if draw > 0.95)
    return Constraints(None if rng.random() < 0.5 else int(rng.integers(3, 7)), required, forbidden)


@pytest.mark.parametrize("seed", range(60))
def test_every_claim_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dataset = random_table(rng, int(rng.integers(4, 9)))
    function = FUNCTIONS[seed % len(FUNCTIONS)]
    constraints = random_constraints(rng, dataset.variables)
    problem = make_problem(ScoredData(dataset, function), constraints)
    run = Run(problem, Limits(threads=1 + seed % 2, seed=seed))
    outcome = search_with_bound(run, patient=True)

    def best(largest: int | None) -> cl.Result:
        return cl.learn(
            dataset,
            score=function,
            backend="native",
            max_clique=largest,
            require=constraints.required,
            forbid=constraints.forbidden,
        )

    if outcome.cliques is None:
        return  # no network is found where constraints contradict each other; other tests prove that
    whole = best(constraints.max_clique)
    assert outcome.status == "optimal"
    assert outcome.score == pytest.approx(whole.score, abs=1e-5)
    for claim in outcome.claims:
        among = best(claim.largest)
        assert claim.score <= among.score + 1e-6
        assert among.score <= claim.bound + 1e-6


@pytest.mark.parametrize("seed", range(30))
def test_no_set_of_a_hidden_best_network_is_excluded(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    dataset = random_table(rng, int(rng.integers(4, 9)))
    function = FUNCTIONS[seed % (len(FUNCTIONS) - 1)]
    best = cl.learn(dataset, score=function)
    scorer = ScoredData(dataset, function).scorer
    control, n = Control(), len(dataset.variables)
    cuts = CutBound.of_table(scorer, 3, [], 1, control)
    places = cuts.forest_cuts()
    multipliers = rng.exponential(3.0, len(places))
    families = FamilyBounds(scorer, [cuts.cut(place) for place in places], multipliers.tolist(), n, [])
    families.search(1, control)
    assert families.bound >= best.score - 1e-6
    lower = best.score - float(rng.exponential(5.0)) - 1e-6
    left = families.sets_left(lower, 1 << n, 1, control)
    assert left is not None
    kept = {frozenset(left.set(place)) for place in range(len(left))}
    for clique in best.cliques:
        members = [dataset.variables.index(name) for name in clique]
        for size in range(1, len(members) + 1):
            assert kept >= set(map(frozenset, combinations(members, size)))


def blocks_of_parity(block: int, blocks: int, rows: int = 400) -> Dataset:
    """Blocks in which the last variable is the parity of the others, which no small clique can see."""
    rng = np.random.default_rng(block)
    columns: dict[str, np.ndarray] = {}
    for k in range(blocks):
        bits = rng.integers(0, 2, (rows, block - 1))
        for i in range(block - 1):
            columns[f"b{k}x{i}"] = bits[:, i]
        columns[f"b{k}p"] = bits.sum(axis=1) % 2
    return cl.read(columns)


@pytest.mark.parametrize("block", [6, 7])
def test_parity_that_small_cliques_cannot_see(block: int) -> None:
    dataset = blocks_of_parity(block, blocks=5)
    names = dataset.variables
    forbidden = [pair for pair in combinations(names, 2) if pair[0][:2] != pair[1][:2]]
    parts = [cl.learn(dataset.select([name for name in names if name.startswith(f"b{k}")])) for k in range(5)]
    result = cl.learn(dataset, forbid=forbidden, time_limit=60)
    assert result.status == "optimal"
    assert result.score == pytest.approx(sum(part.score for part in parts), abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_classes_in_between_where_all_take_long(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_table(np.random.default_rng(2000 + seed), 8)
    function = FUNCTIONS[seed % (len(FUNCTIONS) - 1)]
    search, delays = Ladder._search_families, iter(range(3))

    def slowly(ladder: Ladder, families: FamilyBounds, size: int, seconds: float) -> bool:
        if size == 8 and next(delays, None) is not None:
            return False
        return search(ladder, families, size, seconds)

    monkeypatch.setattr(Ladder, "_search_families", slowly)
    outcome = search_with_bound(Run(make_problem(ScoredData(dataset, function))), patient=True)
    assert outcome.status == "optimal"
    assert [claim.largest for claim in outcome.claims] == [2, 3, 4, 5, 6]
    for claim in outcome.claims:
        among = cl.learn(dataset, score=function, backend="native", max_clique=claim.largest)
        assert claim.score <= among.score + 1e-6
        assert among.score <= claim.bound + 1e-6
