"""Several networks on the same variables, taken together as one distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.network.answering import Answering, Names
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.distribution import Distribution
from chordlearn.network.evidence import Given
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.parameters import Estimation
from chordlearn.network.propagation import Table, log_sum
from chordlearn.network.rowwise import Codes


@dataclass(frozen=True, eq=False, repr=False)
class AveragedNetwork(Answering):
    """The mean of the distributions of several networks, weighted.

    It answers what a :class:`FittedNetwork` answers, but has no one graph.

    >>> import chordlearn as cl
    >>> averaged = cl.posterior("heart").average(100, seed=1)
    >>> averaged.query("P(smoke | systol=y)")
    <Distribution of smoke: n: 0.486688 | y: 0.513312>
    """

    networks: tuple[FittedNetwork, ...]
    shares: tuple[float, ...]
    """The weight of each network; together 1."""

    @property
    def structure(self) -> ChordalNetwork:  # type: ignore[override]
        """The first of the networks, for its variables and states."""
        return self.networks[0].structure

    @property
    def estimation(self) -> Estimation:  # type: ignore[override]
        """How the tables were made."""
        return self.networks[0].estimation

    def joint(self, variables: Names, given: Given | None = None) -> Distribution:
        """The joint distribution of some variables, given evidence."""
        weights = self._weights(given)
        possible = [(w, network) for w, network in zip(weights, self.networks, strict=True) if w > 0]
        answers = [network.joint(variables, given) for _, network in possible]
        table: Table = np.sum(
            [w * answer.probabilities for (w, _), answer in zip(possible, answers, strict=True)], axis=0
        )
        return Distribution(answers[0].variables, answers[0].states, table)

    def log_likelihoods(self, codes: Codes) -> Table:
        """The logarithm of the probability of rows of codes, in which −1 stands for what is not known."""
        return log_sum(self._logs_of_rows(codes), (0,))

    def posteriors(self, codes: Codes, place: int) -> Table:
        """P(variable | all else) for rows of codes, a column per state; NaN where the row is impossible."""
        others = codes.copy()
        others[:, place] = -1
        # A network counts by how probable it makes what is known.
        logs = self._logs_of_rows(others)
        with np.errstate(invalid="ignore"):
            weights = np.exp(logs - logs.max(axis=0))
        found: Table = np.zeros((len(codes), len(self.states[place])))
        for network, weight in zip(self.networks, weights, strict=True):
            found += np.where(weight[:, None] > 0, weight[:, None] * network.posteriors(codes, place), 0.0)
        with np.errstate(invalid="ignore"):
            shares: Table = found / found.sum(axis=1, keepdims=True)
        return shares

    def sample_codes(
        self, n: int, *, given: Given | None = None, seed: int | None = None
    ) -> NDArray[np.int32]:
        """Draw rows as codes: positions in the lists of states."""
        if n <= 0:
            return self.networks[0].sample_codes(n, given=given, seed=seed)
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(n, self._weights(given))
        drawn = [
            network.sample_codes(int(count), given=given, seed=int(rng.integers(1 << 62)))
            for network, count in zip(self.networks, counts, strict=True)
            if count
        ]
        return np.asfortranarray(rng.permutation(np.concatenate(drawn)))

    def __repr__(self) -> str:
        return f"<AveragedNetwork: {len(self.variables)} variables, {len(self.networks)} networks>"

    def _log_probability(self, given: Given | None) -> float:
        return float(log_sum(self._logs(given), (0,)))

    def _logs(self, given: Given | None) -> Table:
        """Of each network's share times the probability of evidence in it."""
        return np.log(self.shares) + [network._log_probability(given) for network in self.networks]

    def _weights(self, given: Given | None) -> Table:
        """Of each network when something is known."""
        weights = np.exp(self._logs(given) - self.log_probability(given))
        return np.asarray(weights / weights.sum())

    def _logs_of_rows(self, codes: Codes) -> Table:
        logs = np.array([network.log_likelihoods(codes) for network in self.networks])
        return logs + np.log(self.shares)[:, None]
