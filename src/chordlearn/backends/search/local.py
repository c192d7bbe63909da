"""Local search alone: a good network soon, with the relaxation's bound but without a proof."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any

from chordlearn._core import Control, Relaxation
from chordlearn.backends.base.incumbents import NEIGHBOURHOOD, Incumbent, find_incumbents
from chordlearn.backends.base.observers import recall, recall_state, remember, tell
from chordlearn.backends.base.outcome import Limits, Observer, Outcome
from chordlearn.backends.base.registry import Availability
from chordlearn.backends.base.run import CHECK_SECONDS
from chordlearn.backends.base.ties import settle
from chordlearn.backends.base.tolerance import indistinct, tolerance_of_network
from chordlearn.problem.candidates import reduce_candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import watch

EFFORTS = (1, 2, 4)
"""How hard each round searches; with a time limit the last is repeated with new seeds until time is up,
unless the variables are so few that each round is exact."""


class Search:
    """Annealing over chordal graphs with restarts."""

    name = "search"
    summary = "local search over chordal graphs, with a bound but no proof"
    exact = False

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, problem: Problem, limits: Limits, observer: Observer, **_options: Any) -> Outcome:
        """Anneal until the effort or the time is spent, and bound what could be missed."""
        return _Run(problem, limits, observer).outcome()


class _Run:
    def __init__(self, problem: Problem, limits: Limits, observer: Observer) -> None:
        self.problem = problem
        self.limits = limits
        self.observer = observer
        self.deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self.best: Incumbent | None = recall(observer)
        self.bound = math.inf

    def outcome(self) -> Outcome:
        rounds = recall_state(self.observer) or 0
        stopped_by = self._find_bound() if rounds else self._anneal(0) or self._find_bound()
        rounds = rounds or 1
        while stopped_by is None:
            if self.best is None or (rounds >= len(EFFORTS) and not self._may_gain()):
                stopped_by = "search ended"
            elif self.bound - self.best.score <= tolerance_of_network(self.problem, self.best.cliques):
                stopped_by = "proof"
            else:
                remember(self.observer, self.best, self.bound, rounds)
                stopped_by = self._anneal(rounds)
                rounds += 1
        if self.best is None:
            return Outcome(None, -math.inf, self.bound, stopped_by)
        tolerance = tolerance_of_network(self.problem, self.best.cliques)
        bound, details = max(self.bound, self.best.score), {}
        if bound - self.best.score <= tolerance:
            self.best, ties = settle(
                self.problem,
                self.best,
                self.limits,
                within=indistinct(self.problem, self.best.cliques, tolerance),
                least=bound - tolerance,
                deadline=min(time.monotonic() + CHECK_SECONDS, self.deadline or math.inf),
            )
            details["ties"] = ties.as_json()
        return Outcome(
            self.best.cliques, self.best.score, bound, stopped_by, tolerance=tolerance, details=details
        )

    def _may_gain(self) -> bool:
        """Whether more rounds may find more, and there is time for them."""
        return self.deadline is not None and self.problem.n > NEIGHBOURHOOD

    def _anneal(self, round_number: int) -> str | None:
        search = partial(
            find_incumbents,
            self.problem,
            replace(self.limits, seed=self.limits.seed + round_number),
            effort=EFFORTS[min(round_number, len(EFFORTS) - 1)],
            starts=() if self.best is None else (self.best,),
        )
        run = watch(search, deadline=self.deadline, poll=self._tell)
        if run.value:
            self.best = run.value[0]
            self._tell()
        return run.stopped_by

    def _find_bound(self) -> str | None:
        if self.best is None or Relaxation.bytes_needed(self.problem.n) > available_bytes() / 2:
            return None
        lower = self.best.score
        run = watch(
            lambda control: reduce_candidates(
                self.problem, lower, threads=self.limits.threads, control=control
            ),
            deadline=self.deadline,
            poll=self._tell,
        )
        if run.value is not None:
            self.bound = max(run.value.bound, lower)
            self._tell()
        return run.stopped_by

    def _tell(self, _control: Control | None = None) -> None:
        tell(self.observer, "searching", self.best, self.bound)
