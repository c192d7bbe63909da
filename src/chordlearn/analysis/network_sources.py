"""What probabilities of networks are taken from: sums over all of them, or networks that were drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec
import numpy as np

from chordlearn._core import NetworkDraws, NetworkSums
from chordlearn.analysis.chains import Agreement
from chordlearn.errors import InputError, option
from chordlearn.graphs import graph_from_cliques, reachable
from chordlearn.system.running import watch

DRAWN = 4000
"""So many networks are drawn for what has no formula."""

Cliques = tuple[int, ...]
"""Of a network, as bit masks."""


class Probability(msgspec.Struct, frozen=True):
    """A probability, by how much it may be off, and where it comes from."""

    value: float
    error: float
    """What rounding may have done to an exact one; one standard error of one from samples."""
    source: str
    """`exact` or `samples`."""

    def __float__(self) -> float:
        """The value alone."""
        return self.value


class Source(Protocol):
    """What probabilities are taken from."""

    method: str

    def log_evidence(self) -> tuple[float, float] | None:
        """The logarithm of the sum over all networks and its error; None if it is not known."""

    def pair(self, a: int, b: int) -> Probability:
        """That two variables are joined."""

    def complete(self, mask: int) -> Probability:
        """That a set is complete."""

    def separated(self, a: int, b: int, given: int) -> Probability:
        """That every path from a to b meets the given set."""

    def share(self, holds: Callable[[Cliques], bool]) -> Probability:
        """The share of networks of which something holds, among those drawn."""

    def networks(self, count: int, seed: int) -> list[Cliques]:
        """Networks that were drawn."""


class Sums:
    """All networks, summed."""

    method = "exact"

    def __init__(self, sums: NetworkSums, n: int) -> None:
        """Take the sums over networks of n variables."""
        self.sums, self.n = sums, n
        self._draws = NetworkDraws(sums)

    def log_evidence(self) -> tuple[float, float]:
        """The logarithm of the sum over all networks, and its error."""
        return self.sums.log_total

    def pair(self, a: int, b: int) -> Probability:
        """That two variables are joined."""
        return self.complete(1 << a | 1 << b)

    def complete(self, mask: int) -> Probability:
        """That a set is complete."""
        return Probability(*self.sums.complete(mask), "exact")

    def separated(self, a: int, b: int, given: int) -> Probability:
        """Exact where the given set is certain to be complete, or is all the others; else from draws."""
        everything = (1 << self.n) - 1
        if given | 1 << a | 1 << b == everything:
            joined = self.pair(a, b)
            return Probability(1 - joined.value, joined.error, "exact")
        if given.bit_count() <= 1 or self.complete(given).value == 1:
            return Probability(*self.sums.separated_by_complete(a, b, given), "exact")
        return self.share(lambda cliques: is_separated(self.n, cliques, a, b, given))

    def share(self, holds: Callable[[Cliques], bool]) -> Probability:
        """The share of networks of which something holds, among some thousand drawn."""
        return share_of(self.networks(DRAWN, 0), holds)

    def networks(self, count: int, seed: int) -> list[Cliques]:
        """Independent draws; the i-th depends on the seed and on i only."""
        run = watch(lambda control: self._draws.draw(seed, 0, count, control))
        if run.value is None:
            raise KeyboardInterrupt
        return [tuple(cliques) for cliques in run.value]


class Visited:
    """The networks that Markov chains visited."""

    method = "chain"

    def __init__(self, agreement: Agreement) -> None:
        """Take what the chains say."""
        self.agreement = agreement

    def log_evidence(self) -> None:
        """Chains do not know it."""

    def pair(self, a: int, b: int) -> Probability:
        """How much of the time two variables were joined."""
        place = b * (b - 1) // 2 + a
        return Probability(
            float(self.agreement.shares[place]), float(self.agreement.errors[place]), "samples"
        )

    def complete(self, mask: int) -> Probability:
        """The share of networks kept in which a set is complete."""
        return self.share(lambda cliques: any(mask & ~clique == 0 for clique in cliques))

    def separated(self, a: int, b: int, given: int) -> Probability:
        """The share of networks kept in which every path from a to b meets the given set."""
        n = self.agreement.n
        return self.share(lambda cliques: is_separated(n, cliques, a, b, given))

    def share(self, holds: Callable[[Cliques], bool]) -> Probability:
        """The share of networks kept of which something holds."""
        return share_of(self.agreement.networks, holds)

    def networks(self, count: int, seed: int) -> list[Cliques]:
        """Networks of those kept, chosen at random without repetition."""
        kept = self.agreement.networks
        if count > len(kept):
            raise InputError(
                f"The chains kept {len(kept)} networks, and {count} are asked for; "
                f"allow more time ({option('time_limit')}) or ask for fewer."
            )
        chosen = np.random.default_rng(seed).choice(len(kept), size=count, replace=False)
        return [kept[i] for i in sorted(chosen)]


def share_of(networks: Sequence[Cliques], holds: Callable[[Cliques], bool]) -> Probability:
    """The share of networks of which something holds, with its standard error if they are independent.

    >>> share_of([(1, 2), (3,)], lambda cliques: cliques == (3,))
    Probability(value=0.5, error=0.3535533905932738, source='samples')
    """
    count = len(networks)
    share = sum(map(holds, networks)) / count
    # With one more of each kind an error is never 0.
    smoothed = (share * count + 1) / (count + 2)
    return Probability(share, math.sqrt(smoothed * (1 - smoothed) / count), "samples")


def is_separated(n: int, cliques: Iterable[int], a: int, b: int, given: int) -> bool:
    """Whether every path from a to b meets the given set.

    >>> is_separated(3, [0b011, 0b110], 0, 2, 0b010), is_separated(3, [0b011, 0b110], 0, 2, 0)
    (True, False)
    """
    others = (1 << n) - 1 & ~given
    return not reachable(graph_from_cliques(n, cliques), 1 << a, others) >> b & 1
