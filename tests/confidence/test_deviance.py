"""How a network fits its table, against scipy and against fitted tables by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import chordlearn as cl


def table(seed: int, rows: int) -> Any:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [2, 3, 2, 2], (rows, 4))
    codes[:, 1] = np.where(rng.random(rows) < 0.5, codes[:, 0], codes[:, 1])
    return cl.read({name: codes[:, i] for i, name in enumerate("abcd")})


@pytest.mark.parametrize("cliques", [["ab", "bc", "d"], ["abc", "bcd"], ["abcd"], ["a", "b", "c", "d"]])
@pytest.mark.parametrize("rows", [25, 4000])
def test_as_scipy_has_it(cliques: list[str], rows: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    data = table(len(cliques), rows)
    network = cl.ChordalNetwork.from_cliques("abcd", cliques, data.states)
    found = cl.model_fit(network, data)
    fitted = cl.fit(network, data, method="maximum-likelihood").joint(list("abcd")).probabilities
    observed = np.zeros_like(fitted)
    for codes, weight in zip(data.codes, data.weights, strict=True):
        observed[tuple(codes)] += weight
    seen = observed > 0
    assert found.log_likelihood == pytest.approx((observed[seen] * np.log(fitted[seen])).sum())
    expected = fitted * rows
    possible = expected > 0
    deviance, p = stats.power_divergence(
        observed[possible],
        expected[possible],
        ddof=max(0, int(possible.sum()) - 1 - found.adjusted_degrees_of_freedom),
        lambda_="log-likelihood",
    )
    assert found.deviance == pytest.approx(deviance, abs=1e-9)
    if found.adjusted_degrees_of_freedom > 0:
        assert found.p_value == pytest.approx(p)
    if seen.all():
        assert found.degrees_of_freedom == found.adjusted_degrees_of_freedom
    # A model has as many parameters as the rank of its margins, less one.
    cells = list(product(*map(range, observed.shape)))
    margins = [
        [float(all(cell["abcd".index(v)] == one["abcd".index(v)] for v in clique)) for cell in cells]
        for clique in cliques
        for one in cells
    ]
    assert found.parameters == np.linalg.matrix_rank(np.array(margins)) - 1
    assert found.degrees_of_freedom == len(cells) - 1 - found.parameters
    assert found.aic == pytest.approx(2 * found.parameters - 2 * found.log_likelihood)
    assert found.bic == pytest.approx(np.log(rows) * found.parameters - 2 * found.log_likelihood)


def test_the_lines_of_r() -> None:
    data = cl.read({"a": [0, 1, 1], "b": [0, 1, 0], "odd name": [0, 1, 1]})
    plain = cl.ChordalNetwork.from_cliques(["a", "b"], [["a", "b"]])
    odd = cl.ChordalNetwork.from_cliques(["a", "b", "odd name"], [["a", "b"], ["odd name"]])
    assert "dmod(~ a*b, data = rows)" in cl.model_fit(plain, data).r
    assert 'dmod(list(c("a", "b"), c("odd name")), data = rows)' in cl.model_fit(odd, data).r


def test_posterior_and_bootstrap_stand_beside_the_edges() -> None:
    network, posterior = cl.fit(cl.learn("heart")), cl.posterior("heart")
    found = cl.edge_strengths(network, posterior=True, bootstrap=12)
    resampled = cl.bootstrap("heart", samples=12)
    for one in found:
        assert one.probability == posterior.edges[one.edge].value
        assert one.frequency == resampled.edges[one.edge]
    assert cl.edge_strengths(network, posterior=posterior, bootstrap=resampled) == found
    assert cl.edge_strengths(network)[0].probability is None
