"""Integer scores for solvers that know no real ones, with an account of what rounding may cost.

Not the weights of a model are rounded but the interaction scores v' they are made of. All weights (Möbius
weights, say, each a sum of many scores) are then exact integers that belong to one integer problem, and a
network's total is off by the rounding of its own cliques and separators only. Singletons weigh exactly 0;
at most n − 1 cliques and n − 2 separators of a network have more variables, each off by half a unit at most.
What the arithmetic of doubles adds, which is far less, is counted too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass

from chordlearn.encodings.model import Model
from chordlearn.encodings.weights import independent_score, interaction_scores
from chordlearn.errors import InputError
from chordlearn.problem.candidates import Candidates, all_candidates
from chordlearn.problem.problem import Problem
from chordlearn.scores.accuracy import UNIT_ROUNDOFF

EXACT_IN_FLOAT = 2**53
FACTORS = tuple(float(10**power) for power in range(9, -1, -1))


@dataclass(frozen=True)
class IntegerScaling:
    """How the integer problem relates to the real one: real score ≈ offset + integer score / factor."""

    factor: float
    offset: float
    """The score of the network without edges, whose integer score is 0."""
    max_error: float
    """No network's real score differs by more than this from what its integer score says."""

    def real(self, total: float) -> float:
        """The real score that an integer score stands for, up to ``max_error``."""
        return self.offset + total / self.factor

    def bound(self, total: float, candidates: Candidates) -> float:
        """No network scores more than this, if none of candidates only has a larger integer score.

        Networks with other complete sets score at most ``candidates.lower``.
        """
        return max(self.real(total) + self.max_error, candidates.lower)

    @property
    def margin(self) -> float:
        """Two networks whose real scores differ by more than this have integer scores in the same order.

        Candidates are those of the integer problem too when the reduction's lower bound is at least this
        far below the score of a known network: an excluded network is then worse in integers as well.
        """
        return 2 * self.max_error


def scaled_problem(problem: Problem, factor: float) -> tuple[Problem, IntegerScaling]:
    """The problem with round(factor · v') as scores, and how it relates to the real one.

    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import SparseScores
    >>> real = make_problem(SparseScores(("a", "b"), {0b01: -1.0, 0b10: -2.0, 0b11: -2.4996}))
    >>> scaled, scaling = scaled_problem(real, 1000)
    >>> scaled.listed, scaling.real(500), round(scaling.max_error, 9)
    ({0: 0, 1: 0, 2: 0, 3: 500}, -2.5, 0.0004)
    """
    if not (math.isfinite(factor) and factor > 0):
        raise InputError(f"Scores cannot be scaled by {factor}; give a positive number such as 1000.")
    offset = independent_score(problem)
    sets = all_candidates(problem)
    masks = sets.masks.tolist()
    given = dict(zip(masks, problem.score_sets(masks), strict=True))
    scores = interaction_scores(problem, sets)
    exact = {mask: score * factor for mask, score in scores.items()}
    if max(map(abs, exact.values())) * 2.0**problem.max_clique > EXACT_IN_FLOAT:
        raise InputError(f"Scores times {factor:g} are too large for exact integers; give a smaller factor.")
    rounded = {mask: round(score) for mask, score in exact.items()}
    residual = max(abs(score - rounded[mask]) for mask, score in exact.items())
    terms = max(0, 2 * problem.n - 3)
    error = terms * residual / factor
    if not _is_exact(given.values(), factor * (problem.n + 1)):
        # In each score, its product, and the sum with the offset.
        singles = math.fsum(abs(given[1 << i]) for i in range(problem.n))
        error += UNIT_ROUNDOFF * (2 * terms * max(map(abs, scores.values())) + 4 * singles)
    return problem.with_scores(rounded), IntegerScaling(float(factor), offset, error)


def _is_exact(scores: Collection[float], factor: float) -> bool:
    """Whether so many times the scores are whole numbers that doubles hold."""
    whole = factor == int(factor) and all(score == int(score) for score in scores)
    return whole and max(map(abs, scores)) * factor < EXACT_IN_FLOAT


def smallest_factor(problem: Problem, max_error: float) -> float:
    """A factor with which no network's total is off by more than this.

    For candidates that were kept down to d below the incumbent, ask for d / 2.
    """
    return max(1, 2 * problem.n - 3) / (2 * max_error)


def largest_factor(
    problem: Problem, weight: Callable[[Problem], float], largest: int, wanted: float = FACTORS[0]
) -> float:
    """The largest power of ten, at most ``wanted``, with which no weight leaves a solver's range.

    ``weight`` is the largest number that the solver meets when it solves a problem.
    """
    for factor in FACTORS:
        if factor <= wanted:
            with suppress(InputError):
                if weight(scaled_problem(problem, factor)[0]) <= largest:
                    return factor
    raise InputError(
        f"The scores are too large for a solver with integers up to {largest}; "
        "choose a backend with larger integers or real scores, such as smt:z3 or native."
    )


def absolute_weight(model: Model) -> float:
    """The sum of the absolute weights of the objective."""
    return math.fsum(map(abs, model.weights.values()))
