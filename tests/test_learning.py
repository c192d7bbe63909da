"""`learn` and `verify` from Python, with everything they take."""

from __future__ import annotations

import gc
import math
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest

import chordlearn as cl

ROWS = {"a": [0, 0, 1, 1] * 10, "b": [0, 0, 1, 1] * 10, "c": [0, 1, 0, 1] * 10}
CLIQUES = (("a", "b"), ("c",))


@pytest.mark.parametrize(
    "make",
    [dict, pandas.DataFrame, polars.DataFrame, lambda rows: cl.read(rows)],
    ids=["dict", "pandas", "polars", "read"],
)
def test_takes_any_table(make) -> None:
    result = cl.learn(make(ROWS))
    assert result.status == "optimal"
    assert result.cliques == CLIQUES
    assert result.rows == 40
    assert result.stopped_by == "proof"


def test_takes_an_array() -> None:
    result = cl.learn(np.array(list(ROWS.values())).T)
    assert [len(clique) for clique in result.cliques] == [2, 1]


def test_takes_scores(tmp_path: Path) -> None:
    values = np.array([0.0, -1.0, -1.0, -1.5])
    table = cl.ScoreTable(("a", "b"), values, 2)
    result = cl.learn(table)
    assert result.score == -1.5
    assert result.rows is None
    assert result.states is None
    assert cl.verify(result, table).ok
    with pytest.raises(cl.errors.InputError, match="given already"):
        cl.learn(table, ess=2)


def test_sets_without_a_score_limit_what_is_proved() -> None:
    values = np.array([0.0, -1.0, -1.0, -1.5, -1.0, -1.5, -1.5, -math.inf])
    result = cl.learn(cl.ScoreTable(("a", "b", "c"), values, 2))
    assert result.constraints["max_clique"] == 2
    assert max(map(len, result.cliques)) == 2


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_variables(n: int) -> None:
    result = cl.learn({name: ROWS[name] for name in list(ROWS)[:n]})
    assert result.status == "optimal"
    assert len(result.cliques) == 1
    assert cl.verify(result, {name: ROWS[name] for name in list(ROWS)[:n]}).ok


def test_score_functions_as_objects() -> None:
    by_name = cl.learn(ROWS, score="dirichlet", alpha=0.5)
    by_object = cl.learn(ROWS, score=cl.Dirichlet(alpha=0.5))
    assert by_name.score == by_object.score
    with pytest.raises(cl.errors.InputError, match="carries its own"):
        cl.learn(ROWS, score=cl.BDeu(ess=2), ess=3)


def test_own_score_function() -> None:
    def prefer_small_sets(variables: tuple[str, ...], counts: np.ndarray, cells: float) -> float:
        return -float(len(variables) ** 2)

    result = cl.learn(ROWS, score=cl.CustomScore(prefer_small_sets))
    assert result.edges == ()
    assert result.score == -3.0
    assert cl.verify(result, ROWS, scores=lambda names: -float(len(list(names)) ** 2)).ok


def test_edge_prior_changes_the_network() -> None:
    assert cl.learn(ROWS, edge_prior=-100).edges == ()
    assert len(cl.learn(ROWS, edge_prior=100).edges) == 3


def test_reading_options_are_recorded_and_used_again() -> None:
    rows = {**ROWS, "d": ["x", None] * 20}
    result = cl.learn(rows, missing="category", drop=["c"])
    assert cl.verify(result, rows).ok
    assert cl.verify(result.to_dict(), rows).ok


def test_data_that_are_gone() -> None:
    result = cl.learn(ROWS)
    assert cl.verify(result).complete
    text = result.to_json()
    del result
    gc.collect()
    with pytest.raises(cl.errors.InputError, match="give them as data"):
        cl.verify(cl.Result.from_json(text))


def test_results_can_be_read_again(tmp_path: Path) -> None:
    result = cl.learn("heart")
    result.save(tmp_path / "r.json")
    assert cl.Result.load(tmp_path / "r.json") == result
    assert cl.verify(tmp_path / "r.json").complete


class Listener:
    def __init__(self) -> None:
        self.stages: list[str] = []

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        self.stages.append(stage)


def test_observer_is_told() -> None:
    listener = Listener()
    cl.learn(ROWS, observer=listener)
    assert {"reading", "scoring", "solving"} <= set(listener.stages)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"threads": 0}, cl.errors.InputError, "threads must be a positive whole number"),
        ({"threads": 1.5}, cl.errors.InputError, "but it is 1.5"),
        ({"time_limit": 0}, cl.errors.InputError, "time_limit must be a positive number"),
        ({"time_limit": "5"}, cl.errors.InputError, "but it is '5'"),
        ({"max_clique": 2.5}, cl.errors.InputError, "max_clique must be a positive whole number"),
        ({"seed": "one"}, cl.errors.InputError, "seed must be a whole number"),
        ({"memory_limit": math.nan}, cl.errors.InputError, "memory_limit must"),
        ({"top": 0}, cl.errors.InputError, "top must be"),
        ({"require": "ab"}, cl.errors.InputError, "pairs"),
        ({"require": ["ab"]}, cl.errors.InputError, "pairs"),
        ({"require": [("a", "b", "c")]}, cl.errors.InputError, "pairs"),
        ({"backend": "nonsense"}, cl.errors.BackendError, "nonsense"),
        ({"score": "nonsense"}, cl.errors.InputError, "nonsense"),
        (
            {"require": [("a", "b"), ("b", "c"), ("a", "c")], "max_clique": 2},
            cl.errors.ContradictionError,
            "constraints",
        ),
    ],
)
def test_wrong_arguments(options: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        cl.learn(ROWS, **options)


def test_no_time_to_score_still_gives_a_network() -> None:
    rng = np.random.default_rng(0)
    table = {f"x{i}": rng.integers(0, 3, 3000) for i in range(22)}
    result = cl.learn(cl.read(table), time_limit=0.05)
    assert (result.status, result.stopped_by, result.backend) == ("feasible", "time limit", "search")
