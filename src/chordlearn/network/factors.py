"""Products, sums and maxima of tables in log space.

A factor is a table of logarithms over some variables, for many rows at once: its first axis is the row,
or has length 1 if all rows share the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.network.directed import Positions, Table


@dataclass(frozen=True, eq=False)
class Factor:
    """Logarithms over the variables at some rising positions."""

    variables: Positions
    logs: Table
    """Shape (rows or 1, *states of the variables)."""

    def times(self, other: Factor) -> Factor:
        """The product, over the variables of both."""
        union = tuple(sorted({*self.variables, *other.variables}))
        return Factor(union, self._spread(union) + other._spread(union))

    def over(self, other: Factor) -> Factor:
        """The quotient by a factor whose zeros are zeros of this one too, where 0/0 is 0."""
        divisor = other._spread(self.variables)
        return Factor(self.variables, self.logs - np.where(np.isneginf(divisor), 0.0, divisor))

    def summed_onto(self, kept: Positions) -> Factor:
        """The sum over all variables but these."""
        axes = self._axes_without(kept)
        return Factor(self._common(kept), log_sum(self.logs, axes)) if axes else self

    def maximum_onto(self, kept: Positions) -> Factor:
        """The maximum over all variables but these."""
        axes = self._axes_without(kept)
        return Factor(self._common(kept), self.logs.max(axis=axes)) if axes else self

    def restricted(self, observed: Positions, codes: NDArray[np.int32]) -> Factor:
        """The part that agrees with each row's codes of the observed variables (one column each)."""
        here = [position for position in self.variables if position in observed]
        if not here:
            return self
        hidden = tuple(position for position in self.variables if position not in observed)
        order = [self.variables.index(position) for position in (*here, *hidden)]
        table = self.logs[0].transpose(order)
        columns = [codes[:, observed.index(position)] for position in here]
        sizes = table.shape[: len(here)]
        return Factor(hidden, table.reshape(-1, *table.shape[len(here) :])[flat_index(columns, sizes)])

    def matrix(self, rows: Positions) -> Table:
        """Shape (rows or 1, states of ``rows``, states of the other variables), both flattened."""
        others = tuple(position for position in self.variables if position not in rows)
        order = [1 + self.variables.index(position) for position in (*rows, *others)]
        moved = self.logs.transpose([0, *order])
        count = int(np.prod(moved.shape[1 : 1 + len(rows)], dtype=np.int64))
        return moved.reshape(moved.shape[0], count, -1)

    def _common(self, kept: Positions) -> Positions:
        return tuple(position for position in self.variables if position in kept)

    def _axes_without(self, kept: Positions) -> tuple[int, ...]:
        return tuple(axis for axis, position in enumerate(self.variables, 1) if position not in kept)

    def _spread(self, variables: Positions) -> Table:
        """With an axis of length 1 for each variable that it lacks."""
        sizes = dict(zip(self.variables, self.logs.shape[1:], strict=True))
        return self.logs.reshape(self.logs.shape[0], *(sizes.get(position, 1) for position in variables))


def log_sum(logs: Table, axes: tuple[int, ...]) -> Table:
    """log Σ exp over some axes, without overflow; −∞ where all terms are.

    >>> log_sum(np.log(np.array([[0.25, 0.5]])), (1,)).round(6)
    array([-0.287682])
    """
    top = logs.max(axis=axes, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=axes)) + np.squeeze(top, axis=axes))


def flat_index(columns: Sequence[NDArray[np.integer]], sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Each row's place in a table of these sizes that is stored row by row.

    >>> flat_index([np.array([1, 0]), np.array([2, 1])], (2, 3))
    array([5, 1])
    """
    index = columns[0].astype(np.int64)
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        index *= size
        index += column
    return index
