"""The problems of the campaign: always the same, and of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from chordlearn.selftest import data_tables, score_tables

from campaign.problems import Trial, make_trial
from campaign.settings import Setting, settings_for
from chordlearn.data import Dataset
from chordlearn.scores import ScoreTable

MANY = 80


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return [make_trial(1, number) for number in range(MANY)]


def numbers(trial: Trial) -> bytes:
    source = trial.source
    return source.values.tobytes() if isinstance(source, ScoreTable) else source.codes.tobytes()


@pytest.mark.parametrize("number", [0, 3, 17])
def test_a_problem_depends_on_seed_and_number_alone(number: int) -> None:
    first, again = make_trial(5, number), make_trial(5, number)
    assert (first.what, first.constraints) == (again.what, again.constraints)
    assert numbers(first) == numbers(again)
    assert numbers(first) != numbers(make_trial(6, number))
    installed = ["native", "search", "exhaustive", "sat", "maxsat:rc2"]
    assert settings_for(first, installed) == settings_for(again, installed)


def test_problems_are_of_many_kinds(trials: list[Trial]) -> None:
    assert {trial.n for trial in trials} >= set(range(2, 11))
    assert max(trial.n for trial in trials) > 10
    kinds = {trial.what.split(", ")[1] for trial in trials}
    assert len(kinds & set(score_tables.KINDS)) >= 8
    assert len(kinds & set(data_tables.KINDS)) >= 4
    rows = [trial.source.rows for trial in trials if isinstance(trial.source, Dataset)]
    assert min(rows) < 10 and max(rows) > 100_000
    assert any(trial.constraints.required for trial in trials)
    assert any(trial.constraints.forbidden for trial in trials)
    assert any(trial.constraints.max_clique for trial in trials)


@pytest.mark.parametrize("kind", data_tables.KINDS)
def test_data_are_sound(kind: str) -> None:
    dataset = data_tables.random_data(5, kind, np.random.default_rng(3))
    assert (dataset.weights > 0).all() and dataset.rows <= data_tables.MOST_ROWS
    assert (dataset.codes >= 0).all() and (dataset.codes < np.array(dataset.arities)).all()
    assert len(np.unique(dataset.codes, axis=0)) == len(dataset.codes)
    assert max(dataset.arities) <= data_tables.MOST_STATES


@pytest.mark.parametrize("kind", score_tables.KINDS)
def test_scores_are_sound(kind: str) -> None:
    table = score_tables.random_scores(6, kind, np.random.default_rng(3))
    assert table.values[0] == 0.0
    assert np.isfinite(table.values[1 << np.arange(6)]).all()
    assert not np.isnan(table.values).any() and not np.isposinf(table.values).any()


def test_a_solver_that_is_not_installed_is_passed_over() -> None:
    trial = make_trial(5, 0)
    backends = {setting.backend for setting in settings_for(trial, ["sat"])}
    assert backends <= {"auto", "native", "exhaustive", "search", "sat"}


def test_settings_have_names() -> None:
    assert Setting("native", method="dense").name == "native, dense"
    assert Setting("native", source="dmst", top=5, threads=2).name == "native, 2 threads, top 5, from dmst"
