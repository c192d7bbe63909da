"""Every answer against summation over the joint table of all variables."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.errors import InputError, TooLargeError
from chordlearn.network import rowwise
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.parameters import Estimation
from network.brute_force import joint_table, random_data, random_network

CLOSE = 1e-10


@cache
def bundled(name: str) -> FittedNetwork:
    return cl.fit(cl.learn(name, threads=1))


def random_evidence(net: FittedNetwork, rng: np.random.Generator, soft: bool = False) -> dict[str, object]:
    size = int(rng.integers(0, len(net.variables)))
    given: dict[str, object] = {}
    for i in rng.permutation(len(net.variables))[:size]:
        labels = net.states[i]
        if soft and rng.random() < 0.5:
            given[net.variables[i]] = dict(zip(labels, rng.random(len(labels)).tolist(), strict=True))
        else:
            given[net.variables[i]] = labels[int(rng.integers(len(labels)))]
    return given


def weighed(net: FittedNetwork, whole: np.ndarray, given: dict[str, object]) -> np.ndarray:
    """The joint table times the evidence."""
    for name, value in given.items():
        i = net.variables.index(name)
        weights = [value.get(s, 0.0) if isinstance(value, dict) else float(s == value) for s in net.states[i]]
        whole = whole * np.array(weights).reshape([-1 if j == i else 1 for j in range(whole.ndim)])
    return whole


def onto(net: FittedNetwork, whole: np.ndarray, names: list[str]) -> np.ndarray:
    places = [net.variables.index(name) for name in names]
    summed = whole.sum(axis=tuple(i for i in range(whole.ndim) if i not in places))
    return summed.transpose([sorted(places).index(place) for place in places])


def networks() -> list[FittedNetwork]:
    return [
        *(random_network(seed) for seed in range(12)),
        *(random_network(seed, 5, "maximum-likelihood") for seed in range(12, 18)),
        random_network(3, 1),
    ]


def _as_text(value: object) -> str:
    return (
        "{" + ", ".join(f"{s}: {w!r}" for s, w in value.items()) + "}"
        if isinstance(value, dict)
        else str(value)
    )


@pytest.mark.parametrize("name", ["heart", "econ"])
def test_every_pair_and_200_evidences(name: str) -> None:
    net = bundled(name)
    whole = joint_table(net)
    assert whole.sum() == pytest.approx(1, abs=1e-12)
    for pair in itertools.permutations(net.variables, 2):
        assert (
            np.abs(net.query(f"P({', '.join(pair)})").probabilities - onto(net, whole, list(pair))).max()
            < CLOSE
        )
    rng = np.random.default_rng(1)
    for turn in range(200):
        given = random_evidence(net, rng, soft=turn % 4 == 3)
        posterior = weighed(net, whole, given)
        assert net.probability(given) == pytest.approx(posterior.sum(), abs=CLOSE)
        marginals = net.marginals(given)
        for variable in net.variables:
            expected = onto(net, posterior, [variable]) / posterior.sum()
            assert np.abs(marginals[variable].probabilities - expected).max() < CLOSE
            known = ", ".join(f"{name}={_as_text(value)}" for name, value in given.items())
            text = f"P({variable} | {known})" if given else f"P({variable})"
            assert np.abs(net.query(text).probabilities - expected).max() < CLOSE


@pytest.mark.parametrize("number", range(19))
def test_random_networks(number: int) -> None:
    net = networks()[number]
    rng = np.random.default_rng(number)
    whole = joint_table(net)
    for turn in range(12):
        given = random_evidence(net, rng, soft=turn % 2 == 1)
        posterior = weighed(net, whole, given)
        total = posterior.sum()
        if total == 0:
            with pytest.raises(InputError, match="has probability zero in this network"):
                net.marginals(given)
            continue
        assert net.log_probability(given) == pytest.approx(math.log(total), abs=CLOSE)
        names = rng.permutation(net.variables)[: rng.integers(1, len(net.variables) + 1)].tolist()
        assert (
            np.abs(net.joint(names, given).probabilities - onto(net, posterior, names) / total).max() < CLOSE
        )
        for variable, found in net.marginals(given).items():
            assert np.abs(found.probabilities - onto(net, posterior, [variable]) / total).max() < CLOSE
        best = net.mpe(given)
        codes = tuple(
            labels.index(best.states[v]) for v, labels in zip(net.variables, net.states, strict=True)
        )
        assert posterior[codes] == pytest.approx(posterior.max(), rel=1e-9)
        assert best.probability == pytest.approx(posterior.max() / total, rel=1e-9)
        assert best.log_probability == pytest.approx(math.log(posterior.max()), abs=1e-9)
        shares = posterior[posterior > 0] / total
        assert net.entropy(given=given) == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-9)


def test_information() -> None:
    net = bundled("econ")
    whole = joint_table(net)

    def entropy(*names: str) -> float:
        table = onto(net, whole, list(names)) if names else np.ones(1)
        return float(-(table * np.log(table)).sum())

    a, b, c, d = net.variables[:4]
    expected = entropy(a, c, d) + entropy(b, c, d) - entropy(a, b, c, d) - entropy(c, d)
    assert net.mutual_information(a, b, on=[c, d]) == pytest.approx(expected, abs=CLOSE)
    assert net.mutual_information([a, c], b) == pytest.approx(
        entropy(a, c) + entropy(b) - entropy(a, b, c), abs=CLOSE
    )
    assert net.entropy() == pytest.approx(entropy(*net.variables), abs=CLOSE)


@pytest.mark.parametrize("number", range(0, 18, 3))
def test_rows_with_missing_values(number: int) -> None:
    net = networks()[number]
    rng = np.random.default_rng(number)
    whole = joint_table(net)
    codes = np.stack([rng.integers(0, len(labels), 60) for labels in net.states], axis=1).astype(np.int32)
    codes[rng.random(codes.shape) < 0.3] = -1
    frame = {
        name: [None if code < 0 else labels[code] for code in codes[:, i]]
        for i, (name, labels) in enumerate(zip(net.variables, net.states, strict=True))
    }
    given = [{name: column[row] for name, column in frame.items() if column[row]} for row in range(60)]
    totals = np.array([weighed(net, whole, known).sum() for known in given])
    with np.errstate(divide="ignore"):
        expected = np.log(totals)
    found = net.log_likelihood(frame)
    assert np.array_equal(np.isneginf(found), np.isneginf(expected))
    assert np.abs(np.exp(found) - totals).max() < CLOSE
    possible = [row for row in range(60) if totals[row] > 0]
    frame = {name: [column[row] for row in possible] for name, column in frame.items()}
    completed = net.complete(frame)
    drawn = net.complete(frame, draw=True, seed=1)
    for place, row in enumerate(possible):
        filled = dict(zip(net.variables, completed.row(place), strict=True))
        assert filled.items() >= given[row].items()
        assert weighed(net, whole, filled).sum() == pytest.approx(
            weighed(net, whole, given[row]).max(), rel=1e-9
        )
        chosen = dict(zip(net.variables, drawn.row(place), strict=True))
        assert chosen.items() >= given[row].items()
        assert weighed(net, whole, chosen).sum() > 0
    target = net.variables[0]
    others = [{name: value for name, value in given[row].items() if name != target} for row in possible]
    shares = net.predict_proba(
        {k: v for k, v in frame.items() if k != target} or {"other": [0] * len(possible)}, target
    )
    for place, known in enumerate(others):
        posterior = onto(net, weighed(net, whole, known), [target])
        assert np.abs(shares[place] - posterior / posterior.sum()).max() < CLOSE
    labels = net.predict(frame, target)
    assert labels.tolist() == [net.states[0][k] for k in shares.argmax(axis=1)]


def test_rows_with_many_different_gaps_are_masked() -> None:
    for net in (bundled("econ"), random_network(4)):
        rng = np.random.default_rng(1)
        codes = net.sample_codes(400, seed=1)
        codes[rng.random(codes.shape) < 0.4] = -1
        one_by_one = [rowwise.log_likelihoods(net.forest, codes[i : i + 1])[0] for i in range(400)]
        assert np.abs(rowwise.log_likelihoods(net.forest, codes) - one_by_one).max() < CLOSE
        together = rowwise.posteriors(net.forest, codes, 0)
        alone = [rowwise.posteriors(net.forest, codes[i : i + 1], 0)[0] for i in range(400)]
        assert np.abs(together - alone).max() < CLOSE
        filled, possible = rowwise.completed(net.forest, codes, None)
        best = [rowwise.completed(net.forest, codes[i : i + 1], None)[0][0] for i in range(400)]
        likely = rowwise.log_likelihoods(net.forest, np.array(best))
        assert np.abs(rowwise.log_likelihoods(net.forest, filled) - likely).max() < CLOSE
        assert possible.all()
        drawn, _ = rowwise.completed(net.forest, codes, rng)
        assert ((drawn == codes) | (codes < 0)).all()


def test_samples_follow_the_distribution() -> None:
    for net in (bundled("heart"), random_network(5), random_network(14, 5, "maximum-likelihood")):
        whole = joint_table(net)
        count = 40_000
        codes = net.sample_codes(count, seed=7)
        seen = np.zeros(whole.shape)
        np.add.at(seen, tuple(codes.T), 1)
        assert not seen[whole == 0].any()
        spread = np.sqrt(whole * (1 - whole) / count)
        assert (np.abs(seen / count - whole) <= 5.5 * spread + 1e-9).all()
        assert np.array_equal(codes, net.sample_codes(count, seed=7))
    net = bundled("heart")
    given = {"phys": "y", "systol": {"n": 1.0, "y": 3.0}}
    frame = net.sample(count, given=given, seed=8)
    assert frame["phys"].unique().to_list() == ["y"]
    for variable, found in net.marginals(given).items():
        share = (frame[variable] == found.states[0][0]).mean()
        assert abs(share - found.probabilities[0]) < 0.013
    assert net.sample(0).shape == (0, 6)
    with pytest.raises(InputError, match="from 0 up"):
        net.sample(-1)


def test_many_states_are_drawn_right() -> None:
    data = random_data(np.random.default_rng(0), [30, 12, 1], 400)
    structure = ChordalNetwork.from_cliques(data.variables, [("v0", "v1"), ("v2",)], data.states)
    net = FittedNetwork.from_data(structure, data)
    codes = net.sample_codes(100_000, seed=0)
    seen = np.zeros((30, 12))
    np.add.at(seen, (codes[:, 0], codes[:, 1]), 1 / 100_000)
    expected = net.joint(["v0", "v1"]).probabilities
    assert (np.abs(seen - expected) < 6 * np.sqrt(expected / 100_000)).all()


def test_tables_are_consistent_and_as_documented() -> None:
    data = cl.read("econ")
    result = cl.learn("econ", ess=10.0, threads=1)
    net = cl.fit(result)
    assert net.estimation == Estimation("posterior-mean", 10.0)
    for edge in result.junction_tree:
        first, second = (
            net.tables[i].sum(axis=tuple(k for k, v in enumerate(net.cliques[i]) if v not in edge.separator))
            for i in edge.cliques
        )
        assert np.abs(first - second).max() < 1e-15
    shares = cl.fit(result, method="maximum-likelihood")
    assert shares.marginal("Age").probabilities == pytest.approx(data.column_counts("Age") / data.rows)
    even = cl.fit(result, ess=1e12)
    assert even.entropy() == pytest.approx(8 * math.log(2), abs=1e-6)
    assert cl.fit(cl.learn("heart", score="bic", threads=1)).estimation.ess == 1.0


def test_wrong_questions_get_one_sentence() -> None:
    net: Any = bundled("heart")
    cases = [
        (lambda: net.marginal("nobody"), "no variable 'nobody'"),
        (lambda: net.joint(["smoke", "smoke"]), "named twice"),
        (lambda: net.marginal("smoke", given={"phys": "perhaps"}), "'phys' has no state 'perhaps'.*n, y"),
        (lambda: net.marginal("smoke", given={"phys": {"z": 1}}), "'phys' has no state 'z'"),
        (lambda: net.marginal("smoke", given={"phys": [1, 2, 3]}), "2 states, but 3 weights"),
        (lambda: net.marginal("smoke", given={"phys": [0, 0]}), "not all 0"),
        (lambda: net.marginal("smoke", given={"phys": ["x", 0]}), "must be numbers"),
        (lambda: net.marginal("smoke")["z"], "'smoke' has no state 'z'"),
        (lambda: net.marginal("smoke")["n", "y"], "give a state of each"),
        (lambda: net.log_likelihood({"smoke": ["y"]}), "no column 'mental'"),
        (
            lambda: net.log_likelihood({v: ["y", "q"] for v in net.variables}, unseen="error"),
            "has no state 'q'",
        ),
        (lambda: net.query("P(smoke=q)"), "'smoke' has no state 'q'"),
        (lambda: cl.fit(net.structure), "give the data"),
        (lambda: cl.fit(net), "no structure to fit"),
        (lambda: cl.fit(cl.learn("heart"), method="guess"), "no estimation 'guess'"),
        (lambda: cl.fit(cl.learn("heart"), ess=-1), "positive number"),
        (lambda: cl.fit(cl.learn("heart"), method="maximum-likelihood", ess=1), "takes no equivalent"),
        (lambda: cl.fit(cl.learn("heart"), "econ"), "no column 'smoke'"),
        (lambda: cl.fit(cl.learn("heart"), {v: ["y", "q"] for v in net.variables}), "no state 'q'"),
    ]
    for ask, reason in cases:
        with pytest.raises(InputError, match=reason) as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_impossible_rows_get_one_sentence() -> None:
    data = {"a": [0, 0, 1], "b": [0, 0, 1], "c": [0, 1, 1]}
    structure = ChordalNetwork.from_cliques("abc", ["ab", "bc"])
    net = cl.fit(structure, data, method="maximum-likelihood")
    rows = {"a": [0, 0], "b": [0, 1], "c": [None, None]}
    with pytest.raises(InputError, match=r"a=0, b=1 has probability zero.*posterior means"):
        net.marginal("c", given={"a": 0, "b": 1})
    assert net.log_likelihood(rows).tolist() == pytest.approx([math.log(2 / 3), -math.inf])
    with pytest.raises(InputError, match="Row 2 has probability zero"):
        net.predict({"a": [0, 1], "c": [0, 0]}, "b")


def test_a_joint_that_is_too_large_is_refused() -> None:
    names = [f"v{i}" for i in range(30)]
    structure = ChordalNetwork.from_edges(names, list(itertools.pairwise(names)))
    net = cl.fit(structure, {name: [0, 1, 0, 1] for name in names})
    with pytest.raises(TooLargeError, match="fewer variables"):
        net.joint(names)
    alone = cl.fit(ChordalNetwork.from_edges(names, []), {name: [0, 1] for name in names})
    with pytest.raises(TooLargeError, match="fewer variables"):
        alone.joint(names)
    many = [f"c{i}" for i in range(70)]
    constants = cl.fit(ChordalNetwork.from_edges(many, []), {name: [0] for name in many})
    with pytest.raises(TooLargeError, match=r"6\d variables, more than"):
        constants.joint(many)
    assert constants.entropy() == 0.0
    assert net.joint(["v0", "v29"]).probabilities.sum() == pytest.approx(1)
    assert len(net.mpe().states) == 30
