"""Markov chains against the exact posterior."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

import chordlearn as cl
from chordlearn._core import Control, EdgeChain, NetworkSums
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.scores.compute import make_scorer

BATCHES, MOVES = 60, 20_000


def scores(n: int, seed: int) -> NDArray[np.float64]:
    values = np.random.default_rng(seed).normal(0, 1.2, 1 << n)
    values[0] = 0
    return values


def exact(values: NDArray[np.float64], required: list[tuple[int, int]]) -> NDArray[np.float64]:
    n = len(values).bit_length() - 1
    sums = NetworkSums(values, required, 1, Control())
    return np.array([sums.complete(1 << a | 1 << b)[0] for b in range(n) for a in range(b)])


def distance(chain: EdgeChain, expected: NDArray[np.float64]) -> float:
    """The largest distance of an edge, in standard errors by batches."""
    batches = np.array([chain.run(MOVES, Control()) for _ in range(BATCHES)])
    errors = np.sqrt(batches.var(axis=0, ddof=1) / BATCHES)
    return float(np.max(np.abs(batches.mean(axis=0) - expected) / np.maximum(errors, 1e-4)))


@pytest.mark.parametrize(
    "rules",
    [
        Constraints(),
        Constraints(max_clique=3),
        Constraints(4, required=(("a", "b"), ("a", "d")), forbidden=(("b", "c"), ("e", "f"))),
    ],
    ids=["free", "max_clique", "all"],
)
def test_a_chain_follows_the_exact_probabilities_and_a_wrong_one_does_not(rules: Constraints) -> None:
    n = 9
    table = cl.ScoreTable(tuple("abcdefghi"), scores(n, 2), max_size=n)
    problem = make_problem(table, rules)
    values, required = np.ascontiguousarray(problem.values), list(problem.required)
    expected = exact(values, required)

    def chain(of: NDArray[np.float64], seed: int) -> EdgeChain:
        limit = 0 if rules.max_clique is None else rules.max_clique
        return EdgeChain(of, limit, required, list(problem.forbidden), required, seed)

    right, wrong = chain(values, 1), chain(values * 1.5, 1)
    assert distance(right, expected) < 5
    assert right.toggles > 0 and right.blocks > 0
    # As if moves were accepted by a ratio that is off by half in its logarithm.
    assert distance(wrong, expected) > 8
    one, again = (chain(values, 2).run(5000, Control()) for _ in range(2))
    assert np.array_equal(one, again)


def test_sets_scored_when_asked_for_are_those_of_the_table() -> None:
    data = cl.read("econ")
    values = np.ascontiguousarray(cl.score_sets(data).values)
    lazily = EdgeChain(make_scorer(data, cl.BDeu()), 0, [], [], [], 3)
    at_once = EdgeChain(values, 0, [], [], [], 3)
    assert lazily.run(30_000, Control()) == pytest.approx(at_once.run(30_000, Control()))


def test_chains_agree_with_the_exact_posterior_of_econ() -> None:
    chains, sums = cl.posterior("econ", method="chain", time_limit=8, seed=4), cl.posterior("econ")
    assert chains.method == "chain" and chains.log_evidence is None
    for edge, p in sums.edges.items():
        assert abs(chains.edges[edge].value - p.value) < 0.1
    document = chains.to_dict()
    assert document["log_evidence"] is None
    assert document["chains"]["chains"] == 4
    assert document["chains"]["largest_disagreement"] < 0.3
    assert all(edge["error"] > 0 or edge["probability"] in (0, 1) for edge in document["edges"])
    p = chains.probability_separated("Age", "Child")
    assert p.source == "samples" and p.value < 0.05
    assert len(chains.sample(10)) == 10
    with pytest.raises(cl.errors.InputError, match="kept"):
        chains.sample(10**6)


def test_chains_that_disagree_are_said_to() -> None:
    # Two networks with nothing likely between them: x is tied to all others at once, or they to each other.
    n = 12
    sizes = np.bitwise_count(np.arange(1 << n, dtype=np.uint32)).astype(float)
    values = np.where(sizes >= 10, 400.0 + sizes, -30.0 * sizes)
    values[0] = 0
    values[[1 << i for i in range(n)]] = 0
    table = cl.ScoreTable(tuple("abcdefghijkl"), values, max_size=n)
    found = cl.posterior(table, method="chain", time_limit=3)
    aside = found.to_dict()["chains"]["set_aside"]
    assert "disagree" in found.note or "moved little" in found.note or aside
    assert not aside or f"Of 4 chains {len(aside)} stayed among networks" in found.note


PRESSING = """
import signal
import time
import chordlearn as cl

class Presser:
    pressed, started = False, time.monotonic()

    def progress(self, stage, score, bound, detail=""):
        if stage != "chains" or self.pressed or time.monotonic() < self.started + 4:
            return
        if int(detail.split()[0].replace(",", "")) > 300_000:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)

found = cl.posterior("econ", method="chain", time_limit=100_000, observer=Presser())
assert found.edges["Age", "Child"].value > 0.5
assert sum(found.to_dict()["chains"]["moves"]) > 300_000
print("kept")
"""
"""Presses Ctrl-C once, when each of the chains has had its turns and made some moves."""


def test_ctrl_c_keeps_what_the_chains_have() -> None:
    # In a process of its own, since Ctrl-C ends whatever does not wait for it.
    command = [sys.executable, "-c", PRESSING]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (ended.returncode, ended.stdout) == (0, "kept\n"), ended.stderr


def test_many_columns() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 300)
    columns = {"c0": first}
    for i in range(1, 30):
        columns[f"c{i}"] = columns[f"c{i - 1}"] ^ (rng.random(300) < 0.1)
    found = cl.posterior(columns, time_limit=8)
    assert found.method == "chain"
    assert all(found.edges[f"c{i - 1}", f"c{i}"].value > 0.9 for i in range(1, 30))
    assert found.expected_edges == pytest.approx(29, abs=4)
