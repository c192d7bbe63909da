"""The learning problem for tables with too many variables to score all sets of them."""

from __future__ import annotations

from dataclasses import dataclass

from chordlearn.data.dataset import Dataset
from chordlearn.problem.constraints import Constraints, EdgeIndices, index_constraints
from chordlearn.scores.functions import ScoreFunction


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
