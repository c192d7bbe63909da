"""Scores of very many rows keep their digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from chordlearn.data.dataset import Dataset
from chordlearn.scores import BDeu, Dirichlet, compute_scores


@pytest.mark.parametrize("weights", [(900_000_000, 1, 2, 7), (10**9, 10**9, 10**9, 10**9), (1, 1, 1, 10**11)])
@pytest.mark.parametrize("function", [BDeu(1.0), Dirichlet(0.5)])
def test_a_billion_rows(weights: tuple[int, ...], function: BDeu | Dirichlet) -> None:
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32)
    states = (("0", "1"),) * 2
    dataset = Dataset(("a", "b"), states, codes, np.array(weights, dtype=np.int64))
    alpha = mpmath.mpf(function.ess) / 4 if isinstance(function, BDeu) else mpmath.mpf(function.alpha)
    with mpmath.workdps(40):
        want = mpmath.loggamma(4 * alpha) - mpmath.loggamma(4 * alpha + sum(weights))
        want += sum(mpmath.loggamma(alpha + w) - mpmath.loggamma(alpha) for w in weights)
    got = compute_scores(dataset, function)["a", "b"]
    assert abs(got - float(want)) <= 1e-13 * abs(float(want)) + 1e-9
