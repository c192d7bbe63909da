import math
from collections import Counter
from dataclasses import replace

import mpmath
import pytest

from certificate.tiny import chain_data, plain_normaliser, plain_value
from chordlearn.certificate.results.report import Failed
from chordlearn.certificate.results.values import (
    EXACT_CELLS,
    MANY,
    _approximation,
    _log_rising,
    log_normaliser,
    value_from_data,
)
from chordlearn.graphs import members

FUNCTIONS = [
    ("bdeu", {"ess": 1.0}),
    ("bdeu", {"ess": 7.5, "edge_prior": -1.25}),
    ("dirichlet", {"alpha": 0.5}),
    ("dirichlet", {"alpha": 1, "edge_prior": 0.5}),
    ("bic", {}),
    ("aic", {"edge_prior": 0.0}),
    ("qnml", {}),
]


@pytest.mark.parametrize(("name", "parameters"), FUNCTIONS)
def test_values_follow_the_definitions(name, parameters):
    dataset = chain_data(3, rows=60)
    value = value_from_data(dataset, name, parameters)
    plain = plain_value(dataset, name, parameters)
    assert value(frozenset()) == 0.0
    for mask in range(1, 16):
        names = frozenset(dataset.variables[i] for i in members(mask))
        assert value(names) == pytest.approx(plain(mask), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("bdeu", {}, "no parameter 'ess'"),
        ("bdeu", {"ess": 0}, "parameter ess"),
        ("bdeu", {"ess": "1"}, "parameter ess"),
        ("bdeu", {"ess": True}, "parameter ess"),
        ("bic", {"ess": 1.0}, "knows no parameter 'ess'"),
        ("bic", {"edge_prior": None}, "parameter edge_prior"),
    ],
)
def test_wrong_parameters_are_refused(name, parameters, reason):
    with pytest.raises(Failed, match=reason):
        value_from_data(chain_data(1), name, parameters)


def test_the_normaliser_is_the_sum_over_all_samples():
    for total in (1, 2, 7, 20):
        for cells in (1, 2, 3, 6):
            assert math.exp(log_normaliser(total, cells)) == pytest.approx(plain_normaliser(total, cells))


@pytest.mark.parametrize("total", [1, 2, 3, 10, 997, 12_345])
def test_two_cells_by_the_definition(total):
    with mpmath.workdps(30):
        share = [mpmath.mpf(i) / total for i in range(total + 1)]
        exact = sum(
            mpmath.binomial(total, i) * share[i] ** i * share[total - i] ** (total - i)
            for i in range(total + 1)
        )
        assert log_normaliser(total, 2) == pytest.approx(float(mpmath.log(exact)), rel=1e-13)


def test_two_cells_of_many_rows():
    below, above = log_normaliser(MANY - 1, 2), log_normaliser(MANY, 2)
    assert above - below == pytest.approx(0.5 / MANY, rel=1e-3)
    for total in (MANY, 10**8, 10**15):
        with mpmath.workdps(30):
            exact = mpmath.log(1 + _ramanujan(mpmath.mpf(total)))
        assert log_normaliser(total, 2) == pytest.approx(float(exact), abs=1e-14)


def _ramanujan(n):
    """Q(N) = ∫ e^(−t) (1 + t/N)^(N−1) dt from 0 to infinity."""
    width = mpmath.sqrt(n)
    return mpmath.quad(
        lambda s: mpmath.exp(-s * width + (n - 1) * mpmath.log1p(s * width / n)) * width,
        [0, 0.5, 1, 2, 4, 8, 16, 32],
    )


def test_the_approximation_meets_the_recurrence_where_it_takes_over():
    for total in (50, 2000):
        exact, near = log_normaliser(total, EXACT_CELLS), log_normaliser(total, EXACT_CELLS + 1)
        assert near == pytest.approx(exact, abs=2e-3)
        assert near == _approximation(total, EXACT_CELLS + 1)


@pytest.mark.parametrize("start", [1e-300, 1e-9, 0.5, 3.0, 9.9e5, 1.1e6, 1e12, 1e200])
@pytest.mark.parametrize("steps", [0, 1, 64, 65, 5000, 10**9])
def test_rising_factorials_keep_their_digits(start, steps):
    total = max(steps, 7)
    with mpmath.workdps(250):
        exact = mpmath.loggamma(mpmath.mpf(start) + steps) - mpmath.loggamma(mpmath.mpf(start))
        exact -= steps * (mpmath.log(total) - 1)
        near = pytest.approx(float(exact), rel=1e-14, abs=1e-13 + 5e-16 * steps)
        assert _log_rising(start, steps, total) == near


@pytest.mark.parametrize(("name", "parameters"), FUNCTIONS[:6])
def test_values_of_a_billion_rows_keep_their_digits(name, parameters):
    dataset = chain_data(5, arities=(2, 2, 3), rows=40)
    weights = dataset.weights * 25_000_000
    value = value_from_data(replace(dataset, weights=weights), name, parameters)
    total = mpmath.mpf(int(weights.sum()))
    columns = {frozenset("a"): [0], frozenset("ac"): [0, 2], frozenset("abc"): [0, 1, 2]}
    for names, chosen in columns.items():
        counts: Counter[tuple[int, ...]] = Counter()
        for row, weight in zip(dataset.codes.tolist(), weights.tolist(), strict=True):
            counts[tuple(row[i] for i in chosen)] += weight
        cells = math.prod(dataset.arities[i] for i in chosen)
        with mpmath.workdps(50):
            exact = mpmath.mpf(parameters.get("edge_prior", 0)) * math.comb(len(names), 2)
            if name in ("bdeu", "dirichlet"):
                a = mpmath.mpf(parameters["ess"]) / cells if name == "bdeu" else parameters["alpha"]
                gamma = mpmath.loggamma
                exact += sum(gamma(a + count) - gamma(a) for count in counts.values())
                exact += gamma(a * cells) - gamma(a * cells + total)
            else:
                exact += sum(count * mpmath.log(count / total) for count in counts.values())
                exact -= (mpmath.log(total) / 2 if name == "bic" else 1) * (cells - 1)
            assert abs(value(names) - exact) < 2e-6


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("bdeu", {"ess": 5e-324}),
        ("bic", {"edge_prior": 1e308}),
        ("aic", {"edge_prior": -1e308}),
        ("dirichlet", {"alpha": 1e308}),
    ],
)
def test_scores_beyond_all_numbers_are_refused(name, parameters):
    value = value_from_data(chain_data(1), name, parameters)
    with pytest.raises(Failed, match="beyond all numbers"):
        value(frozenset("abc"))


@pytest.mark.parametrize(("rows", "cells"), [(39, 10**10), (39, 10**14), (1000, 2**20 + 1), (10**6, 2**21)])
def test_the_normaliser_of_very_many_cells_keeps_its_digits(rows: int, cells: int) -> None:
    with mpmath.workdps(50):
        share = mpmath.mpf(cells) / rows
        c = mpmath.mpf(1) / 2 + mpmath.sqrt(1 + 4 / share) / 2
        exact = (
            rows * (mpmath.log(share) + (share + 2) * mpmath.log(c) - 1 / c) - mpmath.log(c + 2 / share) / 2
        )
        assert abs(log_normaliser(rows, cells) - float(exact)) <= 1e-15 * abs(float(exact)) * 8 + 1e-9
