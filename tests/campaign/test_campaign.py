"""Random problems, each solved in many ways that must agree; see docs/developer/campaign.md."""

from __future__ import annotations

import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from campaign.counting import COUNTS, counted
from campaign.examining import examine
from campaign.problems import Recipe, recipes
from campaign.settings import Setting, ways_to_solve

PROBLEMS_PER_ROUND = 50
PROBLEMS_WITHOUT_MINUTES = 6
MOST_MEMORY_GIGABYTES = 10.0
PROCESSES = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


@st.composite
def problems(draw: st.DrawFn) -> tuple[Recipe, list[Setting]]:
    """A problem and the ways to solve it."""
    recipe = draw(recipes())
    return recipe, draw(ways_to_solve(recipe))


@pytest.fixture
def limited_memory() -> Iterator[None]:
    """What asks for more memory than this fails, and is a disagreement; otherwise the system might end us."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    known = [limit for limit in before if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([int(MOST_MEMORY_GIGABYTES * 1e9), *known]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("share", range(PROCESSES))
def test_all_ways_agree(
    share: int,
    request: pytest.FixtureRequest,
    limited_memory: None,
    record_property: Callable[[str, Any], None],
) -> None:
    """Each share has problems of its own, which depend on it and the seed alone."""
    counts: Counter[str] = Counter()
    record_property(COUNTS, counts)
    minutes, start = request.config.getoption("--minutes"), request.config.getoption("--seed")
    if not minutes:
        run_round(f"{start}/{share}/0", PROBLEMS_WITHOUT_MINUTES // PROCESSES, counts)
        return
    end = time.monotonic() + 60 * minutes
    for number in count():
        run_round(f"{start}/{share}/{number}", PROBLEMS_PER_ROUND, counts, end)
        if time.monotonic() >= end:
            return


def run_round(name: str, most: int, counts: Counter[str], end: float = float("inf")) -> None:
    """Solve problems that depend on the name alone, until there are so many or the time is up.

    A problem on which something disagrees is made smaller, as long as something still disagrees, and printed.
    """
    disagrees = False

    @seed(name)
    @settings(max_examples=most, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(problem=problems())
    def check(problem: tuple[Recipe, list[Setting]]) -> None:
        nonlocal disagrees
        if not disagrees and time.monotonic() >= end:
            return
        recipe, ways = problem
        finding = examine(recipe.trial(), ways)
        if not disagrees:
            counts.update(counted(finding))
        disagrees = disagrees or bool(finding.complaints)
        assert finding.complaints == ()

    check()
