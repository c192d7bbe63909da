"""The score of every set of variables, or of those that matter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.scores.accuracy import Accuracy


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """v(A) for every set A of at most ``max_size`` variables, as a dense array indexed by bit mask.

    Bit i of a mask stands for ``variables[i]``. Sets larger than ``max_size`` hold −∞: they may not be
    complete in a network. ``values[0]`` is 0.
    """

    variables: tuple[str, ...]
    values: NDArray[np.float64]
    """Shape (2**n,), read-only."""
    max_size: int
    function: Mapping[str, Any] = field(default_factory=lambda: {"name": "file", "parameters": {}})
    """Name and parameters of the score function, as they stand in the JSON result."""
    rows: float | None = None
    """Number of observations behind the scores; None when they come from a score file."""
    sha256: str = ""
    """Hash of the data, or of the score file's content."""
    source: str = "memory"
    options: dict[str, Any] = field(default_factory=dict)
    accuracy: Accuracy | None = None
    """By how much the scores may be off; None when they are given and count as exact."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.variables)

    def score_sets(self, masks: Iterable[int]) -> list[float]:
        """The scores of some sets, given as masks."""
        scores: list[float] = self.values[list(masks)].tolist()
        return scores

    def mask(self, names: Iterable[str]) -> int:
        """Bit mask of a set of variable names."""
        index = {name: i for i, name in enumerate(self.variables)}
        return sum(1 << index[name] for name in set(names))

    def names(self, mask: int) -> tuple[str, ...]:
        """Variable names of a bit mask, in the table's order."""
        return tuple(name for i, name in enumerate(self.variables) if mask >> i & 1)

    def __getitem__(self, names: Iterable[str]) -> float:
        """Score of a set of variable names."""
        return float(self.values[self.mask(names)])


@dataclass(frozen=True, eq=False)
class SparseScores:
    """v(A) for some sets A of any number of variables; others may not be complete in a network.

    >>> scores = SparseScores(("a", "b", "c"), {0b001: -1.0, 0b010: -2.0, 0b100: -1.0, 0b011: -2.5})
    >>> scores.max_size, scores.names(0b011)
    (2, ('a', 'b'))
    """

    variables: tuple[str, ...]
    values: Mapping[int, float]
    """By bit mask: bit i stands for ``variables[i]``."""
    accuracy: Accuracy | None = None
    """By how much the scores may be off; None when they are given and count as exact."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def max_size(self) -> int:
        """The size of the largest set."""
        return max(map(int.bit_count, self.values), default=0)

    def score_sets(self, masks: Iterable[int]) -> list[float]:
        """The scores of some sets, given as masks; −∞ where there is none."""
        return [self.values.get(mask, -math.inf) for mask in masks]

    def names(self, mask: int) -> tuple[str, ...]:
        """Variable names of a bit mask, in their order."""
        return tuple(name for i, name in enumerate(self.variables) if mask >> i & 1)
