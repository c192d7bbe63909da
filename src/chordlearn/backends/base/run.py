"""One run: the best network and the bound so far, what it may spend, and who looks on."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from chordlearn._core import Control
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Claim, Limits, Observer, Outcome, Scaling
from chordlearn.backends.base.tolerance import tolerance_of_network
from chordlearn.errors import FalseClaimError, InputError, option
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques
from chordlearn.parallel import Workers
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.constraints import allows
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.system.running import StopReason, watch

if TYPE_CHECKING:
    from chordlearn.bounds import Prices

T = TypeVar("T")
Edges = Iterable[tuple[int, int]]

SHORTEST_SECONDS = 0.001
"""Some solvers take 0 seconds for no limit."""
NEWS = 0.9
"""A gap that falls to so much of what it was is worth going on for."""
LONG_SECONDS = 10.0
"""So long without news is worth mentioning."""
GOOD_PART = 0.05
"""So is a long search of which so much more is done."""
SAME_SCORE = 1e-6
"""Relative; the score in a checkpoint may be a running sum."""


class RunStopped(Exception):  # noqa: N818
    """Ends a run early; ``reason`` says why."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Options:
    """What a caller asks of a backend; its capabilities say which of these it uses."""

    reduce: bool = True
    """Look for a network and exclude sets before the proof begins."""
    top: int = 1
    """How many of the best networks to list."""
    encoding: str | None = None
    """The constraint model; None for the backend's own choice."""
    starts: int = 1
    """From how many seeds to search."""
    prove: bool = False
    """Do not end without a proof before the time limit."""


class Run:
    """What every solver shares about one problem.

    Solvers offer networks and tighten the bound, from any thread; observers are called from the thread that
    made the run.
    """

    def __init__(
        self,
        problem: Problem,
        limits: Limits = Limits(),  # noqa: B008
        options: Options = Options(),
        *,
        observers: Sequence[Observer] = (),
        workers: Workers | None = None,
        start: Incumbent | None = None,
        state: Any = None,
    ) -> None:
        """A run that may begin with a network, and with the state in which a search was left."""
        self.problem = problem
        self.limits = limits
        self.options = options
        self.observers = list(observers)
        self.workers = workers
        """Who else helps."""
        self.deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self.best = start
        self.state = state
        """What a later run of the same search can go on from, besides the network."""
        self.bound = math.inf
        """No network scores more, if what solvers claim is true."""
        self.proved_bound = math.inf
        """No network scores more, by what was proved here."""
        self.claims: dict[int, Claim] = {}
        """What is known of networks with smaller cliques than they may have, by the largest."""
        self.candidates: Candidates | None = None
        self.prices: Prices | None = None
        """Of cuts, with what all families are worth by them, if a proof rests on them."""
        self.activity = ""
        """What goes on beside the search, in words."""
        self.seconds: dict[str, float] = {}
        """Of each stage."""
        self._gaps: dict[int | None, float] = {}
        self._share = 0.0
        self._since_news = Stopwatch()
        self._lock = threading.RLock()
        self._reported: tuple[str, float | None, float | None, str] | None = None

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, never quite 0; None without one."""
        return None if self.deadline is None else max(SHORTEST_SECONDS, self.deadline - time.monotonic())

    @property
    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def within(self, seconds: float) -> float:
        """The deadline (of time.monotonic) for what may take so long, if the time limit allows it."""
        return min(time.monotonic() + seconds, math.inf if self.deadline is None else self.deadline)

    @property
    def tolerance(self) -> float:
        """The bound meets the best network when it is at most this much larger."""
        return (
            DEFAULT_TOLERANCE if self.best is None else tolerance_of_network(self.problem, self.best.cliques)
        )

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets the best network."""
        # Written as in results, for at the very edge a sum and a difference may round to different sides.
        return self.best is not None and self.bound - self.best.score <= self.tolerance

    def offer(self, found: Incumbent | None) -> bool:
        """Take a network that was scored here as the best, if it is; says whether."""
        with self._lock:
            if found is None or (self.best is not None and found.score <= self.best.score):
                return False
            self.best = found
            self._since_news = Stopwatch()
            return True

    def offer_edges(self, name: str, edges: Edges) -> Incumbent:
        """Check and score a network that the solver of this name gave, and offer it."""
        try:
            found = checked_network(self.problem, edges)
        except ValueError as wrong:
            raise FalseClaimError(
                f"{name} gave a network that {wrong}, so its answers cannot be trusted."
            ) from None
        if self.offer(found):
            self.report("solving")
        return found

    def tighten(self, bound: float) -> None:
        """Learn a bound that was proved here."""
        with self._lock:
            self.bound = min(self.bound, bound)
            self.proved_bound = min(self.proved_bound, bound)
            if self.best is not None:
                self._note_gap(None, self.bound - self.best.score)

    def claim(self, largest: int, best: Incumbent, bound: float) -> None:
        """Learn of the best network found, and of a bound, among those whose cliques are no larger."""
        with self._lock:
            known = self.claims.get(largest)
            if known is not None:
                best, bound = max(best, Incumbent(known.score, known.cliques)), min(bound, known.bound)
            self.claims[largest] = Claim(largest, best.score, best.cliques, max(bound, best.score))
            self._note_gap(largest, bound - best.score)

    def note_share(self, share: float) -> None:
        """Learn how much of a long search is done; a good part more is news."""
        if not self._share <= share < self._share + GOOD_PART:
            self._share = share
            self._since_news = Stopwatch()

    @property
    def activity_in_words(self) -> str:
        """How far the proof has come, what goes on, and since when nothing has got better."""
        claims = list(self.claims.values())
        proved = [claim.largest for claim in claims if claim.bound - claim.score <= self.tolerance]
        parts = [f"proved for cliques of at most {max(proved)}"] if proved else []
        parts += [self.activity] if self.activity else []
        if self.seconds_without_news >= LONG_SECONDS:
            parts.append(f"no news for {self.seconds_without_news:.0f} s")
        return ", ".join(parts)

    def _note_gap(self, largest: int | None, gap: float) -> None:
        known = self._gaps.get(largest, math.inf)
        if gap < known and (gap <= self.tolerance < known or gap <= NEWS * known):
            self._gaps[largest] = gap
            self._since_news = Stopwatch()

    @property
    def seconds_without_news(self) -> float:
        """Seconds since there was a better network, a gap fell, or a long search got ahead by a good part."""
        return self._since_news.seconds

    def tighten_as_claimed(self, name: str, bound: float) -> None:
        """Learn the bound that the solver of this name claims; one below the best network is a lie."""
        floor = -math.inf if self.best is None else self.best.score
        if bound < floor - self.tolerance:
            raise FalseClaimError(
                f"{name} claims that no network scores more than {bound:.6f}, "
                f"but there is one with {floor:.6f}."
            )
        with self._lock:
            self.bound = min(self.bound, max(bound, floor))
        self.report("solving")

    def save_state(self, state: Any) -> None:
        """Keep the state of the search, for a later run to go on from."""
        with self._lock:
            self.state = state

    def report(self, stage: str, detail: str = "", *, again: bool = False) -> None:
        """Tell the observers how it goes, if there is anything new, or ``again``."""
        score = None if self.best is None else self.best.score
        bound = self.bound if math.isfinite(self.bound) else None
        news = (stage, score, bound, detail)
        if again or news != self._reported:
            self._reported = news
            for observer in self.observers:
                observer.progress(*news)

    def watch(
        self,
        stage: str,
        work: Callable[[Control], T],
        detail: Callable[[Control], str] = lambda _: "",
        *,
        deadline: float | None = None,
    ) -> T:
        """What work of the core gives, in time or not; raises ``RunStopped`` if it had nothing to give.

        Work that was stopped and has given something all the same also ends the run, at the next ``check``.
        """
        watched = watch(
            work,
            deadline=self.deadline if deadline is None else deadline,
            poll=lambda control: self.report(stage, detail(control), again=True),
        )
        if watched.value is None or watched.stopped_by is not None:
            self._keep(watched.value)
            raise RunStopped(watched.stopped_by or StopReason.INTERRUPTED)
        return watched.value

    def _keep(self, value: Any) -> None:
        """Networks that a search had found when it was stopped are not lost."""
        if isinstance(value, list):
            for found in value:
                self.offer(found if isinstance(found, Incumbent) else None)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count the seconds of a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    @contextmanager
    def resuming(self) -> Iterator[None]:
        """Where a search takes up the state of an earlier one: one that makes no sense is refused."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise InputError(
                f"The state of the search in the checkpoint cannot be taken up ({error}); "
                f"name another file, or leave {option('resume')} out."
            ) from None

    def part(self, problem: Problem, *observers: Observer) -> Run:
        """The run on a part of the problem, or on it with more scores, in the time that is left."""
        limits = Limits(self.seconds_left, self.limits.memory_bytes, self.limits.threads, self.limits.seed)
        return Run(problem, limits, self.options, observers=observers)

    def outcome(
        self,
        stopped_by: StopReason,
        *,
        tolerance: float | None = None,
        encoding: str | None = None,
        scaling: Scaling | None = None,
        details: Mapping[str, Any] | None = None,
        runners_up: Iterable[Incumbent] = (),
    ) -> Outcome:
        """The outcome of a run that ended for this reason."""
        figures: dict[str, Any] = ({"seconds": self.seconds} if self.seconds else {}) | dict(details or {})
        if self.candidates is not None:
            figures["candidates"] = self.candidates.as_json()
        if self.best is None:
            bound = -math.inf if stopped_by == StopReason.INFEASIBLE else self.bound
            return Outcome(
                None, -math.inf, bound, stopped_by, encoding=encoding, scaling=scaling, details=figures
            )
        return Outcome(
            self.best.cliques,
            self.best.score,
            max(self.bound, self.best.score),
            stopped_by,
            tolerance=self.tolerance if tolerance is None else tolerance,
            encoding=encoding,
            scaling=scaling,
            details=figures,
            runners_up=tuple((network.cliques, network.score) for network in runners_up),
            claims=self.consistent_claims(),
        )

    def broken_off(self, stopped_by: StopReason) -> Outcome | None:
        """What is known of a run that something ended from outside; None if it had no network yet."""
        if self.best is None:
            return None
        bound = max(self.proved_bound, self.best.score)
        claims = self.consistent_claims()
        return Outcome(self.best.cliques, self.best.score, bound, stopped_by, claims=claims)

    def consistent_claims(self) -> tuple[Claim, ...]:
        """The claims, where no smaller class has a better network or a worse bound than a larger one."""
        claims: list[Claim] = []
        best, bound = self.best, min(self.bound, math.inf)
        for largest in sorted(self.claims, reverse=True):
            claim = self.claims[largest]
            bound = min(bound, claim.bound)
            claims.append(replace(claim, bound=bound))
        for place, claim in reversed(list(enumerate(claims))):
            known = [Incumbent(claim.score, claim.cliques)]
            if place + 1 < len(claims):
                known.append(Incumbent(claims[place + 1].score, claims[place + 1].cliques))
            if best is not None and max(map(int.bit_count, best.cliques)) <= claim.largest:
                known.append(best)
            score, cliques = max(known)
            bound = max(claim.bound, score)
            claims[place] = replace(claim, score=score, cliques=cliques, bound=bound)
        return tuple(reversed(claims))


@runtime_checkable
class Follower(Observer, Protocol):
    """An observer that is shown the run itself, with its network and its claims, before it begins."""

    def follow(self, run: Run) -> None:
        """Called once."""


class Stopwatch:
    """Counts seconds; on a busy machine those in which this process was at work."""

    def __init__(self) -> None:
        self._start = _now()

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return min(now - then for now, then in zip(_now(), self._start, strict=True))


def _now() -> tuple[float, float]:
    """By the clock, and by the processor time of this process."""
    return time.monotonic(), time.process_time()


def checked_network(problem: Problem, edges: Edges, claimed: float | None = None) -> Incumbent:
    """A network by its edges, scored on the problem; raises ValueError if it is none that is allowed.

    It is also raised if the network does not score what a checkpoint claims.

    >>> import numpy as np
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2))
    >>> checked_network(problem, [(0, 1)])
    Incumbent(score=-2.5, cliques=(3,))
    """
    listed = [(int(a), int(b)) for a, b in np.asarray(list(edges)).reshape(-1, 2)]
    if any(not 0 <= end < problem.n for edge in listed for end in edge):
        raise ValueError("has a variable that is not there")
    graph = graph_from_edges(problem.n, listed)
    if not is_chordal(graph):
        raise ValueError("is not chordal")
    cliques = maximal_cliques(graph)
    score = problem.score(cliques) if allows(problem.constraints, problem.variables, cliques) else -math.inf
    if not math.isfinite(score):
        raise ValueError("breaks the constraints")
    if claimed is not None and not abs(score - claimed) <= SAME_SCORE * max(1.0, abs(score)):
        raise ValueError("does not score what the checkpoint says")
    return Incumbent(score, cliques)
