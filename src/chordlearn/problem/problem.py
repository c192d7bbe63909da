"""The learning problem: scores and constraints, ready for any solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Scorer
from chordlearn.errors import ContradictionError, InputError
from chordlearn.graphs import graph_from_edges, members, score_of, separators
from chordlearn.problem.constraints import Constraints, EdgeIndices, index_constraints
from chordlearn.scores.scored_data import ScoredData
from chordlearn.scores.table import ScoreTable

LARGEST_SCORE = 1e200
"""Of a set: sums of scores, and their products with factors, then stay far below the largest number."""


class Incumbent(NamedTuple):
    """A network, by the bit masks of its maximal cliques, and its score."""

    score: float
    cliques: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise Σ v(cliques) − Σ v(separators) over the chordal graphs that the constraints allow.

    Where there are few variables all sets have their scores, in a table; else sets are scored when asked for.
    Build one with :func:`make_problem`.
    """

    scores: ScoreTable | ScoredData
    constraints: Constraints
    required: EdgeIndices
    """Edges that must be there, as index pairs (a < b)."""
    forbidden: EdgeIndices
    max_clique: int
    """Largest set that may be complete."""
    table: NDArray[np.float64] | None = field(default=None, repr=False)
    """Where all sets are scored, v by bit mask; −∞ marks sets that may not be complete, with supersets."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.scores.n

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables; bit i of every mask stands for the i-th."""
        return self.scores.variables

    @property
    def values(self) -> NDArray[np.float64]:
        """The table of all sets; there must be one."""
        assert self.table is not None
        return self.table

    @property
    def scorer(self) -> Scorer:
        """What scores sets where there is no table."""
        assert isinstance(self.scores, ScoredData)
        return self.scores.scorer

    def score_sets(self, masks: Sequence[int]) -> list[float]:
        """The scores of sets that the constraints allow; −∞ may stand for others."""
        if self.table is None:
            return self.scores.score_sets(masks)
        scores: list[float] = self.table[list(masks)].tolist()
        return scores

    def names(self, mask: int) -> tuple[str, ...]:
        """Names of the variables of a set."""
        return tuple(self.variables[i] for i in members(mask))

    def value(self, mask: int) -> float:
        """The score of one set."""
        return self.score_sets([mask])[0]

    def score(self, cliques: tuple[int, ...]) -> float:
        """The score of a network, given its maximal cliques."""
        return score_of(cliques, separators(cliques), self.value)

    def with_cliques_up_to(self, size: int) -> Problem:
        """The same problem where only networks without larger cliques count."""
        return make_problem(self.scores, replace(self.constraints, max_clique=size))


def make_problem(
    scores: ScoreTable | ScoredData,
    constraints: Constraints = Constraints(),  # noqa: B008
) -> Problem:
    """Combine scores and constraints, and refuse what contradicts itself at first sight."""
    required, forbidden = index_constraints(scores.variables, constraints)
    stated = scores.n if constraints.max_clique is None else min(constraints.max_clique, scores.n)
    if isinstance(scores, ScoredData):
        return Problem(scores, constraints, required, forbidden, stated)
    _refuse_beyond_sums(scores)
    max_clique = min(stated, scores.max_size)
    if required and max_clique < 2:
        raise ContradictionError("An edge is required, but scores are given for single variables only.")
    table = _close_upwards(scores.values, scores.n, max_clique, forbidden)
    return Problem(scores, constraints, required, forbidden, max_clique, table)


def supported_clique(problem: Problem) -> int:
    """How large cliques may be where the user does not say, and sets are scored as they are asked for.

    As large as the rows support, and always enough for the required edges.
    """
    assert isinstance(problem.scores, ScoredData)
    needed = _largest_filled(problem.n, problem.required)
    return min(max(problem.scores.supported_size, needed), problem.n)


def _largest_filled(n: int, edges: EdgeIndices) -> int:
    """The size of the largest clique of the graph, made chordal along an order of least degree."""
    left = {vertex: around for vertex, around in enumerate(graph_from_edges(n, edges)) if around}
    largest = 1
    while left:
        vertex = min(left, key=lambda i: left[i].bit_count())
        around = left.pop(vertex)
        largest = max(largest, around.bit_count() + 1)
        for other in members(around):
            left[other] = (left[other] | around) & ~(1 << other) & ~(1 << vertex)
    return largest


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
