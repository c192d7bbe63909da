"""No score is off by more than is stated: exact fractions with few rows, 50 digits with many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import chordlearn as cl
from chordlearn.data import Dataset
from chordlearn.graphs import score_of, separators
from chordlearn.scores import AIC, BIC, QNML, BDeu, Dirichlet, ScoreFunction, compute_scores, error_bound
from chordlearn.scores.accuracy import UNIT_ROUNDOFF, accuracy_of
from scores.score_reference import counts, make_dataset

DIGITS = 50
FUNCTIONS = [
    BDeu(1.0),
    BDeu(0.3, edge_prior=-1.7),
    BDeu(1e4),
    Dirichlet(0.5),
    Dirichlet(1e-9),
    Dirichlet(1e7),
    BIC(),
    AIC(edge_prior=0.1),
    QNML(),
]


def rising(start: Fraction, steps: int) -> Fraction:
    return math.prod((start + i for i in range(steps)), start=Fraction(1))


def nml_constant(draws: int, cells: int) -> Fraction:
    if cells == 1:
        return Fraction(1)
    before = Fraction(1)
    constant = sum(
        (
            math.comb(draws, first)
            * Fraction(first, draws) ** first
            * Fraction(draws - first, draws) ** (draws - first)
            for first in range(draws + 1)
        ),
        start=Fraction(0),
    )
    for k in range(1, cells - 1):
        before, constant = constant, constant + Fraction(draws, k) * before
    return constant


def log(number: Fraction) -> mpmath.mpf:
    return mpmath.log(number.numerator) - mpmath.log(number.denominator)


def from_fractions(found: Sequence[int], cells: int, size: int, function: ScoreFunction) -> mpmath.mpf:
    """The score from a ratio of products of fractions, whose logarithm is the only thing that is rounded."""
    rows = sum(found)
    prior = mpmath.mpf(function.edge_prior) * size * (size - 1) / 2
    if isinstance(function, BDeu | Dirichlet):
        whole = Fraction(function.core_parameter()) * (1 if isinstance(function, BDeu) else cells)
        likelihood = math.prod((rising(whole / cells, c) for c in found), start=Fraction(1))
        return prior + log(likelihood / rising(whole, rows))
    likelihood = math.prod((Fraction(c, rows) ** c for c in found), start=Fraction(1))
    if isinstance(function, QNML):
        return prior + log(likelihood / nml_constant(rows, cells))
    weight = mpmath.log(rows) / 2 if isinstance(function, BIC) else 1
    return prior + log(likelihood) - weight * (cells - 1)


def with_many_digits(found: Sequence[int], cells: int, size: int, function: ScoreFunction) -> mpmath.mpf:
    """The same from logarithms of gamma functions, for many rows."""
    rows = sum(found)
    times = Counter(found).items()
    if isinstance(function, BDeu | Dirichlet):
        whole = mpmath.mpf(function.core_parameter()) * (1 if isinstance(function, BDeu) else cells)
        alone = mpmath.loggamma(whole / cells)
        value = sum(t * (mpmath.loggamma(whole / cells + c) - alone) for c, t in times)
        return value + mpmath.loggamma(whole) - mpmath.loggamma(whole + rows)
    value = sum(t * c * mpmath.log(mpmath.mpf(c) / rows) for c, t in times)
    weight = mpmath.log(rows) / 2 if isinstance(function, BIC) else 1
    return value - weight * (cells - 1)


def error_of(value: float, exact: mpmath.mpf) -> float:
    return abs(float(mpmath.mpf(value) - exact))


def small_tables() -> list[Dataset]:
    rng = np.random.default_rng(4)
    tables = []
    for _ in range(6):
        arities = [int(a) for a in rng.integers(1, 7, size=3)]
        rows = int(rng.integers(1, 120))
        codes = np.stack([rng.integers(0, a, size=rows) for a in arities], axis=1)
        tables.append(make_dataset(codes, np.ones(rows), arities))
    return tables


@pytest.mark.parametrize("function", FUNCTIONS, ids=repr)
def test_against_exact_fractions(function: ScoreFunction) -> None:
    with mpmath.workdps(DIGITS):
        for dataset in small_tables():
            values = compute_scores(dataset, function).values
            accuracy = accuracy_of(dataset, function)
            assert accuracy is not None
            for mask in range(1, 8):
                found, cells = counts(dataset, mask)
                exact = from_fractions(found, cells, mask.bit_count(), function)
                assert error_of(float(values[mask]), exact) <= accuracy.of_set(mask)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if not isinstance(f, QNML)], ids=repr)
@pytest.mark.parametrize(("cells", "concentration"), [(4, 1.0), (300, 0.1), (2000, 0.01)])
def test_against_many_digits_on_a_million_rows(
    function: ScoreFunction, cells: int, concentration: float
) -> None:
    rng = np.random.default_rng(cells)
    weights = 1 + rng.multinomial(1_000_000 - cells, rng.dirichlet(np.full(cells, concentration)))
    arities = [2, cells // 2]
    codes = np.stack(np.unravel_index(np.arange(cells), arities), axis=1).astype(np.int32)
    states = tuple(tuple(map(str, range(arity))) for arity in arities)
    dataset = Dataset(("a", "b"), states, codes, weights.astype(np.int64))
    stated = error_bound(dataset, function, ["a", "b"])
    got = compute_scores(dataset, function)["a", "b"]
    with mpmath.workdps(DIGITS):
        exact = with_many_digits(weights.tolist(), cells, 2, function) + mpmath.mpf(function.edge_prior)
        assert error_of(got, exact) <= stated
    assert stated < 1e-6 + 1e-12 * abs(got)


def test_the_constant_of_qnml_on_many_rows() -> None:
    rows, cells = 300_000, 1000
    codes = np.array([[0], [1]], dtype=np.int32)
    states = (tuple(map(str, range(cells))),)
    dataset = Dataset(("a",), states, codes, np.array([rows - 1, 1], dtype=np.int64))
    with mpmath.workdps(DIGITS):
        term = total = mpmath.mpf(1)
        for j in range(rows):
            term *= 1 - mpmath.mpf(j) / rows
            total += term
            if term < mpmath.mpf(10) ** -DIGITS:
                break
        before = mpmath.mpf(1)
        for k in range(1, cells - 1):
            before, total = total, total + mpmath.mpf(rows) / k * before
        likelihood = (rows - 1) * mpmath.log(mpmath.mpf(rows - 1) / rows) - mpmath.log(rows)
        got = compute_scores(dataset, QNML())["a",]
        assert error_of(got, likelihood - mpmath.log(total)) <= error_bound(dataset, QNML(), ["a"]) < 1e-6


def test_the_error_of_a_network_is_stated() -> None:
    dataset = cl.read("heart").select(["smoke", "mental", "phys", "family"])
    result = cl.learn(dataset)
    stated = result.details["score_error"]
    assert 0 < stated < 1e-9
    masks = [sum(1 << dataset.index(name) for name in clique) for clique in result.cliques]
    with mpmath.workdps(DIGITS):
        values = {
            mask: from_fractions(*counts(dataset, mask), mask.bit_count(), BDeu(1.0))
            for mask in (*masks, *separators(masks))
            if mask
        }
        exact = sum(values[m] for m in masks) - sum(values[m] for m in separators(masks))
        assert error_of(result.score, exact) <= stated + UNIT_ROUNDOFF * abs(result.score)


def test_nothing_is_claimed_of_given_scores() -> None:
    result = cl.learn(cl.ScoreTable(("a", "b"), np.array([0.0, -1, -1, -1.5]), 2))
    assert "score_error" not in result.details
    own = cl.CustomScore(lambda variables, counts, cells: -float(len(variables)))
    assert error_bound(cl.read("heart"), own, ["smoke"]) == math.inf


def test_sums_over_networks_are_rounded_once() -> None:
    """The engine's score of a network is that of exact addition, also where large terms cancel."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        values = rng.normal(size=32) * 10.0 ** rng.uniform(-8, 8, size=32)
        values[0] = 0.0
        result = cl.learn(cl.ScoreTable(tuple("abcde"), values, 5), backend="exhaustive", top=5)
        table = cl.ScoreTable(tuple("abcde"), values, 5)
        for score, cliques in (
            (result.score, result.cliques),
            *((r.score, r.cliques) for r in result.runners_up),
        ):
            masks = [table.mask(clique) for clique in cliques]
            exact = score_of(masks, separators(masks), values.__getitem__)
            assert abs(score - exact) <= 2 * UNIT_ROUNDOFF * abs(exact) + 1e-20
