"""The weights that constraint models maximise, made from the scores.

Interaction scores v'(A) = v(A) − Σ v({i}) are small, and 0 for singletons: a network scores
Σ v({i}) + Σ v'(cliques) − Σ v'(separators).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import InputError
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.scores.accuracy import UNIT_ROUNDOFF

EXTENDED = np.longdouble
"""As precise as the platform has it: 64 bits with x86."""


def only_candidates(problem: Problem, candidates: Candidates) -> Problem:
    """The problem in which nothing but candidates may be complete, so that no other score matters.

    >>> from chordlearn.scores.table import ScoreTable
    >>> from chordlearn.problem.problem import make_problem
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -9e99]), max_size=2))
    >>> only_candidates(problem, Candidates(np.array([1, 2], np.uint32), 3, -4.0, -3.0)).values
    array([  0.,  -1.,  -2., -inf])
    """
    values = np.where(candidate_flags(problem, candidates), problem.values, -np.inf)
    values.setflags(write=False)
    return replace(problem, table=values)


def independent_score(problem: Problem) -> float:
    """The score of the network without edges, Σ v({i})."""
    singles = [float(problem.values[1 << i]) for i in range(problem.n)]
    for name, value in zip(problem.variables, singles, strict=True):
        if not math.isfinite(value):
            raise InputError(
                f"The variable {name} alone scores {value}; every variable needs a finite score."
            )
    return math.fsum(singles)


def interaction_scores(problem: Problem) -> NDArray[np.float64]:
    """v' by mask; −∞ stays −∞, and sets of fewer than two variables have exactly 0.

    >>> from chordlearn.scores.table import ScoreTable
    >>> from chordlearn.problem.problem import make_problem
    >>> interaction_scores(make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2)))
    array([0. , 0. , 0. , 0.5])
    """
    singles = np.zeros(1 << problem.n, dtype=EXTENDED)
    for i in range(problem.n):
        singles[1 << i : 2 << i] = singles[: 1 << i] + problem.values[1 << i]
    interactions = (problem.values - singles).astype(np.float64)
    interactions[0] = 0.0
    interactions[1 << np.arange(problem.n)] = 0.0
    return interactions


def interaction_error(problem: Problem, interactions: NDArray[np.float64]) -> float:
    """No interaction score is off by more than this: two roundings, and those of sums in extended precision.

    >>> from chordlearn.scores.table import ScoreTable
    >>> from chordlearn.problem.problem import make_problem
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2))
    >>> interaction_error(problem, interaction_scores(problem)) < 1e-15
    True
    """
    allowed = np.isfinite(interactions)
    singles = math.fsum(abs(float(problem.values[1 << i])) for i in range(problem.n))
    summed = singles + float(np.abs(problem.values[allowed]).max())
    return 2 * UNIT_ROUNDOFF * float(np.abs(interactions[allowed]).max()) + _extended_error(problem.n, summed)


def _extended_error(n: int, summed: float) -> float:
    """Of a sum of at most n + 1 terms whose absolute values sum to this."""
    return float(np.finfo(EXTENDED).eps) * (n + 1) * summed


def model_error(problem: Problem, candidates: Candidates, encoding: str) -> float:
    """By how much the objective of a model with real weights may differ from the score of a network.

    Möbius weights of sets of at most k variables take k subtractions of sums of 2ᵏ scores at most, and a
    network with n variables has at most n·2ᵏ complete sets. Other weights are differences of a few scores.
    """
    interactions = interaction_scores(problem)[candidates.masks]
    largest = float(np.abs(interactions).max(initial=0.0))
    k = int(np.bitwise_count(candidates.masks).max(initial=0))
    per_network = k * 4.0**k if encoding == "edges" else 16.0
    singles = math.fsum(abs(float(problem.values[1 << i])) for i in range(problem.n))
    given = 2 * problem.n * _extended_error(problem.n, 2 * singles + largest)
    return UNIT_ROUNDOFF * (problem.n * per_network * largest + 4 * singles) + given


def candidate_flags(problem: Problem, candidates: Candidates) -> NDArray[np.bool_]:
    """For every mask whether it may be complete; the empty set may."""
    flags = np.zeros(1 << problem.n, dtype=np.bool_)
    flags[0] = True
    flags[candidates.masks] = True
    return flags


def moebius_weights(problem: Problem, candidates: Candidates) -> NDArray[np.float64]:
    """m(S) = Σ_{T⊆S} (−1)^{|S∖T|} v'(T) for every candidate, 0 for other sets and for singletons.

    A chordal graph scores Σ v({i}) + Σ m(S) over its complete sets S.
    """
    flags = candidate_flags(problem, candidates)
    weights = np.where(flags, interaction_scores(problem), 0.0)
    for i in range(problem.n):
        halves = weights.reshape(-1, 2, 1 << i)
        halves[:, 1] -= halves[:, 0]
    weights[~flags] = 0.0
    return weights


def minimal_forbidden(problem: Problem, candidates: Candidates) -> list[int]:
    """The sets that are no candidates although all their proper subsets are, rising.

    A graph whose complete sets avoid these has only candidates as complete sets.
    """
    flags = candidate_flags(problem, candidates)
    minimal = ~flags
    for i in range(problem.n):
        halves = minimal.reshape(-1, 2, 1 << i)
        halves[:, 1] &= flags.reshape(-1, 2, 1 << i)[:, 0]
    return [int(mask) for mask in np.flatnonzero(minimal)]
