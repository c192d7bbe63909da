"""The problems of the campaign are of every kind, and sound."""

from __future__ import annotations

import numpy as np
import pytest

from campaign import data_tables
from campaign.problems import Recipe
from campaign.rounds import Problem, each_problem
from campaign.settings import Setting
from chordlearn.data import Dataset
from chordlearn.scores import BDeu, ScoreTable
from chordlearn.testing import random_scores

ROUNDS = 30


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    found: list[Problem] = []
    for number in range(ROUNDS):
        each_problem(f"problems {number}", 10, found.append)
    return found


def test_problems_are_of_many_kinds(problems: list[Problem]) -> None:
    recipes = [recipe for recipe, _ in problems]
    assert {recipe.n for recipe in recipes} >= set(range(1, 11))
    assert max(recipe.n for recipe in recipes) > 10
    kinds = {recipe.kind for recipe in recipes}
    assert kinds >= {*random_scores.KINDS, *data_tables.KINDS}
    rows = [recipe.rows for recipe in recipes if recipe.function is not None]
    assert min(rows) < 10 and max(rows) > 100_000
    assert any(recipe.constraints.required for recipe in recipes)
    assert any(recipe.constraints.forbidden for recipe in recipes)
    assert any(recipe.constraints.max_clique for recipe in recipes)
    assert {recipe.function.name for recipe in recipes if recipe.function} == {
        *("bdeu", "dirichlet", "bic", "aic", "qnml")
    }


def test_problems_are_solved_in_many_ways(problems: list[Problem]) -> None:
    backends = {way.backend for _, ways in problems for way in ways}
    assert backends >= {"auto", "native", "exhaustive", "search", "asp:clingo", "maxsat:rc2", "sat"}
    assert {way.encoding for _, ways in problems for way in ways} >= {"paper", "edges", "elimination", None}
    assert {way.source for _, ways in problems for way in ways} > {"memory", "wide"}


@pytest.mark.parametrize(
    "recipe", [Recipe("huge", 5, 3), Recipe("chain", 5, 3, 200, BDeu(1.0))], ids=lambda recipe: recipe.kind
)
def test_a_recipe_always_makes_the_same_problem(recipe: Recipe) -> None:
    first, again = recipe.trial(), recipe.trial()
    other = Recipe(recipe.kind, recipe.n, 4, recipe.rows, recipe.function).trial()
    assert numbers(first.source) == numbers(again.source) != numbers(other.source)


def numbers(source: ScoreTable | Dataset) -> bytes:
    return source.values.tobytes() if isinstance(source, ScoreTable) else source.codes.tobytes()


@pytest.mark.parametrize("kind", [*data_tables.KINDS, data_tables.SMALL_TREE])
def test_data_are_sound(kind: str) -> None:
    dataset = data_tables.random_data(5, kind, 5000, np.random.default_rng(3))
    assert (dataset.weights > 0).all() and 0 < dataset.rows <= data_tables.MOST_ROWS
    assert (dataset.codes >= 0).all() and (dataset.codes < np.array(dataset.arities)).all()
    assert len(np.unique(dataset.codes, axis=0)) == len(dataset.codes)
    assert max(dataset.arities) <= data_tables.MOST_STATES


@pytest.mark.parametrize("kind", random_scores.KINDS)
def test_scores_are_sound(kind: str) -> None:
    table = random_scores.random_scores(6, kind, np.random.default_rng(3))
    assert table.values[0] == 0.0
    assert np.isfinite(table.values[1 << np.arange(6)]).all()
    assert not np.isnan(table.values).any() and not np.isposinf(table.values).any()


def test_settings_have_names() -> None:
    assert Setting("native", method="dense").name == "native, dense"
    assert Setting("native", source="dmst", top=5, threads=2).name == "native, 2 threads, top 5, from dmst"
