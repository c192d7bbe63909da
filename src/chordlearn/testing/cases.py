"""Small problems with known answers, each there because some solver may stumble over it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import ScoreTable


@dataclass(frozen=True)
class Case:
    """A problem and what it is for."""

    what: str
    problem: Problem
    reduce: bool = True


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
    """Those, and many random ones."""
    yield from usual_cases()
    for seed in range(10, 18):
        n = 3 + seed % 4
        yield Case(f"{n} variables, seed {seed}", _problem(_random(n, seed)))
        yield Case(f"{n} variables, seed {seed}, without reduction", _problem(_random(n, seed)), reduce=False)
    for seed in range(18, 22):
        values = _with_gaps(_random(5, seed))
        constraints = Constraints(max_clique=3, required=(("a", "b"),), forbidden=(("d", "e"),))
        yield Case(f"constraints, seed {seed}", _problem(values, constraints), reduce=seed % 2 == 0)
    yield Case("tiny differences", _problem(_random(4, seed=30) * 1e-5), reduce=False)
    yield Case("equal variables", _problem(_symmetric(5)), reduce=False)
    yield Case("nothing but edges pays", _problem(-_pairs(5)), reduce=False)


def long_case() -> Case:
    """More work than a moment is enough for, and still small enough to enumerate."""
    return Case("a short time limit", _problem(_random(7, seed=40)), reduce=False)


def _problem(values: NDArray[np.float64], constraints: Constraints = Constraints()) -> Problem:  # noqa: B008
    n = len(values).bit_length() - 1
    return make_problem(ScoreTable(tuple("abcdefghij"[:n]), values, max_size=n), constraints)


def _random(n: int, seed: int) -> NDArray[np.float64]:
    return scores_like_data(n, np.random.default_rng(seed))


def scores_like_data(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores as data would give them: every variable costs, sets are worth a little more or less.

    >>> scores_like_data(2, np.random.default_rng(0)).round(1)
    array([  0. , -20.9, -31.9, -51.8])
    """
    masks = np.arange(1 << n, dtype=np.uint32)
    sizes = np.bitwise_count(masks)
    singles = sum(np.where(masks >> i & 1, rng.uniform(-40, -10), 0.0) for i in range(n))
    extra = rng.normal(0.6, 2.0, 1 << n) * (sizes - 1) - 0.3 * (sizes - 1) ** 2
    values = np.asarray(singles + np.where(sizes >= 2, extra, 0.0), dtype=np.float64)
    values[0] = 0.0
    return values


def _with_gaps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return with_gaps(values, np.random.default_rng(0), 0.2)


def with_gaps(values: NDArray[np.float64], rng: np.random.Generator, share: float) -> NDArray[np.float64]:
    """The scores, but some sets of two or more variables may not be complete.

    >>> with_gaps(np.zeros(4), np.random.default_rng(0), 1.0)
    array([  0.,   0.,   0., -inf])
    """
    gaps = np.bitwise_count(np.arange(len(values), dtype=np.uint32)) >= 2
    return np.where(gaps & (rng.random(len(values)) < share), -np.inf, values)


def _symmetric(n: int) -> NDArray[np.float64]:
    sizes = np.bitwise_count(np.arange(1 << n, dtype=np.uint32)).astype(np.float64)
    return -10 * sizes + np.where(sizes == 2, 1.0, 0.0) + np.where(sizes == 3, 2.5, 0.0)


def _pairs(n: int) -> NDArray[np.float64]:
    sizes = np.bitwise_count(np.arange(1 << n, dtype=np.uint32)).astype(np.float64)
    return 10 * sizes - np.where(sizes >= 2, 1.0, 0.0) + np.where(sizes >= 3, 7.0 * sizes, 0.0)
