"""Networks drawn from the posterior, as one model, against their joint tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import chordlearn as cl
from chordlearn.errors import InputError

ROWS = np.array(list(product(range(2), repeat=4)), dtype=np.int32)


def averaged() -> cl.AveragedNetwork:
    columns = ["smoke", "mental", "systol", "protein"]
    return cl.posterior("heart", columns=columns).average(40, seed=3)


def joint_table(network: cl.AveragedNetwork) -> NDArray[np.float64]:
    table = np.zeros((2, 2, 2, 2))
    for share, one in zip(network.shares, network.networks, strict=True):
        table += share * one.joint(one.variables).probabilities
    return table


def test_answers_are_those_of_the_mean_of_the_joint_tables() -> None:
    network = averaged()
    table = joint_table(network)
    assert len(network.networks) > 1 and sum(network.shares) == pytest.approx(1)
    assert len({one.structure.cliques for one in network.networks}) == len(network.networks)
    assert network.log_likelihoods(ROWS) == pytest.approx(np.log(table.ravel()))
    found = network.query("P(smoke, systol | mental=y)").probabilities
    expected = table[:, 1].sum(axis=2) / table[:, 1].sum()
    assert found == pytest.approx(expected)
    assert network.probability({"mental": "y", "protein": "n"}) == pytest.approx(table[:, 1, :, 0].sum())
    assert network.posteriors(ROWS, 2)[5] == pytest.approx(table[0, 1, :, 1] / table[0, 1, :, 1].sum())
    gaps = ROWS.copy()
    gaps[:, 0] = -1
    assert network.posteriors(gaps, 2)[5] == pytest.approx(
        table[:, 1, :, 1].sum(axis=0) / table[:, 1, :, 1].sum()
    )
    assert network.log_likelihoods(gaps)[5] == pytest.approx(np.log(table[:, 1, 0, 1].sum()))
    # Not what one of the networks says by itself.
    assert any(abs(one.joint(one.variables).probabilities - table).max() > 1e-4 for one in network.networks)


def test_rows_are_drawn_from_it() -> None:
    network = averaged()
    table = joint_table(network)
    codes = network.sample_codes(40_000, seed=1)
    counts = np.bincount(codes @ [8, 4, 2, 1], minlength=16)
    expected = table.ravel() * 40_000
    assert ((counts - expected) ** 2 / expected).sum() < 15 + 6 * np.sqrt(30)
    assert network.sample(5, seed=2).equals(network.sample(5, seed=2))
    assert network.sample(0).height == 0
    given = network.sample(200, given={"mental": "y"}, seed=1)
    assert set(given["mental"]) == {"y"}


def test_it_is_evaluated_like_one_network() -> None:
    found = cl.posterior("econ")
    one, many = cl.fit(found.best, "econ"), found.average(60, "econ", seed=1)
    assert cl.evaluate(many, "econ").log_likelihood > cl.evaluate(one, "econ").log_likelihood
    assert many.predict("econ", "Age").shape == (256,)
    again = found.average(60, seed=1)
    assert again.shares == many.shares


def test_the_estimators_take_an_average() -> None:
    pytest.importorskip("sklearn")
    rows = cl.fit(cl.learn("heart"), "heart").sample(60, seed=1)
    columns = rows.to_pandas()
    learner = cl.ChordalNetworkLearner(average=25, random_state=1).fit(columns)
    assert isinstance(learner.network_, cl.AveragedNetwork)
    alone = cl.ChordalNetworkLearner().fit(columns)
    assert alone.result_.edges == learner.result_.edges
    assert learner.score(columns) != alone.score(columns)
    assert learner.sample(3).shape == (3, 6)
    classifier = cl.ChordalNetworkClassifier(average=5).fit(columns.drop(columns="smoke"), columns["smoke"])
    assert classifier.predict_proba(columns.drop(columns="smoke")).sum(axis=1) == pytest.approx(np.ones(60))


def test_what_cannot_be_averaged() -> None:
    found = cl.posterior(cl.score_sets("heart"))
    with pytest.raises(InputError, match="learned from scores"):
        found.average(5)
    with pytest.raises(InputError, match="at least 1"):
        cl.posterior("heart").average(0)
    with pytest.raises(InputError, match="no variable"):
        averaged().query("P(smoke | nobody=y)")
    # With the data they can.
    assert len(cl.posterior(cl.score_sets("heart")).average(5, "heart").networks) >= 1
