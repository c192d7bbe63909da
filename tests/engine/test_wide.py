"""Search for tables with any number of variables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.neighbourhoods import Change, Neighbourhood, solve_one
from chordlearn.backends.search.waves import Waves
from chordlearn.data import Dataset
from chordlearn.errors import InputError
from chordlearn.graphs import separators
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.scores import BDeu, make_scorer
from chordlearn.scores.compute import ScoredData


def chain(n: int, rows: int = 400, seed: int = 1) -> Dataset:
    """Each variable copies the one before, with some noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        columns.append(np.where(rng.random(rows) < 0.15, rng.integers(0, 2, rows), columns[-1]))
    return cl.read({f"x{i}": column for i, column in enumerate(columns)})


def noisy(n: int, rows: int = 300, seed: int = 1) -> Dataset:
    """Each variable is a noisy parity or majority of up to three before it."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for i in range(1, n):
        parents = rng.choice(i, size=min(i, int(rng.integers(1, 4))), replace=False)
        total = sum(columns[p] for p in parents)
        value = total % 2 if rng.random() < 0.3 else (2 * total > len(parents)).astype(int)
        columns.append(np.where(rng.random(rows) < 0.1, rng.integers(0, 2, rows), value))
    return cl.read({f"x{i}": column for i, column in enumerate(columns)})


def search(dataset: Dataset, constraints: Constraints = Constraints(), **limits: Any):  # noqa: B008
    problem = make_problem(ScoredData(dataset, BDeu()), constraints)
    return Waves(Run(problem, Limits(**limits))).outcome()


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
    dataset = chain(30)
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


class Backwards:
    """Solves a wave from its end, as a cluster might."""

    def __init__(self, dataset: Dataset) -> None:
        self.scorer = make_scorer(dataset, BDeu())

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> list[Change | None]:
        return [solve_one(self.scorer, task, control) for task in reversed(wave)][::-1]


class Seen(Waves):
    """Keeps all the states that it goes through."""

    def __init__(self, dataset: Dataset, *, state: Any = None, mapper: Any = None) -> None:
        super().__init__(
            Run(make_problem(ScoredData(dataset, BDeu())), Limits(seed=3), state=state), mapper=mapper
        )
        self.states: list[dict[str, Any]] = []

    def after_wave(self) -> None:
        super().after_wave()
        self.states.append(self.run.state)


def test_it_does_not_matter_where_neighbourhoods_are_solved() -> None:
    dataset = noisy(16)
    assert Seen(dataset).outcome().cliques == Seen(dataset, mapper=Backwards(dataset)).outcome().cliques


@pytest.mark.parametrize("wave", [0, 3, 11])
def test_going_on_from_a_state_is_going_on(wave: int) -> None:
    dataset = noisy(16)
    search = Seen(dataset)
    whole = search.outcome()
    later = Seen(dataset, state=search.states[wave])
    resumed = later.outcome()
    assert (resumed.score, resumed.cliques) == (whole.score, whole.cliques)
    assert [state["random"] for state in later.states] == [
        state["random"] for state in search.states[wave + 1 :]
    ]


def test_states_of_other_data_are_refused() -> None:
    search = Seen(noisy(10))
    search.outcome()
    with pytest.raises(InputError, match="other data"):
        Seen(noisy(10, seed=9), state=search.states[0]).outcome()


@pytest.mark.parametrize("seed", range(3))
def test_the_score_is_that_of_the_network(seed: int) -> None:
    dataset = noisy(15, seed=seed)
    outcome = Seen(dataset).outcome()
    assert outcome.cliques is not None
    scorer = make_scorer(dataset, BDeu())
    sets = [*outcome.cliques, *separators(outcome.cliques)]
    values = scorer.sets([[i for i in range(15) if set_ >> i & 1] for set_ in sets])
    count = len(outcome.cliques)
    assert outcome.score == pytest.approx(values[:count].sum() - values[count:].sum(), abs=1e-8)


def test_the_claim_is_about_all_networks_unless_less_is_asked_for() -> None:
    dataset = chain(30, rows=20)
    five = [(f"x{i}", f"x{j}") for i in range(5) for j in range(i)]
    cases: list[dict[str, Any]] = [{}, {"max_clique": 3}, {"require": five}]
    for options in cases:
        result = cl.learn(dataset, time_limit=5, **options)
        asked = options.get("max_clique")
        assert result.constraints["max_clique"] == asked
        assert result.claims[-1].among == ({} if asked is None else {"max_clique": asked})
        assert max(map(len, result.cliques)) <= (asked or 30)
        assert cl.verify(result, dataset).ok


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("largest", [None, 3])
def test_small_tables_against_all_networks(seed: int, largest: int | None) -> None:
    dataset = noisy(5, rows=60, seed=seed)
    exact = cl.learn(dataset, backend="exhaustive", max_clique=largest)
    assert search(dataset, Constraints(largest), seed=seed).score == pytest.approx(exact.score, abs=1e-8)
