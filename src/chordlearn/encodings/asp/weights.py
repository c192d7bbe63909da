"""Integer weights for solvers that know no reals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates

LARGEST_WEIGHT = 2**30
"""clingo computes with 32-bit weights; differences of two must fit as well."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Rounded interaction scores of the candidates, and the Möbius transform of the rounded scores.

    The rounding comes first, so both give a network the same total.
    """

    factor: float
    max_error: float
    """By how much the rounded score of a network may be off, in units of the real score."""
    base: float
    """Σ v({i}): what the network without edges scores."""
    scores: NDArray[np.int64]
    """By mask; 0 for sets that are no candidates."""
    moebius: NDArray[np.int64]

    @property
    def largest(self) -> int:
        """The largest weight in absolute value."""
        return int(max(np.abs(self.scores).max(), np.abs(self.moebius).max()))

    def real(self, total: int) -> float:
        """The real score that an integer total stands for, give or take ``max_error``."""
        return self.base + total / self.factor


def weigh(problem: Problem, candidates: Candidates, factor: float) -> Weights:
    """Multiply the interaction scores v'(A) = v(A) − Σ v({i}) and round them.

    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.reduction.candidates import all_candidates
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2))
    >>> weigh(problem, all_candidates(problem), factor=100).scores
    array([ 0,  0,  0, 50])
    """
    singles = np.zeros(1 << problem.n)
    for i in range(problem.n):
        singles[1 << i : 2 << i] = singles[: 1 << i] + problem.values[1 << i]
    allowed = np.zeros(1 << problem.n, dtype=np.bool_)
    allowed[candidates.masks] = True
    masks = np.arange(1 << problem.n, dtype=np.uint32)
    allowed &= np.bitwise_count(masks) >= 2
    scaled = np.where(allowed, problem.values - singles, 0.0) * factor
    scores = np.rint(scaled).astype(np.int64)
    moebius = scores.copy()
    for i in range(problem.n):
        halves = moebius.reshape(-1, 2, 1 << i)
        halves[:, 1] -= halves[:, 0]
    moebius[~allowed] = 0
    base = math.fsum(float(problem.values[1 << i]) for i in range(problem.n))
    # Interaction scores are differences of rounded doubles, so the totals are off by a little more.
    noise = 4 * problem.n * 2.0**-52 * (abs(base) + float(np.abs(scaled).max()) / factor)
    error = terms_that_round(problem.n) * float(np.abs(scores - scaled).max()) / factor + noise
    return Weights(factor, error, base, scores, moebius)


def terms_that_round(n: int) -> int:
    """How many cliques and separators of two or more variables a network on n variables has at most.

    >>> [terms_that_round(n) for n in (1, 2, 3, 8)]
    [0, 1, 2, 12]
    """
    return max(0, n - 1) + max(0, n - 3)


def best_weights(
    problem: Problem, candidates: Candidates, *, wanted_error: float, largest: int = LARGEST_WEIGHT
) -> Weights:
    """Weights with the smallest power of ten as factor that errs little enough, or the largest that fits."""
    factor = 10.0 ** math.ceil(math.log10(max(1, terms_that_round(problem.n)) / 2 / wanted_error))
    weights = weigh(problem, candidates, factor)
    while weights.largest > largest and factor > 1e-6:
        factor /= 10
        weights = weigh(problem, candidates, factor)
    return weights
