"""The weights that constraint models maximise, made from the scores.

Interaction scores v'(A) = v(A) − Σ v({i}) are small, and 0 for singletons: a network scores
Σ v({i}) + Σ v'(cliques) − Σ v'(separators).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import InputError
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates


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
    singles = np.zeros(1 << problem.n)
    for i in range(problem.n):
        singles[1 << i : 2 << i] = singles[: 1 << i] + problem.values[1 << i]
    interactions = problem.values - singles
    interactions[0] = 0.0
    interactions[1 << np.arange(problem.n)] = 0.0
    return interactions


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
