"""A data set whose sets of variables are scored as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chordlearn._core import Scorer
from chordlearn.data.dataset import Dataset
from chordlearn.errors import InputError
from chordlearn.graphs import members
from chordlearn.scores.accuracy import Accuracy, accuracy_of
from chordlearn.scores.functions import CustomScore, ScoreFunction

SMALLEST_LIMIT, LARGEST_LIMIT = 3, 10


def make_scorer(dataset: Dataset, function: ScoreFunction) -> Scorer:
    """The compiled scorer of single sets, for tables with too many variables to score all sets of them."""
    if isinstance(function, CustomScore):
        raise InputError(
            "A score function written in Python cannot run in the compiled core; choose one by name."
        )
    codes = np.ascontiguousarray(dataset.codes, dtype=np.int32)
    weights = np.ascontiguousarray(dataset.weights, dtype=np.int64)
    try:
        return Scorer(
            codes,
            weights,
            list(dataset.arities),
            function.name,
            function.core_parameter(),
            function.edge_prior,
        )
    except ValueError as error:
        raise InputError(f"The data cannot be scored because {error}.") from None


@dataclass(frozen=True, eq=False)
class ScoredData:
    """A data set with its score function, and their compiled scorer, which each process makes for itself."""

    dataset: Dataset
    function: ScoreFunction

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables; bit i of every mask stands for the i-th."""
        return self.dataset.variables

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.dataset.variables)

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer, made when it is first asked for."""
        return make_scorer(self.dataset, self.function)

    @cached_property
    def accuracy(self) -> Accuracy | None:
        """By how much the scores may be off."""
        return accuracy_of(self.dataset, self.function)

    def score_sets(self, masks: Iterable[int]) -> list[float]:
        """The scores of some sets, given as masks.

        >>> from chordlearn.data import read
        >>> from chordlearn.scores import BIC
        >>> [round(score, 1) for score in ScoredData(read("heart"), BIC()).score_sets([0b1, 0b11])]
        [-1278.1, -2534.7]
        """
        scores: list[float] = self.scorer.sets([list(members(mask)) for mask in masks]).tolist()
        return scores

    @property
    def supported_size(self) -> int:
        """How large cliques may be for the rows to say anything about them: 3 to 10 variables.

        So many of the variables with the fewest states have no more joint states than there are rows.

        >>> from chordlearn.data import read
        >>> from chordlearn.scores import BIC
        >>> ScoredData(read("econ"), BIC()).supported_size  # 665 rows, 8 variables with two states each
        8
        """
        states, supported = 1, 0
        for arity in sorted(arity for arity in self.dataset.arities if arity > 1):
            states *= arity
            if states > self.dataset.rows:
                break
            supported += 1
        return min(max(supported, SMALLEST_LIMIT), LARGEST_LIMIT)

    def __reduce__(self) -> tuple[Any, ...]:
        """The scorer does not travel."""
        return ScoredData, (self.dataset, self.function)
