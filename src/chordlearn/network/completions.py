"""What rows with missing values are expected to hold, by a network: whole rows with fractions for weights.

Each row with gaps becomes its completions, weighted by their probabilities given what the row has. So the
counts of any set of variables in these rows are the expected counts, exactly but for the rounding of weights.
Rows with so many completions that they cannot be listed become a few that are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.dataset import Dataset
from chordlearn.data.distinct import deduplicated
from chordlearn.data.fractions import finest_unit, of_units
from chordlearn.network import rowwise
from chordlearn.network.fitted import FittedNetwork

MOST_COMPLETIONS = 256
"""Of a row; of rows with more, some are drawn."""
MOST_ROWS = 1 << 19
"""In all; with more the limit for each row is lower."""
DRAWS = 32
"""Completions drawn of a row."""
UNITS = 2.0**31
"""That weights sum to: counts in 32 bits, which are scored quickest."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """What rows are expected to hold, by a network."""

    rows: Dataset
    """Whole rows; the weights of all completions of a row sum to the weight of the row."""
    log_likelihood: float
    """Of what the rows have, without their gaps, by that network."""


def whole_rows(network: FittedNetwork, data: Dataset) -> Dataset:
    """The rows, or those that a network expects if values are missing."""
    if not data.has_gaps:
        return data
    return Completions(data.select(network.variables)).expected(network).rows


class Completions:
    """The completions of rows with gaps, listed once for all networks.

    >>> import chordlearn as cl
    >>> data = cl.read({"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", None]}, missing="em")
    >>> coins = cl.ChordalNetwork.from_cliques("ab", ["a", "b"], data.states)
    >>> network = FittedNetwork(coins, (np.array([0.5, 0.5]), np.array([0.25, 0.75])))
    >>> expected = Completions(data).expected(network).rows
    >>> expected.codes.tolist(), expected.weights.tolist()
    ([[0, 0], [1, 0], [1, 1]], [2.0, 0.25, 1.75])
    """

    def __init__(self, data: Dataset, seed: int = 0) -> None:
        """List the completions of as many rows as can be; the others are drawn with this seed."""
        self.data, self.seed = data, seed
        sizes = np.array(data.arities, dtype=np.float64)
        codes = np.asarray(data.codes, dtype=np.int32)
        gaps = codes < 0
        counts = np.where(gaps, sizes, 1.0).prod(axis=1)
        most = MOST_COMPLETIONS
        while counts[counts <= most].sum() > max(MOST_ROWS, len(codes)):
            most //= 2
        listed = np.flatnonzero(counts <= most)
        self.drawn = np.flatnonzero(counts > most)
        self.starts = np.cumsum(counts[listed], dtype=np.int64) - counts[listed].astype(np.int64)
        self.home = np.repeat(np.arange(len(listed)), counts[listed].astype(np.int64))
        self.codes = _listed(codes[listed], self.home, self.starts, data.arities)
        unit = min(data.unit, finest_unit(float(data.rows), UNITS))
        self.unit = unit
        units = np.rint(data.weights / unit).astype(np.int64)
        self.units, self.units_drawn = units[listed], units[self.drawn]

    @property
    def weight_drawn(self) -> float:
        """How many observations have too many completions to list."""
        return float(self.units_drawn.sum() * self.unit)

    def expected(self, network: FittedNetwork) -> Expectation:
        """The expected rows by a network on the same variables and states."""
        units, total = self._weighed(rowwise.log_likelihoods(network.forest, np.asfortranarray(self.codes)))
        codes = self.codes
        if len(self.drawn):
            more, weights, likelihood = self._draw(network)
            codes, units, total = (
                np.concatenate([codes, more]),
                np.concatenate([units, weights]),
                total + likelihood,
            )
        kept = units > 0
        distinct, merged = deduplicated(list(codes[kept].T), self.data.arities, units[kept])
        rows = Dataset(self.data.variables, self.data.states, distinct, of_units(merged, self.unit))
        return Expectation(rows, total)

    def _weighed(self, logs: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
        """The units of each completion that is listed, and the log-likelihood of their rows."""
        if not len(self.starts):
            return np.empty(0, dtype=np.int64), 0.0
        top = np.maximum.reduceat(logs, self.starts)
        shares = np.exp(logs - top[self.home])
        sums = np.add.reduceat(shares, self.starts)
        of_rows = top + np.log(sums)
        exact = shares / sums[self.home] * self.units[self.home]
        units = np.floor(exact).astype(np.int64)
        # What rounding leaves goes to the most probable one, so that a row counts as before.
        left = self.units - np.add.reduceat(units, self.starts)
        best = np.lexsort((-logs, self.home))[self.starts]
        units[best] += left
        return units, float(of_rows @ self.units) * self.unit

    def _draw(self, network: FittedNetwork) -> tuple[NDArray[np.int32], NDArray[np.int64], float]:
        """Completions of the other rows, always by the same random numbers."""
        gaps = np.asfortranarray(self.data.codes[self.drawn], dtype=np.int32)
        likelihood = rowwise.log_likelihoods(network.forest, gaps)
        rng = np.random.default_rng(self.seed)
        whole, _ = rowwise.completed(network.forest, np.asfortranarray(np.repeat(gaps, DRAWS, axis=0)), rng)
        share, rest = np.divmod(self.units_drawn, DRAWS)
        units = share[:, None] + (np.arange(DRAWS) < rest[:, None])
        return whole, units.ravel(), float(likelihood @ self.units_drawn) * self.unit


def _listed(
    codes: NDArray[np.int32], home: NDArray[np.int64], starts: NDArray[np.int64], sizes: tuple[int, ...]
) -> NDArray[np.int32]:
    """Every completion of every row: the number of a completion among those of its row is its codes."""
    number = np.arange(len(home)) - starts[home]
    found = codes[home]
    for column, size in enumerate(sizes):
        gap = found[:, column] < 0
        number[gap], found[gap, column] = np.divmod(number[gap], size)
    return found
