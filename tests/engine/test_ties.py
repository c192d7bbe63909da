"""Networks as good as the best are counted, and cost nothing to count."""

from __future__ import annotations

import math

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, Relaxation, exhaustive
from chordlearn.backends.base import ties
from chordlearn.backends.base.run import Run
from chordlearn.backends.base.ties import MOST_COUNTED, settle_ties
from chordlearn.backends.engine.native import Native
from chordlearn.problem.problem import Incumbent, make_problem
from engine.random_problems import KINDS, random_problem

BACKENDS = ("native", "exhaustive", "maxsat:rc2", "asp:clingo")


def rows(*, duplicates: int) -> dict[str, list[int]]:
    """Two columns that depend on each other, one of them several times."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 300)
    second = first ^ (rng.random(300) < 0.2)
    table = {"b": second.tolist(), "d": rng.integers(0, 3, 300).tolist()}
    return table | {f"a{i}": first.tolist() for i in range(duplicates)}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("duplicates", [1, 2, 3])
def test_equal_columns_tie(backend: str, duplicates: int) -> None:
    result = cl.learn(rows(duplicates=duplicates), backend=backend)
    # All copies are one clique, and what depends on them hangs on any of them.
    assert result.status == "optimal"
    assert result.details["ties"] == {
        "networks": duplicates,
        "within": 1e-6,
        "complete": True,
        "simplest": True,
    }


@pytest.mark.parametrize(("distance", "networks"), [(0.0, 2), (1e-8, 2), (9e-7, 2), (1.1e-6, 1), (1e-3, 1)])
def test_what_is_near(distance: float, networks: int) -> None:
    values = np.array([0.0, -1.0, -2.0, -3.0 + distance])
    for backend in BACKENDS:
        result = cl.learn(cl.ScoreTable(("a", "b"), values, 2), backend=backend)
        assert result.details["ties"]["networks"] == networks


@pytest.mark.parametrize("backend", BACKENDS)
def test_more_than_can_be_told_apart(backend: str) -> None:
    result = cl.learn(cl.ScoreTable(tuple("abcd"), np.zeros(16), 4), backend=backend)
    assert result.details["ties"] == {
        "networks": MOST_COUNTED + 1,
        "within": 1e-6,
        "complete": False,
        "simplest": True,
    }
    assert result.edges == ()


def test_runners_up_show_ties() -> None:
    result = cl.learn(rows(duplicates=2), top=4)
    assert result.details["ties"]["networks"] == 2
    assert cl.learn(rows(duplicates=2), top=2).details["ties"]["complete"]


def test_with_many_states_it_says_no_more_than_it_knows(monkeypatch) -> None:
    monkeypatch.setattr(ties, "FEW_STATES", 3)
    result = cl.learn(rows(duplicates=2))
    assert result.details["ties"] == {"networks": 2, "within": 1e-6, "complete": False, "simplest": True}
    monkeypatch.setattr(ties, "MOST_STATES", 3)
    values = np.zeros(1 << 5)
    problem = make_problem(cl.ScoreTable(tuple("abcde"), values, 5))
    outcome = Native().solve(Run(problem), method="dense")
    assert outcome.status == "optimal"
    assert outcome.details["ties"] == {"networks": 1, "within": 1e-6, "complete": False, "simplest": False}


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_best_against_brute_force(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for n in (1, 2, 3, 4, 5):
        for _ in range(8):
            problem = random_problem(rng, n, kind)
            required = list(problem.required)
            networks = exhaustive(problem.values, required, 40, Control())[1]
            if not networks:
                continue
            best = networks[0][0]
            relaxation = Relaxation(problem.values, required, 1)
            relaxation.tighten(best - 1e3, Control())
            states = relaxation.states([], 10**6, Control())
            (score, _), second = relaxation.solve_two(states, 2, Control())
            assert abs(score - best) < 1e-9
            if len(networks) > 1:
                assert abs(second - networks[1][0]) < 1e-9
            else:
                assert second == -math.inf
            known = Incumbent(best, tuple(networks[0][1]))
            settled = settle_ties(relaxation, n, known, 1e-6, 1, Control())
            near = sum(other >= best - 1e-6 for other, _ in networks)
            assert settled is not None and settled[1].networks == min(near, MOST_COUNTED + 1)


def test_the_terminal_tells_of_ties(call, tmp_path) -> None:
    table = rows(duplicates=2)
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    shown = " ".join(call("learn", "t.csv").stdout.split())
    assert "2 networks score within 1e-6 of the best; this is the simplest" in shown
    assert "networks score within" not in call("learn", "heart").stdout
