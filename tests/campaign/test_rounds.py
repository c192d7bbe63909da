"""A round always has the same problems, and what disagrees is printed so that it can be run again."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import strategies as st

from campaign.examining import examine
from campaign.problems import NONE, Recipe, recipes
from campaign.rounds import Problem, Round, each_problem
from campaign.settings import Setting
from chordlearn.problem.constraints import Constraints
from chordlearn.scores import AIC, BIC, QNML, BDeu, Dirichlet


def problems_of(name: str, most: int = 30) -> list[Problem]:
    found: list[Problem] = []
    each_problem(name, most, found.append)
    return found


def test_the_problems_of_a_round_depend_on_its_name_alone() -> None:
    assert problems_of("5/0/0") == problems_of("5/0/0")
    assert problems_of("5/0/0") != problems_of("5/0/1")


def test_counts() -> None:
    counts: Counter[str] = Counter()
    ways = [Setting("native"), Setting("exhaustive"), Setting("search")]
    each_problem(
        "counts",
        3,
        Round(counts),
        st.tuples(st.builds(Recipe, st.just("huge"), st.integers(2, 5), st.integers(0, 9)), st.just(ways)),
    )
    assert (counts["problems"], counts["runs"], counts["disagreements"]) == (3, 9, 0)
    assert counts["comparisons"] > 30
    assert counts["native: proved"] == counts["exhaustive: proved"] == 3


def test_nothing_is_solved_after_the_end() -> None:
    counts: Counter[str] = Counter()
    each_problem("end", 20, Round(counts, end=0.0))
    assert not counts


def test_what_is_printed_of_a_disagreement_runs_it_again() -> None:
    # A backend that does not exist fails, and a failure is a disagreement.
    counts: Counter[str] = Counter()
    ways = st.just([Setting("native"), Setting("nonsense")])
    with pytest.raises(AssertionError) as failure:
        each_problem("disagreement", 20, Round(counts), st.tuples(recipes(), ways))
    *_, printed = str(failure.value).splitlines()
    names = (AIC, BIC, QNML, BDeu, Dirichlet, Constraints, Recipe, Setting)
    recipe, ways_again = eval(printed, {name.__name__: name for name in names})
    assert (recipe.n, recipe.constraints) == (1, NONE), "It could be made smaller."
    (complaint,) = examine(recipe.trial(), ways_again).complaints
    assert complaint.startswith("nonsense: failed")
    assert (counts["problems"], counts["disagreements"]) == (counts["problems"], 1)
