"""The learning problem: scores and constraints, ready for any solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import ContradictionError, InputError
from chordlearn.problem.constraints import Constraints, EdgeIndices, index_constraints
from chordlearn.scores.table import ScoreTable

LARGEST_SCORE = 1e200
"""Of a set: sums of scores, and their products with factors, then stay far below the largest number."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise Σ v(cliques) − Σ v(separators) over the chordal graphs that the constraints allow.

    Build one with :func:`make_problem`.
    """

    scores: ScoreTable
    constraints: Constraints
    values: NDArray[np.float64]
    """v by bit mask; −∞ marks the sets that may not be complete, and with a set all its supersets."""
    required: EdgeIndices
    """Edges that must be there, as index pairs (a < b)."""
    max_clique: int
    """Largest set that may be complete."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.scores.n

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables; bit i of every mask stands for the i-th."""
        return self.scores.variables


def make_problem(scores: ScoreTable, constraints: Constraints = Constraints()) -> Problem:  # noqa: B008
    """Combine scores and constraints, and refuse what contradicts itself at first sight."""
    required, forbidden = index_constraints(scores.variables, constraints)
    _refuse_beyond_sums(scores)
    largest = constraints.max_clique
    max_clique = scores.max_size if largest is None else min(largest, scores.max_size)
    if required and max_clique < 2:
        raise ContradictionError("An edge is required, but scores are given for single variables only.")
    values = _close_upwards(scores.values, scores.n, max_clique, forbidden)
    return Problem(scores, constraints, values, required, max_clique)


def _refuse_beyond_sums(scores: ScoreTable) -> None:
    too_large = np.isfinite(scores.values) & (np.abs(scores.values) > LARGEST_SCORE)
    if too_large.any():
        mask = int(np.argmax(too_large))
        raise InputError(
            f"The set {', '.join(scores.names(mask))} scores {scores.values[mask]:g}, "
            f"and scores beyond {LARGEST_SCORE:g} cannot be added up; scale them down."
        )


def _close_upwards(
    values: NDArray[np.float64], n: int, max_clique: int, forbidden: EdgeIndices
) -> NDArray[np.float64]:
    """Spread −∞ to supersets: a set that may not be complete cannot be inside a complete one."""
    impossible = np.isneginf(values)
    if max_clique == n and not forbidden and not impossible.any():
        return values
    closed = np.array(values, dtype=np.float64)
    if impossible.any():
        for i in range(n):
            halves = impossible.reshape(-1, 2, 1 << i)
            halves[:, 1] |= halves[:, 0]
        closed[impossible] = -np.inf
    if max_clique < n:
        closed[np.bitwise_count(np.arange(len(closed), dtype=np.uint32)) > max_clique] = -np.inf
    for a, b in forbidden:
        # Axes from the highest variable to the lowest; both of the pair present.
        every = closed.reshape((2,) * n)
        every[tuple(1 if n - 1 - axis in (a, b) else slice(None) for axis in range(n))] = -np.inf
    closed.setflags(write=False)
    return closed
