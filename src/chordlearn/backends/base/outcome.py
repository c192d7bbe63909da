"""What a backend gives back, and what limits it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from chordlearn.errors import ChordlearnError
from chordlearn.graphs import mask_of, members
from chordlearn.system.running import StopReason

DEFAULT_TOLERANCE = 1e-6
FINISHING = "finishing"
"""The stage that observers see when a run is over and its result is made."""


@dataclass(frozen=True)
class Limits:
    """What a backend may spend."""

    seconds: float | None = None
    memory_bytes: int | None = None
    threads: int = 1
    seed: int = 0


class Observer(Protocol):
    """Sees how a run goes, from the thread that called the backend."""

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Called when there is a new stage, a better network or a better bound."""


class SilentObserver:
    """An observer that ignores everything."""

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Scaling:
    """How integer scores were made from real ones and by how much a network's total may be off."""

    factor: float
    max_error: float


@dataclass(frozen=True)
class Claim:
    """What is known of the networks without larger cliques: the best one found, and a bound on all."""

    largest: int
    """No clique of these networks has more variables."""
    score: float
    cliques: tuple[int, ...]
    bound: float


@dataclass(frozen=True)
class Outcome:
    """The best network of a run with a valid bound, and why the run ended."""

    cliques: tuple[int, ...] | None
    """Bit masks of the maximal cliques; None when there is no network."""
    score: float
    """Score of the network on the real scores; −∞ without one."""
    bound: float
    """No network that the constraints allow scores more than this."""
    stopped_by: StopReason
    tolerance: float = DEFAULT_TOLERANCE
    """The bound meets the score when it is at most this much larger."""
    encoding: str | None = None
    scaling: Scaling | None = None
    failure: ChordlearnError | None = None
    """What went wrong, if the run ended for that; the network and the bound hold nevertheless."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Figures of the run (states, conflicts, …) for reports; plain JSON values."""
    runners_up: tuple[tuple[tuple[int, ...], float], ...] = ()
    """The next best networks (cliques, score) in falling order, when asked for."""
    claims: tuple[Claim, ...] = ()
    """About networks whose cliques are smaller than they may be, those with the smallest first."""

    def placed(self, positions: Sequence[int], n: int) -> Outcome:
        """The same among n variables: those of the outcome stand at these positions, the others alone.

        >>> Outcome((0b11,), -1.0, -1.0, StopReason.PROOF).placed([0, 2], 3).cliques
        (5, 2)
        """

        alone = tuple(1 << other for other in sorted(set(range(n)) - set(positions)))

        def place(cliques: tuple[int, ...]) -> tuple[int, ...]:
            moved = (mask_of(positions[member] for member in members(clique)) for clique in cliques)
            return (*moved, *alone)

        if self.cliques is None or len(positions) == n:
            return self
        runners_up = tuple((place(cliques), score) for cliques, score in self.runners_up)
        claims = tuple(replace(claim, cliques=place(claim.cliques)) for claim in self.claims)
        return replace(self, cliques=place(self.cliques), runners_up=runners_up, claims=claims)

    @property
    def status(self) -> str:
        """`optimal`, `feasible` or `none`."""
        if self.cliques is None:
            return "none"
        return "optimal" if self.gap <= self.tolerance else "feasible"

    @property
    def gap(self) -> float:
        """Bound minus score, never negative."""
        return max(0.0, self.bound - self.score) if math.isfinite(self.score) else math.inf
