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

from chordlearn._core import Control, Relaxation, States, solve_dense
from chordlearn.backends.base.incumbents import Incumbent, find_incumbents
from chordlearn.backends.base.observers import recall, tell
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome
from chordlearn.backends.base.registry import Availability
from chordlearn.backends.base.ties import (
    Ties,
    put_first,
    settle,
    simplest_first,
    ties_among,
)
from chordlearn.backends.base.ties import most_states as most_states_for_ties
from chordlearn.backends.base.tolerance import indistinct, rounding_of_program, tolerance_of_network
from chordlearn.backends.engine.planning import (
    EASY_STATES,
    FEWEST_DENSE_VARIABLES,
    Method,
    Plan,
    choose,
    dense_fits,
    dense_seconds,
    most_states,
    pruned_seconds,
)
from chordlearn.errors import InputError, TooLargeError, option
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.problem.candidates import Candidates, reduce_candidates, tighten_candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import MEMORY_LIMIT, watch

T = TypeVar("T")

STRICTLY_BETTER = 1e-8
"""Networks better by less than this (or by less than rounding may feign) are not looked for."""
GUESSES = (0.5, 0.75, 0.9)
"""Shares of the way from bound to score at which a better network is looked for in hard cases."""
LAGRANGIAN_ITERATIONS = 8
MANY_TESTS = 1e11
"""With more tests for states than this, edges known to be forced save most of them."""


class Native:
    """Drop/add/split over complete sets, pruned by bounds or over all states."""

    name = "native"
    summary = "exact engine: local search, reduction, dynamic program"
    exact = True

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(
        self,
        problem: Problem,
        limits: Limits,
        observer: Observer,
        *,
        reduce: bool = True,
        top: int = 1,
        encoding: str | None = None,
        method: Method | None = None,
        **_options: Any,
    ) -> Outcome:
        """Find the best network and prove it, or give the best so far with a bound when a limit is met.

        Without ``reduce``, neither a network to beat nor bounds are used. ``method`` overrides the choice
        between the pruned and the dense program.
        """
        if encoding is not None:
            raise InputError(
                f"The native backend has no encodings; leave {option('encoding')} out or name a solver."
            )
        run = _Run(problem, limits, observer, method)
        if top > 1:
            return run.outcome(partial(run.prove_top, top))
        return run.outcome(run.prove if reduce else run.prove_without_bounds)


class _Stop(Exception):  # noqa: N818
    """Ends a run early; its text is the reason."""


class _Run:
    """One run: what is known so far, and the steps that improve it."""

    def __init__(self, problem: Problem, limits: Limits, observer: Observer, method: Method | None) -> None:
        self.problem = problem
        self.limits = limits
        self.observer = observer
        self.method = method
        self.deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self.memory = available_bytes()
        if limits.memory_bytes is not None:
            self.memory = min(self.memory, limits.memory_bytes - problem.values.nbytes)
        self.best: Incumbent | None = recall(observer)
        self.runners_up: list[Incumbent] = []
        self.bound = math.inf
        self.candidates: Candidates | None = None
        self.plan: Plan | None = None
        self.states = 0
        self.ties: Ties | None = None
        self.second: float | None = None
        """The score of the second best of the listed states' networks, where it is known."""
        self.seconds: dict[str, float] = {}

    def outcome(self, prove: Callable[[], None]) -> Outcome:
        """Run to the proof or to the first limit."""
        self._refuse_too_large()
        stopped_by = "proof"
        try:
            prove()
            self._settle_ties()
        except _Stop as stop:
            stopped_by = str(stop)
        details: dict[str, Any] = {"states": self.states, "seconds": self.seconds}
        if self.plan is not None:
            details |= {"method": self.plan.method, "method_reason": self.plan.reason}
        if self.candidates is not None:
            details["candidates"] = self.candidates.as_json()
        if self.best is None:
            if stopped_by == "proof":
                return Outcome(None, -math.inf, -math.inf, "infeasible", details=details)
            return Outcome(None, -math.inf, self.bound, stopped_by, details=details)
        if self.ties is not None:
            details["ties"] = self.ties.as_json()
        return Outcome(
            self.best.cliques,
            self.best.score,
            max(self.bound, self.best.score),
            stopped_by,
            tolerance=self._tolerance(self.best),
            details=details,
            runners_up=tuple((network.cliques, network.score) for network in self.runners_up),
        )

    def prove(self) -> None:
        """Search, reduce, and solve what is left.

        What ties with the best network found is kept at first, which costs next to nothing and tells whether
        the optimum is the only one.
        """
        self._search(effort=1)
        relaxation = self._reduce(self._lower_for_ties())
        if relaxation.kept == 0:
            return
        states = self._list_states(relaxation)
        if self._is_hard(states):
            self._tighten()
            states = self._list_states(relaxation)
        if self._is_hard(states) and self.best is not None:
            self._search(effort=4)
            if self._solve_above_guesses(relaxation):
                return
            relaxation = self._reduce(self._lower())
            if relaxation.kept == 0:
                return
            states = self._list_states(relaxation)
        self._choose(states)
        self._solve(relaxation, states)

    def prove_without_bounds(self) -> None:
        """Solve over every state that the scores and constraints allow."""
        relaxation = self._reduce(_below_all(self.problem))
        states = self._list_states(relaxation)
        self._choose(states)
        self._solve(relaxation, states)

    def prove_top(self, top: int) -> None:
        """Find the best networks, as many as asked for, none of them left out."""
        found = self._watch(
            "searching", lambda control: find_incumbents(self.problem, self.limits, control, keep=top)
        )
        self._offer(found[:1])
        lower = found[-1].score - self._margin() if len(found) == top else _below_all(self.problem)
        relaxation = self._reduce(lower)
        states = self._list_states(relaxation, top=top)
        if not states.complete:
            raise _Stop(MEMORY_LIMIT)
        with self._stage("solve"):
            networks = self._watch(
                "solving",
                lambda control: relaxation.solve_top(states, top, self.limits.threads, control),
                self._states_done,
            )
        ranked = [Incumbent(score, tuple(cliques)) for score, cliques in networks]
        if ranked:
            best = ranked[0]
            within, scores = self._indistinct(best), [network.score for network in ranked]
            ties = ties_among(scores, within, all_listed=len(ranked) < top, simplest=True)
            self.ties = ties if ties.complete else None
            distance = min(within, self._tolerance(best))
            self.best, *self.runners_up = simplest_first(self.problem.n, ranked, distance)
            self.bound = best.score

    def _settle_ties(self) -> None:
        """Take the simplest of the networks that cannot be told apart from the best, and count them."""
        best = self.best
        tolerance = DEFAULT_TOLERANCE if best is None else self._tolerance(best)
        if best is None or self.ties is not None or self.bound - best.score > tolerance:
            return
        with self._stage("ties"):
            simplest, self.ties = settle(
                self.problem,
                best,
                self.limits,
                within=self._indistinct(best),
                least=self.bound - tolerance,
                known=None if self.candidates is None else self.candidates.relaxation,
                states=self.states,
                second=self.second,
                deadline=self.deadline,
            )
        self.best, *self.runners_up = put_first(simplest, [best, *self.runners_up])

    def _refuse_too_large(self) -> None:
        needed = Relaxation.bytes_needed(self.problem.n)
        if needed > self.memory:
            fits = max(
                (n for n in range(1, self.problem.n) if Relaxation.bytes_needed(n) <= self.memory), default=1
            )
            raise TooLargeError(
                f"The exact engine needs {needed / 1e9:.3g} GB for the bounds of {self.problem.n} variables "
                f"and {max(self.memory, 0.0) / 1e9:.3g} GB is left for it; keep at most {fits} columns "
                f"({option('columns')}, {option('drop')}), or use {option('backend', 'search')}."
            )

    def _is_hard(self, states: States) -> bool:
        if self.method == "dense":
            return False
        cheap_dense = dense_fits(self.problem.n, self.memory) and dense_seconds(
            self.problem.n
        ) <= pruned_seconds(EASY_STATES)
        return (not states.complete or states.count > EASY_STATES) and not cheap_dense

    def _choose(self, states: States) -> None:
        if self.method is not None:
            self.plan = Plan(self.method, "asked for")
        else:
            self.plan = choose(self.problem.n, states.count, complete=states.complete, memory=self.memory)
        if self.plan is None or (self.plan.method == "pruned" and not states.complete):
            raise _Stop(MEMORY_LIMIT)
        if self.plan.method == "dense" and self.problem.n < FEWEST_DENSE_VARIABLES:
            self.plan = Plan("pruned", f"the dense program needs {FEWEST_DENSE_VARIABLES} variables")

    def _solve(self, relaxation: Relaxation, states: States) -> None:
        if self.plan is not None and self.plan.method == "dense":
            self._solve_dense(relaxation)
        else:
            self._solve_pruned(relaxation, states)

    def _search(self, effort: int) -> None:
        starts = () if self.best is None else (self.best,)
        with self._stage("search"):
            self._watch(
                "searching",
                lambda control: find_incumbents(
                    self.problem, self.limits, control, effort=effort, starts=starts
                ),
                keep=self._offer,
            )

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

    def _tighten(self) -> None:
        """Spend time on better bounds; the relaxation is changed in place."""
        reduced = self.candidates
        assert reduced is not None
        with self._stage("reduce"):
            self.candidates = self._watch(
                "tightening",
                lambda control: tighten_candidates(reduced, LAGRANGIAN_ITERATIONS, control=control),
            )
        self._learn_bound(max(self.candidates.bound, self.candidates.lower))

    def _solve_above_guesses(self, relaxation: Relaxation) -> bool:
        """Look for networks above guesses between bound and score, which needs fewer states.

        A network found above a guess is optimal; when there is none, the guess is a better bound.
        """
        assert self.best is not None
        kept = relaxation.snapshot()
        lower, upper = self._lower(), self.bound
        for share in GUESSES:
            guess = upper - share * (upper - lower)
            relaxation.restore(kept)
            with self._stage("reduce"):
                self._watch("reducing", partial(relaxation.tighten, guess))
            states = self._list_states(relaxation, most=EASY_STATES)
            if not states.complete:
                return False
            before = self.best.score
            self._solve_pruned(relaxation, states)
            if self.best.score > before:
                self.plan = Plan("pruned", f"a network above a guess, by {self.states:,} states")
                return True
        return False

    def _list_states(self, relaxation: Relaxation, *, most: int | None = None, top: int = 1) -> States:
        limit = most_states(self.problem.n, self.memory, top=top) if most is None else most
        forced = self._forced_edges(relaxation)
        with self._stage("states"):
            states = self._watch("listing states", lambda control: relaxation.states(forced, limit, control))
        self.states = states.count
        return states

    def _forced_edges(self, relaxation: Relaxation) -> list[tuple[int, int]]:
        """Edges that every better network has, where knowing them saves more time than finding them."""
        if self.best is None or relaxation.kept == 0:
            return []
        sizes = np.bitwise_count(relaxation.kept_sets())
        if float(np.exp2(self.problem.n - sizes.astype(float)).sum()) < MANY_TESTS:
            return []
        edges = edges_of(graph_from_cliques(self.problem.n, self.best.cliques))
        with self._stage("states"):
            return self._watch("forcing edges", partial(relaxation.forced_edges, list(edges)))

    def _solve_pruned(self, relaxation: Relaxation, states: States) -> None:
        """Find the best network above the relaxation's lower bound, or show that there is none."""
        threads, listed = self.limits.threads, states.count
        second: float | None = None
        with self._stage("solve"):
            if listed <= most_states_for_ties(self.memory):
                (score, cliques), second = self._watch(
                    "solving", lambda control: relaxation.solve_two(states, threads, control)
                )
            else:
                score, cliques = self._watch(
                    "solving",
                    lambda control: relaxation.solve(states, threads, control),
                    self._states_done,
                )
        if math.isfinite(score):
            self._offer([Incumbent(score, tuple(cliques))])
        self._learn_bound(max(score, relaxation.lower))
        self.second = second

    def _solve_dense(self, relaxation: Relaxation) -> None:
        with self._stage("solve"):
            (score, cliques), bound = self._watch(
                "solving all states", lambda control: solve_dense(relaxation, self.limits.threads, control)
            )
        if math.isfinite(score):
            self._offer([Incumbent(score, tuple(cliques))])
        self._learn_bound(max(bound, relaxation.lower))

    def _states_done(self, control: Control) -> str:
        return f"{control.done:,} of {self.states:,} states"

    def _margin(self) -> float:
        size = 0.0 if self.best is None else abs(self.best.score)
        return max(STRICTLY_BETTER, 8 * self.problem.n * size * 2.0**-53)

    def _lower(self) -> float:
        """Networks scoring at most this are of no interest."""
        return _below_all(self.problem) if self.best is None else self.best.score + self._margin()

    def _lower_for_ties(self) -> float:
        """Networks scoring at most this cannot be taken for the best one found."""
        return (
            _below_all(self.problem) if self.best is None else self.best.score - self._indistinct(self.best)
        )

    def _tolerance(self, best: Incumbent) -> float:
        relaxation = None if self.candidates is None else self.candidates.relaxation
        parts = [] if relaxation is None else relaxation.best_parts
        return max(
            tolerance_of_network(self.problem, best.cliques),
            2 * self._margin(),
            rounding_of_program(self.problem, parts, best.score),
        )

    def _indistinct(self, best: Incumbent) -> float:
        return indistinct(self.problem, best.cliques, max(DEFAULT_TOLERANCE, 2 * self._margin()))

    def _offer(self, networks: list[Incumbent]) -> None:
        if networks and (self.best is None or networks[0].score > self.best.score):
            self.best = networks[0]
            self._tell("searching")

    def _learn_bound(self, bound: float) -> None:
        self.bound = min(self.bound, bound)
        self._tell("reducing")

    def _tell(self, stage: str, detail: str = "") -> None:
        tell(self.observer, stage, self.best, self.bound, detail)

    def _watch(
        self,
        stage: str,
        work: Callable[[Control], T],
        detail: Callable[[Control], str] = lambda _: "",
        keep: Callable[[T], None] = lambda _: None,
    ) -> T:
        """Run work of the core; what it had when it was stopped goes to ``keep`` all the same."""
        run = watch(work, deadline=self.deadline, poll=lambda control: self._tell(stage, detail(control)))
        if run.value is not None:
            keep(run.value)
        if run.stopped_by is not None:
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
