"""Search for tables with any number of variables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.backends.outcome import Limits, SilentObserver
from chordlearn.backends.search import Search
from chordlearn.data import Dataset
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.wide import make_wide_problem
from chordlearn.scores import BDeu


def chain(n: int, rows: int = 400, seed: int = 1) -> Dataset:
    """Each variable copies the one before, with some noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        columns.append(np.where(rng.random(rows) < 0.15, rng.integers(0, 2, rows), columns[-1]))
    return cl.read({f"x{i}": column for i, column in enumerate(columns)})


def search(dataset: Dataset, constraints: Constraints = Constraints(), **limits: float):  # noqa: B008
    problem = make_wide_problem(dataset, BDeu(), constraints)
    return Search().solve_wide(problem, Limits(**limits), SilentObserver())


@pytest.mark.parametrize("seed", range(4))
def test_small_tables_are_solved(seed: int) -> None:
    dataset = chain(7, seed=seed)
    assert search(dataset).score == pytest.approx(cl.learn(dataset).score, abs=1e-6)


def test_constraints_hold() -> None:
    dataset = chain(30)
    ring = tuple((f"x{i}", f"x{(i + 1) % 5 if i == 4 else i + 1}") for i in range(5))
    outcome = search(dataset, Constraints(3, ring, (("x10", "x11"), ("x0", "x2"))))
    edges = {(a, b) for c in outcome.cliques for a in range(30) for b in range(a) if c >> a & c >> b & 1}
    assert {(1, 0), (2, 1), (3, 2), (4, 3), (4, 0)} <= edges
    assert not {(11, 10), (2, 0)} & edges
    assert max(clique.bit_count() for clique in outcome.cliques) <= 3


def test_same_with_any_number_of_threads() -> None:
    dataset = chain(40)
    assert search(dataset, threads=1).cliques == search(dataset, threads=3).cliques


def test_a_stopped_search_has_a_network() -> None:
    outcome = search(chain(60), seconds=0.001)
    assert outcome.status == "feasible"
    assert outcome.stopped_by == "time limit"


def test_learn_takes_many_columns(measuring_data: Path) -> None:
    path = measuring_data / "bn/alarm_1000.csv"
    result = cl.learn(path, time_limit=5)
    assert (result.backend, result.status) == ("search", "feasible")
    assert result.score > -11395  # what a greedy program reaches
    assert cl.verify(result, path).ok


@pytest.mark.parametrize("constraints", [(), (("x0", "x3"),)])
def test_forests_are_proved(constraints: tuple[tuple[str, str], ...]) -> None:
    wide = search(chain(9), Constraints(2, constraints, (("x4", "x5"),)))
    exact = cl.learn(chain(9), max_clique=2, require=constraints, forbid=[("x4", "x5")])
    assert (wide.status, wide.score) == ("optimal", pytest.approx(exact.score, abs=1e-8))


def test_a_forest_of_many_variables_is_proved_at_once() -> None:
    result = cl.learn(chain(300, rows=200), max_clique=2)
    assert (result.status, result.gap) == ("optimal", 0.0)
    assert cl.verify(result, chain(300, rows=200)).ok
