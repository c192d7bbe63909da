"""The exact engine: search a good network, reduce, then prove by dynamic programming over what is left."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from typing import Any, TypeVar

import numpy as np

from chordlearn._core import Control, Relaxation, States, bytes_for_states
from chordlearn.backends.incumbent import Incumbent, find_incumbents
from chordlearn.backends.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome
from chordlearn.backends.registry import Availability
from chordlearn.errors import TooLargeError
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates, reduce_candidates
from chordlearn.scores.memory import available_bytes
from chordlearn.watching import MEMORY_LIMIT, watch

T = TypeVar("T")

STRICTLY_BETTER = 1e-8
"""Networks better by less than this (or by less than rounding may feign) are not looked for."""
EASY_STATES = 2_000_000
"""With more states than this a better start, or a guess between score and bound, is tried first."""


class Native:
    """Bound-pruned drop/add/split over complete sets."""

    name = "native"
    summary = "exact engine: local search, reduction, pruned dynamic program"
    exact = True

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, problem: Problem, limits: Limits, observer: Observer, **_options: Any) -> Outcome:
        """Find the best network and prove it, or give the best so far with a bound when a limit is met."""
        return _Run(problem, limits, observer).outcome()


class _Stop(Exception):  # noqa: N818
    """Ends a run early; its text is the reason."""


class _Run:
    """One run: what is known so far, and the steps that improve it."""

    def __init__(self, problem: Problem, limits: Limits, observer: Observer) -> None:
        self.problem = problem
        self.limits = limits
        self.observer = observer
        self.deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self.best: Incumbent | None = None
        self.bound = math.inf
        self.candidates: Candidates | None = None
        self.states = 0
        self.seconds: dict[str, float] = {}
        self.memory = available_bytes() if limits.memory_bytes is None else float(limits.memory_bytes)

    def outcome(self) -> Outcome:
        """Run to the proof or to the first limit."""
        self._refuse_too_large()
        stopped_by = "proof"
        try:
            self._search(effort=1)
            self._prove()
        except _Stop as stop:
            stopped_by = str(stop)
        details: dict[str, Any] = {"states": self.states, "seconds": self.seconds}
        if self.candidates is not None:
            details["candidates"] = self.candidates.as_json()
        if self.best is None:
            if stopped_by == "proof":
                return Outcome(None, -math.inf, -math.inf, "infeasible", details=details)
            return Outcome(None, -math.inf, self.bound, stopped_by, details=details)
        return Outcome(
            self.best.cliques,
            self.best.score,
            max(self.bound, self.best.score),
            stopped_by,
            tolerance=max(DEFAULT_TOLERANCE, 2 * self._margin()),
            details=details,
        )

    def _refuse_too_large(self) -> None:
        needed = Relaxation.bytes_needed(self.problem.n)
        if needed > self.memory:
            fits = max(
                n for n in range(1, self.problem.n) if Relaxation.bytes_needed(n) <= max(self.memory, 1e6)
            )
            raise TooLargeError(
                f"The exact engine needs {needed / 1e9:.1f} GB for the bounds of {self.problem.n} variables "
                f"and {self.memory / 1e9:.1f} GB may be used; keep at most {fits} columns (--columns, --drop), "
                "or use --backend search."
            )

    def _search(self, effort: int) -> None:
        starts = () if self.best is None else (self.best,)
        with self._stage("search"):
            found = self._watch(
                "searching",
                lambda control: find_incumbents(
                    self.problem, self.limits, control, effort=effort, starts=starts
                ),
            )
        if found:
            self._offer(found[0])

    def _prove(self) -> None:
        relaxation = self._reduce(self._lower())
        if relaxation.kept == 0:
            return
        states = self._count(relaxation, self._most_states())
        if not states.complete or states.count > EASY_STATES:
            if self.best is not None:
                self._search(effort=4)
                if self._guess(relaxation):
                    return
            relaxation.tighten(self._lower(), Control())
            states = self._count(relaxation, self._most_states())
            if not states.complete:
                raise _Stop(MEMORY_LIMIT)
        self._solve(relaxation, states)

    def _reduce(self, lower: float) -> Relaxation:
        with self._stage("reduce"):
            candidates = self._watch(
                "reducing",
                lambda control: reduce_candidates(
                    self.problem, lower, threads=self.limits.threads, control=control
                ),
            )
        self.candidates = candidates
        assert candidates.relaxation is not None
        self._learn_bound(max(candidates.bound, lower))
        return candidates.relaxation

    def _guess(self, relaxation: Relaxation) -> bool:
        """Look for networks above guesses between bound and score, which needs fewer states.

        A network found above a guess is optimal; when there is none, the guess is a better bound.
        """
        assert self.best is not None
        kept = relaxation.snapshot()
        lower, upper = self._lower(), self.bound
        most = EASY_STATES
        for share in (0.5, 0.75, 0.9):
            guess = upper - share * (upper - lower)
            relaxation.restore(kept)
            with self._stage("reduce"):
                self._watch("reducing", partial(relaxation.tighten, guess))
            states = self._count(relaxation, most)
            if not states.complete:
                break
            score_before = self.best.score
            self._solve(relaxation, states)
            if self.best.score > score_before:
                return True
        relaxation.restore(kept)
        return False

    def _count(self, relaxation: Relaxation, most: int) -> States:
        with self._stage("count"):
            states = self._watch("listing states", lambda control: relaxation.states(most, control))
        self.states = states.count
        return states

    def _solve(self, relaxation: Relaxation, states: States) -> None:
        """Find the best network above the relaxation's lower bound, or show that there is none."""
        with self._stage("solve"):
            score, cliques = self._watch(
                "solving",
                lambda control: relaxation.solve(states, self.limits.threads, control),
                lambda control: f"{control.done} of {self.states} states",
            )
        if math.isfinite(score):
            self._offer(Incumbent(score, tuple(cliques)))
        self._learn_bound(max(score, relaxation.lower))

    def _most_states(self) -> int:
        free = self.memory - Relaxation.bytes_needed(self.problem.n)
        return max(1000, int(free / bytes_for_states(1)))

    def _margin(self) -> float:
        size = 0.0 if self.best is None else abs(self.best.score)
        return max(STRICTLY_BETTER, 8 * self.problem.n * size * 2.0**-53)

    def _lower(self) -> float:
        """Networks scoring at most this are of no interest."""
        return _below_all(self.problem) if self.best is None else self.best.score + self._margin()

    def _offer(self, network: Incumbent) -> None:
        if self.best is None or network.score > self.best.score:
            self.best = network
            self._tell("searching")

    def _learn_bound(self, bound: float) -> None:
        self.bound = min(self.bound, bound)
        self._tell("reducing")

    def _tell(self, stage: str, detail: str = "") -> None:
        bound = self.bound if math.isfinite(self.bound) else None
        self.observer.progress(stage, None if self.best is None else self.best.score, bound, detail)

    def _watch(
        self, stage: str, work: Callable[[Control], T], detail: Callable[[Control], str] = lambda _: ""
    ) -> T:
        run = watch(work, deadline=self.deadline, poll=lambda control: self._tell(stage, detail(control)))
        if run.stopped_by is not None:
            if isinstance(run.value, list) and run.value and isinstance(run.value[0], Incumbent):
                self._offer(run.value[0])
            raise _Stop(run.stopped_by)
        assert run.value is not None
        return run.value

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def _below_all(problem: Problem) -> float:
    """Less than any network can score: every variable with its worst parents."""
    total = 0.0
    for i in range(problem.n):
        halves = problem.values.reshape(-1, 2, 1 << i)
        with np.errstate(invalid="ignore"):
            gains = halves[:, 1] - halves[:, 0]
        total += float(np.min(gains[np.isfinite(gains)], initial=0.0))
    return total - 1.0
