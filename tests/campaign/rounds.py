"""Rounds of the campaign: some problems after each other, chosen and made smaller by hypothesis."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from campaign.counting import counted
from campaign.examining import examine
from campaign.problems import Recipe, recipes
from campaign.settings import Setting, ways_to_solve

Problem = tuple[Recipe, list[Setting]]
"""What it is made from, and the ways to solve it."""


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Any problem with ways to solve it."""
    recipe = draw(recipes())
    return recipe, draw(ways_to_solve(recipe))


def each_problem(
    name: str,
    most: int,
    check: Callable[[Problem], None],
    strategy: st.SearchStrategy[Problem] = problems(),  # noqa: B008
) -> None:
    """Check so many problems, which depend on the name alone.

    One on which the check fails is made smaller, as long as it still fails.
    """

    @seed(name)
    @settings(
        max_examples=most,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(problem=strategy)
    def check_one(problem: Problem) -> None:
        check(problem)

    check_one()


class Round:
    """Solves problems in many ways and compares, and counts up to the first disagreement."""

    def __init__(self, counts: Counter[str], end: float = float("inf")) -> None:
        """Count here, and pass over what comes after the end (of time.monotonic)."""
        self.counts = counts
        self.end = end
        self.disagrees = False

    def __call__(self, problem: Problem) -> None:
        """Solve one problem; a disagreement is an AssertionError, whose last line is the problem."""
        if not self.disagrees and time.monotonic() >= self.end:
            return
        recipe, ways = problem
        finding = examine(recipe.trial(), ways)
        if not self.disagrees:
            self.counts.update(counted(finding))
        self.disagrees = self.disagrees or bool(finding.complaints)
        if finding.complaints:
            raise AssertionError("\n".join([*finding.complaints, repr(problem)]))
