"""Observers that remember networks from one run to the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.outcome import Observer
from chordlearn.problem.constraints import Constraints


@runtime_checkable
class Memory(Observer, Protocol):
    """An observer that keeps the best network and bound of a run, and may know those of an earlier one."""

    def remember(self, best: Incumbent, bound: float, state: Any = None) -> None:
        """Keep these, and with them the state of the search, if it can go on from one.

        May be called as often as one likes.
        """

    def recall(self) -> Incumbent | None:
        """The network to go on from, scored on this problem."""

    def recall_state(self) -> Any:
        """The state to go on from, as it was kept; None if there is only a network, or nothing."""


class LongMemory(Memory, Protocol):
    """A memory that gets every step of a long search, and keeps what is new of it."""

    def begin(
        self, kind: str, constraints: Constraints, score_sets: Callable[[list[int]], Iterable[float]]
    ) -> None:
        """Say what kind of search begins, for which networks, and how sets of variables are scored for it."""

    def examined(self, edges: Iterable[tuple[int, int]], claimed: float) -> Incumbent:
        """A network that was kept, scored anew; refused unless this run could have found it."""

    def remember_edges(
        self,
        score: float,
        edges: Callable[[], Iterable[tuple[int, int]]],
        *,
        bound: float = math.inf,
        state: Any = None,
    ) -> None:
        """Keep a network by its edges, which are asked for only if it is the best so far."""


def remember(observer: Observer, best: Incumbent | None, bound: float, state: Any = None) -> None:
    """Tell an observer that keeps networks what there is to keep."""
    if best is not None and isinstance(observer, Memory):
        observer.remember(best, bound, state)


def tell(observer: Observer, stage: str, best: Incumbent | None, bound: float, detail: str = "") -> None:
    """Keep the best network, then tell of it: Ctrl-C may come in between, and what was told is not lost."""
    remember(observer, best, bound)
    score = None if best is None else best.score
    observer.progress(stage, score, bound if math.isfinite(bound) else None, detail)


def recall(observer: Observer) -> Incumbent | None:
    """The network that an observer knows from an earlier run, if it is one that keeps networks."""
    return observer.recall() if isinstance(observer, Memory) else None


def recall_state(observer: Observer) -> Any:
    """The state that an observer knows from an earlier run of the same kind."""
    return observer.recall_state() if isinstance(observer, Memory) else None
