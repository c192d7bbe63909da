"""What a run knows so far: the best network, checked and scored by us, and a bound."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chordlearn.backends.base.incumbents import Incumbent, find_incumbents
from chordlearn.backends.base.observers import recall, remember
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome, Scaling
from chordlearn.backends.base.preparation import prepare
from chordlearn.backends.base.ties import Ties, settle
from chordlearn.backends.base.tolerance import indistinct, tolerance_of_network
from chordlearn.errors import FalseClaimError
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, score_of, separators
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.running import INTERRUPTED, watch

PROOF = "proof"
INFEASIBLE = "infeasible"
CHECK_SECONDS = 2.0


class Standing:
    """The best network and the bound of one run; tells the observer of every change."""

    def __init__(self, name: str, problem: Problem, limits: Limits, observer: Observer) -> None:
        self.name = name
        self.problem = problem
        self.limits = limits
        self.observer = observer
        self.deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self.best: Incumbent | None = recall(observer)
        self.bound = math.inf
        self.candidates: Candidates | None = None
        self.seconds: dict[str, float] = {}
        self._told: tuple[str, float | None, float | None] | None = None

    def prepare(self, *, reduce: bool) -> tuple[Candidates, str | None]:
        """The candidates, with what the search and the reduction found out, and why that ended early."""
        with self.stage("prepare"):
            prepared = prepare(
                self.problem, self.limits, self.observer, reduce=reduce, deadline=self.deadline
            )
        self.candidates = prepared.candidates
        found = prepared.incumbent
        if found is not None and (self.best is None or found.score > self.best.score):
            self.best = found
        if math.isfinite(prepared.candidates.bound):
            self.learn_bound(max(prepared.candidates.bound, prepared.candidates.lower))
        return prepared.candidates, prepared.stopped_by

    def offer(self, edges: Iterable[tuple[int, int]]) -> Incumbent:
        """Check a network that a solver gave, score it, and keep it if it is the best."""
        graph = graph_from_edges(self.problem.n, edges)
        if not is_chordal(graph):
            raise FalseClaimError(
                f"{self.name} gave a graph that is not chordal, so its answers cannot be trusted."
            )
        missing = [pair for pair in self.problem.required if not graph[pair[0]] >> pair[1] & 1]
        cliques = maximal_cliques(graph)
        score = score_of(cliques, separators(cliques), self.problem.values.__getitem__)
        if missing or not math.isfinite(score):
            raise FalseClaimError(
                f"{self.name} gave a network that the constraints forbid, so its answers cannot be trusted."
            )
        found = Incumbent(score, cliques)
        if self.best is None or score > self.best.score:
            self.best = found
            self.tell("solving")
        return found

    def learn_bound(self, bound: float) -> None:
        """No network scores more than this; a bound below the best network is a solver's lie."""
        if self.best is not None and bound < self.best.score - self.tolerance:
            raise FalseClaimError(
                f"{self.name} claims that no network scores more than {bound:.6f}, "
                f"but there is one with {self.best.score:.6f}."
            )
        floor = -math.inf if self.best is None else self.best.score
        if bound < self.bound:
            self.bound = max(bound, floor)
            self.tell("solving")

    def cross_check(self) -> None:
        """Look for a better network than the claimed optimum by local search, for a moment."""
        deadline = self._moment()
        with self.stage("check"):
            found = watch(
                lambda control: find_incumbents(self.problem, self.limits, control), deadline=deadline
            )
        if found.stopped_by == INTERRUPTED:
            raise KeyboardInterrupt
        for better in found.value or ():
            if self.best is None or better.score > self.best.score:
                self.best = better
            if better.score > self.bound + tolerance_of_network(self.problem, better.cliques):
                claimed, self.bound = self.bound, math.inf
                raise FalseClaimError(
                    f"{self.name} claims that no network scores more than {claimed:.6f}, "
                    f"but there is one with {better.score:.6f}."
                )

    def _moment(self) -> float:
        """When to end what may take a moment, if the time limit allows it."""
        return min(time.monotonic() + CHECK_SECONDS, math.inf if self.deadline is None else self.deadline)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit; None without one."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @property
    def proved(self) -> bool:
        """Whether the bound meets the best network."""
        # Written as in results, for at the very edge a sum and a difference may round to different sides.
        return self.best is not None and self.bound - self.best.score <= self.tolerance

    @property
    def tolerance(self) -> float:
        """The bound meets the best network when it is at most this much larger."""
        return (
            DEFAULT_TOLERANCE if self.best is None else tolerance_of_network(self.problem, self.best.cliques)
        )

    def _settle_ties(self, best: Incumbent) -> tuple[Incumbent, Ties]:
        """Of the networks as good as the best the simplest, if it takes but a moment to be certain."""
        with self.stage("ties"):
            return settle(
                self.problem,
                best,
                self.limits,
                within=indistinct(self.problem, best.cliques, self.tolerance),
                least=self.bound - self.tolerance,
                known=None if self.candidates is None else self.candidates.relaxation,
                deadline=self._moment(),
            )

    def tell(self, stage: str, detail: str = "") -> None:
        """Tell the observer if there is anything new."""
        score = None if self.best is None else self.best.score
        bound = self.bound if math.isfinite(self.bound) else None
        # What a solver claims is its own affair until the run has ended; the reduction's bound is ours.
        own = math.inf if self.candidates is None else max(self.candidates.bound, self.candidates.lower)
        # Kept before it is told, as `tell` does; but the bound that is told is another one.
        remember(self.observer, self.best, own)
        if (stage, score, bound) != self._told:
            self._told = (stage, score, bound)
            self.observer.progress(stage, score, bound, detail)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the seconds of a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def outcome(
        self,
        stopped_by: str,
        *,
        encoding: str | None = None,
        scaling: Scaling | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """The outcome of a run that ended for this reason."""
        figures: dict[str, Any] = {"seconds": self.seconds} | dict(details or {})
        if self.candidates is not None:
            figures["candidates"] = self.candidates.as_json()
        if self.best is None:
            bound = -math.inf if stopped_by == INFEASIBLE else self.bound
            return Outcome(
                None, -math.inf, bound, stopped_by, encoding=encoding, scaling=scaling, details=figures
            )
        if self.proved:
            self.best, ties = self._settle_ties(self.best)
            figures["ties"] = ties.as_json()
        return Outcome(
            self.best.cliques,
            self.best.score,
            max(self.bound, self.best.score),
            stopped_by,
            tolerance=self.tolerance,
            encoding=encoding,
            scaling=scaling,
            details=figures,
        )
