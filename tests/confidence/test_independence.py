"""The test of conditional independence, against scipy's."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.analysis.independence import chi_square_tail, independence_test


@pytest.mark.parametrize("seed", range(6))
def test_as_scipy_has_it_stratum_by_stratum(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (60 + 40 * seed, 4))
    rows[:, 1] = np.where(rng.random(len(rows)) < 0.3, rows[:, 0], rows[:, 1])
    data = cl.read({name: rows[:, i] for i, name in enumerate("abcd")})
    for given in ([], [2], [2, 3]):
        strata: defaultdict[tuple[int, ...], Any] = defaultdict(lambda: np.zeros((3, 3)))
        for row in rows:
            strata[tuple(row[given])][row[0], row[1]] += 1
        statistic, freedom = 0.0, 0
        for table in strata.values():
            seen = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
            if min(seen.shape) > 1:
                one = stats.chi2_contingency(seen, correction=False, lambda_="log-likelihood")
                statistic, freedom = statistic + one[0], freedom + one[2]
        found = independence_test(data, "a", "b", ["abcd"[i] for i in given])
        assert found.g_squared == pytest.approx(statistic)
        assert found.degrees_of_freedom == freedom
        assert found.p_value == pytest.approx(stats.chi2.sf(statistic, freedom), rel=1e-9, abs=1e-300)


def test_the_tail_of_chi_square() -> None:
    mpmath = pytest.importorskip("mpmath")
    for freedom in (1, 2, 3, 10, 101, 3000):
        for x in (1e-6, 0.5, 3.0, 20.0, 100.0, 1000.0, 3100.0):
            expected = float(mpmath.gammainc(freedom / 2, x / 2, regularized=True))
            assert chi_square_tail(x, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-13)


def test_every_edge_has_its_test() -> None:
    net = cl.fit(cl.learn("heart"))
    for one in cl.edge_strengths(net):
        common = set(net.structure.neighbours(one.edge[0])) & set(net.structure.neighbours(one.edge[1]))
        assert one.test == independence_test(cl.read("heart"), *one.edge, sorted(common))
        assert one.test.p_value < 0.001
        assert one.to_dict()["test"]["degrees_of_freedom"] == one.test.degrees_of_freedom
