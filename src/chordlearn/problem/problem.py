"""The learning problem: scores and constraints, ready for any solver."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Scorer
from chordlearn.errors import ContradictionError, InputError
from chordlearn.graphs import graph_from_edges, members, score_of, separators
from chordlearn.problem.constraints import Constraints, EdgeIndices, index_constraints
from chordlearn.scores.compute import ScoredData
from chordlearn.scores.table import ScoreTable, SparseScores

LARGEST_SCORE = 1e200
"""Of a set: sums of scores, and their products with factors, then stay far below the largest number."""
MOST_SCORED_VARIABLES = 25
"""With more, not all sets are scored."""
MOST_VARIABLES_OF_TABLE = 20
"""With so many a list of sets is made a table of all where somebody wants one; it takes 8 MB."""


class Incumbent(NamedTuple):
    """A network, by the bit masks of its maximal cliques, and its score."""

    score: float
    cliques: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise Σ v(cliques) − Σ v(separators) over the chordal graphs that the constraints allow.

    Its sets and their scores are a table of all sets where there are few variables, a list where few sets
    matter, or scored when asked for. Build one with :func:`make_problem`; ``restricted`` gives a smaller one.
    """

    scores: ScoreTable | SparseScores | ScoredData
    constraints: Constraints
    required: EdgeIndices
    """Edges that must be there, as index pairs (a < b)."""
    forbidden: EdgeIndices
    max_clique: int
    """Largest set that may be complete."""
    table: NDArray[np.float64] | None = field(default=None, repr=False)
    """Where all sets are scored, v by bit mask; −∞ marks sets that may not be complete, with supersets."""
    listed: Mapping[int, float] | None = field(default=None, repr=False)
    """Where the sets that may be complete are listed, v by bit mask; with a set all its subsets are there."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.scores.n

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables; bit i of every mask stands for the i-th."""
        return self.scores.variables

    @property
    def has_values(self) -> bool:
        """Whether there is a table of all sets, or can be one in no time."""
        return self.table is not None or (self.listed is not None and self.n <= MOST_VARIABLES_OF_TABLE)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The table of all sets, made from the list if need be."""
        if self.table is not None:
            return self.table
        assert self.listed is not None
        values = np.full(1 << self.n, -np.inf)
        values[list(self.listed)] = list(self.listed.values())
        values.setflags(write=False)
        return values

    @property
    def scorer(self) -> Scorer:
        """What scores sets where there is no table."""
        assert isinstance(self.scores, ScoredData)
        return self.scores.scorer

    def score_sets(self, masks: Sequence[int]) -> list[float]:
        """The scores of sets that the constraints allow; −∞ may stand for others."""
        if self.listed is not None:
            return [self.listed.get(mask, -math.inf) for mask in masks]
        if self.table is None:
            return self.scores.score_sets(masks)
        scores: list[float] = self.table[list(masks)].tolist()
        return scores

    def restricted(self, sets: Iterable[int]) -> Problem:
        """The problem in which only these sets, and the empty one, may be complete.

        They are given as bit masks, of any length. With a set all its subsets must be there; sets of which
        one is missing are left out, and so are those that the constraints exclude.

        >>> from chordlearn.data import read
        >>> from chordlearn.scores import BIC
        >>> problem = make_problem(ScoredData(read("heart"), BIC()))
        >>> sorted(problem.restricted([1, 2, 4, 8, 16, 32, 3, 7]).listed)
        [0, 1, 2, 3, 4, 8, 16, 32]
        """
        masks = [mask for mask in sets if mask]
        scores = dict(zip(masks, self.score_sets(masks), strict=True))
        return self._with_list(closed_list(scores, self.max_clique, self.forbidden))

    def with_scores(self, scores: Mapping[int, float]) -> Problem:
        """The problem in which exactly these sets may be complete, with these scores; subsets are there."""
        return self._with_list({0: 0.0, **scores})

    def _with_list(self, listed: Mapping[int, float]) -> Problem:
        largest = max(1, *map(int.bit_count, listed))
        return replace(self, max_clique=min(self.max_clique, largest), table=None, listed=listed)

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
    scores: ScoreTable | SparseScores | ScoredData,
    constraints: Constraints = Constraints(),  # noqa: B008
) -> Problem:
    """Combine scores and constraints, and refuse what contradicts itself at first sight.

    What is not in a list of scores may not be complete, nor may its supersets.

    >>> scores = {1: -1.0, 1 << 40: -2.0, 1 | 1 << 40: -2.5, 1 << 50: -1.0}
    >>> problem = make_problem(SparseScores(tuple(f"x{i}" for i in range(51)), scores))
    >>> problem.score((1 | 1 << 40, 1 << 50))
    -3.5
    """
    required, forbidden = index_constraints(scores.variables, constraints)
    stated = scores.n if constraints.max_clique is None else min(constraints.max_clique, scores.n)
    if isinstance(scores, ScoredData):
        return Problem(scores, constraints, required, forbidden, stated)
    _refuse_beyond_sums(scores)
    max_clique = min(stated, scores.max_size)
    if required and max_clique < 2:
        raise ContradictionError("An edge is required, but scores are given for single variables only.")
    if isinstance(scores, SparseScores):
        listed = closed_list(scores.values, max_clique, forbidden)
        return Problem(scores, constraints, required, forbidden, max_clique, listed=listed)
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


def _refuse_beyond_sums(scores: ScoreTable | SparseScores) -> None:
    if isinstance(scores, SparseScores):
        large = [mask for mask, value in scores.values.items() if LARGEST_SCORE < abs(value) < math.inf]
    else:
        large = np.flatnonzero(np.isfinite(scores.values) & (np.abs(scores.values) > LARGEST_SCORE)).tolist()
    if large:
        raise InputError(
            f"The set {', '.join(scores.names(large[0]))} scores {scores.values[large[0]]:g}, "
            f"and scores beyond {LARGEST_SCORE:g} cannot be added up; scale them down."
        )


def closed_list(scores: Mapping[int, float], max_clique: int, forbidden: EdgeIndices) -> dict[int, float]:
    """The sets that may be complete, by size: those that the constraints allow with all their subsets."""
    pairs = [1 << a | 1 << b for a, b in forbidden]
    closed = {0: 0.0}
    for mask in sorted(scores, key=lambda mask: (mask.bit_count(), mask)):
        if (
            0 < mask.bit_count() <= max_clique
            and scores[mask] > -math.inf
            and all(mask ^ 1 << i in closed for i in members(mask))
            and not any(mask & pair == pair for pair in pairs)
        ):
            closed[mask] = scores[mask]
    return closed


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
