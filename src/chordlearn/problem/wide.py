"""The learning problem for tables with too many variables to score all sets of them."""

from __future__ import annotations

from dataclasses import dataclass

from chordlearn.data.dataset import Dataset
from chordlearn.graphs import graph_from_edges, members
from chordlearn.problem.constraints import Constraints, EdgeIndices, index_constraints
from chordlearn.scores.functions import ScoreFunction

SMALLEST_LIMIT, LARGEST_LIMIT = 3, 10


@dataclass(frozen=True, eq=False)
class WideProblem:
    """Data, score function and constraints; sets are scored as they are needed.

    Build one with :func:`make_wide_problem`.
    """

    dataset: Dataset
    function: ScoreFunction
    constraints: Constraints
    required: EdgeIndices
    forbidden: EdgeIndices

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.dataset.variables)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables; bit i of every mask stands for the i-th."""
        return self.dataset.variables


def make_wide_problem(dataset: Dataset, function: ScoreFunction, constraints: Constraints) -> WideProblem:
    """Combine data and constraints, and refuse what contradicts itself at first sight."""
    required, forbidden = index_constraints(dataset.variables, constraints)
    return WideProblem(dataset, function, constraints, required, forbidden)


def default_max_clique(dataset: Dataset, required: EdgeIndices = ()) -> int:
    """How large cliques may be where the user does not say: no larger than the rows can tell anything about.

    So many of the variables with the fewest states have no more joint states than there are rows; at least 3
    and at most 10 variables, and always enough for the required edges.

    >>> from chordlearn.data import read
    >>> default_max_clique(read("econ"))  # 665 rows, 8 variables with two states each
    8
    """
    states, supported = 1, 0
    for arity in sorted(arity for arity in dataset.arities if arity > 1):
        states *= arity
        if states > dataset.rows:
            break
        supported += 1
    needed = _largest_filled(len(dataset.variables), required)
    return max(min(max(supported, SMALLEST_LIMIT), LARGEST_LIMIT), needed)


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
