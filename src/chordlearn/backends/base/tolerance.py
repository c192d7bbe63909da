"""What sums of scores may be off by because numbers have 53 bits; a tolerance must not promise more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE
from chordlearn.graphs import separators
from chordlearn.problem.problem import Problem
from chordlearn.scores.accuracy import UNIT_ROUNDOFF


def rounding_of_network(problem: Problem, cliques: Sequence[int]) -> float:
    """No score of this network, however its cliques and separators are added up, is off by more.

    A sum of fewer than 2n terms in any order is off by less than 2n units of roundoff times the sum of their
    absolute values; twice that covers a bound as well.

    >>> import numpy as np
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1e3, -1e3, -1.5e3]), max_size=2))
    >>> 1e-13 < rounding_of_network(problem, [0b11]) < 1e-11
    True
    """
    terms = problem.score_sets([*cliques, *separators(tuple(cliques))])
    return 4 * problem.n * UNIT_ROUNDOFF * math.fsum(map(abs, terms))


def rounding_of_program(problem: Problem, best_parts: Iterable[float], score: float) -> float:
    """A dynamic program in doubles misses no network that is better than ``score`` by more than this.

    ``best_parts`` is the most that each variable can add to a network. A network with parts wᵢ that scores
    more than ``score`` has Σ|wᵢ| ≤ Σ|bestᵢ| + Σ bestᵢ − score, because each wᵢ is at most bestᵢ. Its value in
    the program is off by at most n + 1 roundings of sums no larger than that, be the parts w or, with
    singletons taken off, w − v({i}); and so is the value of the network that is taken for the best. Twice
    what that needs leaves room for multipliers, which change the parts of hard problems a little.
    """
    parts = list(best_parts)
    if not all(map(math.isfinite, parts)):
        return 0.0
    singles = math.fsum(map(abs, problem.score_sets([1 << i for i in range(problem.n)])))
    size = math.fsum(map(abs, parts)) + max(0.0, math.fsum(parts) - score)
    return 4 * (problem.n + 2) * UNIT_ROUNDOFF * (size + singles)


def tolerance_of_network(problem: Problem, cliques: Sequence[int]) -> float:
    """How far a bound may exceed the score of a network that is called optimal."""
    return max(DEFAULT_TOLERANCE, rounding_of_network(problem, cliques))


def indistinct(problem: Problem, cliques: Sequence[int], tolerance: float) -> float:
    """Two networks whose scores differ by less than this cannot be distinguished, this one and any other.

    That is the tolerance, or what the errors of the scores of both may come to, if that is more.
    """
    accuracy = problem.scores.accuracy
    if accuracy is None:
        return tolerance
    return max(tolerance, 2 * accuracy.of_network(cliques, separators(tuple(cliques))))
