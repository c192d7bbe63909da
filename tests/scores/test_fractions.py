"""Weights that are fractions: doubled and halved rows, the certificate, and 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, local_bound, log_rising_fraction
from chordlearn.certificate.proofs.scores import values_from_data
from chordlearn.certificate.results.values import value_from_data
from chordlearn.data import Dataset
from chordlearn.data.fractions import rounded
from chordlearn.errors import InputError
from chordlearn.graphs import members
from chordlearn.scores import (
    AIC,
    BIC,
    QNML,
    BDeu,
    CustomScore,
    Dirichlet,
    ScoreFunction,
    compute_scores,
    error_bound,
)
from chordlearn.scores.compute import ScoredData, make_scorer, score_some
from scores.test_accuracy import FUNCTIONS


def weighted(seed: int, rows: int, arities: tuple[int, ...], scale: float = 1.0) -> Dataset:
    """Random rows with random weights, most of which are no fractions with few digits."""
    rng = np.random.default_rng(seed)
    codes = np.unique(np.column_stack([rng.integers(0, k, rows) for k in arities]).astype(np.int32), axis=0)
    weights = rounded(rng.exponential(scale, len(codes)) + 1e-9)
    names = tuple(f"v{i}" for i in range(len(arities)))
    return Dataset(names, tuple(tuple(f"s{x}" for x in range(k)) for k in arities), codes, weights)


def with_many_digits(data: Dataset, mask: int, function: ScoreFunction) -> mpmath.mpf:
    chosen = list(members(mask))
    cells = int(np.prod([data.arities[i] for i in chosen]))
    found: dict[tuple[int, ...], mpmath.mpf] = {}
    for row, weight in zip(data.codes[:, chosen].tolist(), data.weights.tolist(), strict=True):
        found[tuple(row)] = found.get(tuple(row), mpmath.mpf(0)) + mpmath.mpf(weight)
    total = mpmath.fsum(found.values())
    prior = mpmath.mpf(function.edge_prior) * len(chosen) * (len(chosen) - 1) / 2
    if isinstance(function, BDeu | Dirichlet):
        a = mpmath.mpf(function.core_parameter()) / (cells if isinstance(function, BDeu) else 1)
        terms = mpmath.fsum(mpmath.loggamma(a + c) - mpmath.loggamma(a) for c in found.values())
        return prior + terms + mpmath.loggamma(a * cells) - mpmath.loggamma(a * cells + total)
    penalty = (mpmath.log(total) / 2 if isinstance(function, BIC) else 1) * (cells - 1)
    return prior + mpmath.fsum(c * mpmath.log(c / total) for c in found.values()) - penalty


@pytest.mark.parametrize("function", FUNCTIONS[:-1], ids=repr)
@pytest.mark.parametrize(("rows", "scale"), [(5, 0.01), (60, 1.0), (300, 1e6)])
def test_scores_are_as_exact_as_stated(function: ScoreFunction, rows: int, scale: float) -> None:
    data = weighted(rows, rows, (2, 3, 4, 2), scale)
    assert data.unit < 1
    table = compute_scores(data, function, threads=2)
    value = value_from_data(data, function.name, function.parameters())
    whole = values_from_data(data, function.name, function.parameters(), np.ones(16, dtype=np.bool_))
    with mpmath.workdps(60):
        for mask in range(1, 16):
            names = [data.variables[i] for i in members(mask)]
            exact = with_many_digits(data, mask, function)
            bound = error_bound(data, function, names)
            assert abs(table[names] - exact) <= bound, names
            assert bound < 1e-7 * (1 + abs(exact))
            for checked in (value(frozenset(names)), whole[mask]):
                assert abs(checked - exact) <= 1e-9 + 1e-11 * abs(exact) + 1e-14 * data.rows


def test_log_gamma_ratios_of_fractions() -> None:
    rng = np.random.default_rng(0)
    with mpmath.workdps(60):
        for _ in range(400):
            a, c = 10.0 ** rng.uniform(-9, 6), 10.0 ** rng.uniform(-9, 9)
            exact = mpmath.loggamma(mpmath.mpf(a) + mpmath.mpf(c)) - mpmath.loggamma(mpmath.mpf(a))
            found = log_rising_fraction(a, c, 1.0) - c
            assert abs(found - exact) < 2e-13 * (1 + abs(np.log(a)) + c * (1 + abs(np.log(a + c))))


def test_all_ways_of_scoring_agree() -> None:
    data = weighted(3, 200, (2, 3, 2, 4, 2, 2, 3, 2))
    scorer = make_scorer(data, BDeu())
    table = compute_scores(data, BDeu())
    for mask in range(1, 256):
        assert scorer.sets([list(members(mask))])[0] == pytest.approx(table.values[mask], abs=1e-9)
    for sets, scores in [score_some(ScoredData(data, BDeu()), 8, part, part + 1) for part in range(4)]:
        assert np.array_equal(table.values[sets], scores)
    by_hand = CustomScore(lambda names, counts, cells: float(counts.sum()))
    assert compute_scores(data, by_hand)["v0", "v3"] == pytest.approx(data.rows)


@pytest.mark.parametrize("function", [BDeu(1.0), BDeu(20.0), BIC(), AIC()], ids=repr)
@pytest.mark.parametrize("scale", [0.05, 1.0, 30.0])
def test_the_local_bound_is_valid(function: ScoreFunction, scale: float) -> None:
    data = weighted(7, 40, (2, 3, 2, 2, 2), scale)
    best = cl.learn(data, score=function)
    for size in range(1, 6):
        assert local_bound(make_scorer(data, function), size, 1, Control()) >= best.score - 1e-9


def test_qnml_needs_a_whole_number_of_rows() -> None:
    data = weighted(1, 30, (2, 2))
    with pytest.raises(InputError, match="qnml is defined for a whole number"):
        compute_scores(data, QNML())
