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

from campaign.counting import COUNTS
from campaign.rounds import Round, each_problem

PROBLEMS_PER_ROUND = 10
"""Hypothesis varies what it has tried already after the first ten; here other problems are worth more."""
PROBLEMS_WITHOUT_MINUTES = 6
MOST_MEMORY_GIGABYTES = 10.0
PROCESSES = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


@pytest.fixture
def limited_memory() -> Iterator[None]:
    """What asks for more memory than this fails, and is a disagreement; otherwise the system might end us."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    known = [limit for limit in before if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([int(MOST_MEMORY_GIGABYTES * 1e9), *known]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture
def counts(record_property: Callable[[str, Any], None]) -> Iterator[Counter[str]]:
    """Reach the summary of the whole run, also from another process, which takes plain values only."""
    counts: Counter[str] = Counter()
    yield counts
    record_property(COUNTS, dict(counts))


@pytest.mark.parametrize("share", range(PROCESSES))
def test_all_ways_agree(
    share: int,
    request: pytest.FixtureRequest,
    limited_memory: None,
    counts: Counter[str],
) -> None:
    """Each process has problems of its own, which depend on its number and the seed alone."""
    start, minutes = request.config.getoption("--seed"), request.config.getoption("--minutes")
    if minutes is None:
        each_problem(f"{start}/{share}/0", max(1, PROBLEMS_WITHOUT_MINUTES // PROCESSES), Round(counts))
        return
    end = time.monotonic() + 60 * minutes
    for number in count():
        each_problem(f"{start}/{share}/{number}", PROBLEMS_PER_ROUND, Round(counts, end))
        if time.monotonic() >= end:
            return
