"""Small problems with known answers, each there because some solver may stumble over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, exhaustive
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import ScoreTable
from chordlearn.testing.random_scores import KINDS, random_scores, scores_like_data, with_gaps

SIZES = (1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6)
"""Numbers of variables of random problems; there are 18,154 chordal graphs on 6."""
EASY_KINDS = ("like data", "Gaussian", "all equal", "equal by size", "integer", "impossible sets")
"""Scores that lose nothing in solvers that calculate with integers."""


@dataclass(frozen=True)
class Case:
    """A problem and what it is for."""

    what: str
    problem: Problem
    reduce: bool = True

    @cached_property
    def best(self) -> tuple[float, tuple[int, ...]] | None:
        """The best score among all chordal graphs, with its cliques; None if the constraints allow none."""
        _, networks = exhaustive(self.problem.values, list(self.problem.required), 1, Control())
        return (networks[0][0], tuple(networks[0][1])) if networks else None


def random_case(seed: int, number: int, kinds: Sequence[str] = tuple(KINDS)) -> Case:
    """The problem of this number, which depends on number and seed alone.

    >>> random_case(0, 3).what
    'scores of all magnitudes, 5 variables'
    """
    rng = np.random.default_rng((seed, number))
    n, kind = int(rng.choice(SIZES)), str(rng.choice(kinds))
    table = random_scores(n, kind, rng)
    constraints = _random_constraints(table.variables, rng) if rng.random() < 0.4 else Constraints()
    what = f"scores {kind}, {n} variables{', constraints' if constraints != Constraints() else ''}"
    return Case(what, make_problem(table, constraints), reduce=bool(rng.random() < 0.5))


def _random_constraints(names: tuple[str, ...], rng: np.random.Generator) -> Constraints:
    share = float(rng.uniform(0.0, 0.3))
    pairs = [pair for pair in combinations(names, 2) if rng.random() < share]
    required = tuple(pair for pair in pairs if rng.random() < 0.5)
    largest = int(rng.integers(2 if required else 1, len(names) + 1)) if rng.random() < 0.4 else None
    return Constraints(largest, required, tuple(pair for pair in pairs if pair not in required))


def brief_cases() -> Iterator[Case]:
    """A few, for solvers that take long to start."""
    wanted = ("two variables", "five variables without reduction", "required and forbidden", "no network")
    return (case for case in usual_cases() if case.what.startswith(wanted))


def usual_cases() -> Iterator[Case]:
    """The cases that no backend may miss."""
    yield Case("one variable", _problem(_random(1, seed=1)))
    yield Case("two variables", _problem(_random(2, seed=2)))
    yield Case("four variables", _problem(_random(4, seed=3)))
    yield Case("five variables without reduction", _problem(_random(5, seed=4)), reduce=False)
    yield Case("ties", _problem(np.zeros(1 << 4)), reduce=False)
    yield Case("sets that may not be complete", _problem(_with_gaps(_random(5, seed=5))), reduce=False)
    required, forbidden = (("a", "b"), ("c", "d")), (("a", "c"),)
    yield Case(
        "required and forbidden edges",
        _problem(_random(4, seed=6), Constraints(required=required, forbidden=forbidden)),
    )
    yield Case("cliques of two at most", _problem(_random(5, seed=7), Constraints(max_clique=2)))
    triangle = (("a", "b"), ("b", "c"), ("a", "c"))
    yield Case(
        "no network at all", _problem(_random(3, seed=8), Constraints(max_clique=2, required=triangle))
    )
    yield Case("scores in the millions", _problem(_random(4, seed=9) * 1e5), reduce=False)


def thorough_cases() -> Iterator[Case]:
    """Those, and many random ones whose scores every exact solver can take."""
    yield from usual_cases()
    yield from (random_case(0, number, EASY_KINDS) for number in range(24))
    yield Case("tiny differences", _problem(_random(4, seed=30) * 1e-5), reduce=False)


def long_case() -> Case:
    """More work than a moment is enough for, and still small enough to enumerate."""
    return Case("a short time limit", _problem(_random(7, seed=40)), reduce=False)


def _problem(values: NDArray[np.float64], constraints: Constraints = Constraints()) -> Problem:  # noqa: B008
    n = len(values).bit_length() - 1
    return make_problem(ScoreTable(tuple("abcdefghij"[:n]), values, max_size=n), constraints)


def _random(n: int, seed: int) -> NDArray[np.float64]:
    return scores_like_data(n, np.random.default_rng(seed))


def _with_gaps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return with_gaps(values, np.random.default_rng(0), 0.2)
