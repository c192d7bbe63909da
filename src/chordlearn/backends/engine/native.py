"""The exact engine: search a good network, reduce, then prove by dynamic programming over what is left."""

from __future__ import annotations

import math
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from chordlearn._core import Control, Relaxation, States, solve_dense
from chordlearn.backends.base.annealing import anneal
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Outcome
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.backends.base.ties import Ties, put_first, settle, simplest_first, ties_among
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
from chordlearn.errors import TooLargeError, option
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.problem.candidates import reduce_candidates, tighten_candidates
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.scores.accuracy import UNIT_ROUNDOFF
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import StopReason

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
    capabilities = Capabilities(runners_up=True)

    def probe(self) -> Availability:
        """Part of the package, so always there."""
        return Availability(True, version("chordlearn"))

    def solve(self, run: Run, *, method: Method | None = None) -> Outcome:
        """Find the best network and prove it, or give the best so far with a bound when a limit is met.

        Without ``reduce``, neither a network to beat nor bounds are used. ``method`` overrides the choice
        between the pruned and the dense program.
        """
        return _Proof(run, method).outcome()


class _Proof:
    """The steps of one run, and what they find out beside networks and bounds."""

    def __init__(self, run: Run, method: Method | None) -> None:
        self.run = run
        self.problem = run.problem
        self.method = method
        self.memory = available_bytes()
        if run.limits.memory_bytes is not None:
            self.memory = min(self.memory, run.limits.memory_bytes - run.problem.values.nbytes)
        self.runners_up: list[Incumbent] = []
        self.plan: Plan | None = None
        self.states = 0
        self.ties: Ties | None = None
        self.second: float | None = None
        """The score of the second best of the listed states' networks, where it is known."""

    def outcome(self) -> Outcome:
        """Run to the proof or to the first limit."""
        self._refuse_too_large()
        stopped_by = StopReason.PROOF
        try:
            if self.run.options.top > 1:
                self.prove_top(self.run.options.top)
            elif self.run.options.reduce:
                self.prove()
            else:
                self.prove_without_bounds()
            self._settle_ties()
        except RunStopped as stop:
            stopped_by = stop.reason
        details: dict[str, Any] = {"states": self.states}
        if self.plan is not None:
            details |= {"method": self.plan.method, "method_reason": self.plan.reason}
        if self.ties is not None:
            details["ties"] = self.ties.as_json()
        best = self.run.best
        if best is None:
            nothing = stopped_by == StopReason.PROOF
            return self.run.outcome(StopReason.INFEASIBLE if nothing else stopped_by, details=details)
        return self.run.outcome(
            stopped_by, tolerance=self._tolerance(best), details=details, runners_up=self.runners_up
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
        if self._is_hard(states) and self.run.best is not None:
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
        found = self.run.watch(
            "searching", lambda control: anneal(self.problem, self.run.limits, control, keep=top)
        )
        self._offer(next(iter(found), None))
        lower = found[-1].score - self._margin() if len(found) == top else _below_all(self.problem)
        relaxation = self._reduce(lower)
        states = self._list_states(relaxation, top=top)
        if not states.complete:
            raise RunStopped(StopReason.MEMORY_LIMIT)
        with self.run.timed("solve"):
            networks = self.run.watch(
                "solving",
                lambda control: relaxation.solve_top(states, top, self.run.limits.threads, control),
                self._states_done,
            )
        ranked = [Incumbent(score, tuple(cliques)) for score, cliques in networks]
        if ranked:
            best = ranked[0]
            within, scores = self._indistinct(best), [network.score for network in ranked]
            ties = ties_among(scores, within, all_listed=len(ranked) < top, simplest=True)
            self.ties = ties if ties.complete else None
            distance = min(within, self._tolerance(best))
            self.run.best, *self.runners_up = simplest_first(self.problem.n, ranked, distance)
            self.run.tighten(best.score)

    def _settle_ties(self) -> None:
        """Take the simplest of the networks that cannot be distinguished from the best, and count them."""
        best = self.run.best
        tolerance = DEFAULT_TOLERANCE if best is None else self._tolerance(best)
        if best is None or self.ties is not None or self.run.bound - best.score > tolerance:
            return
        self.ties = settle(
            self.run,
            tolerance,
            within=self._indistinct(best),
            states=self.states,
            second=self.second,
            deadline=math.inf if self.run.deadline is None else self.run.deadline,
        )
        self.run.best, *self.runners_up = put_first(self.run.best or best, [best, *self.runners_up])

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
            raise RunStopped(StopReason.MEMORY_LIMIT)
        if self.plan.method == "dense" and self.problem.n < FEWEST_DENSE_VARIABLES:
            self.plan = Plan("pruned", f"the dense program needs {FEWEST_DENSE_VARIABLES} variables")

    def _solve(self, relaxation: Relaxation, states: States) -> None:
        if self.plan is not None and self.plan.method == "dense":
            self._solve_dense(relaxation)
        else:
            self._solve_pruned(relaxation, states)

    def _search(self, effort: int) -> None:
        starts = () if self.run.best is None else (self.run.best,)
        with self.run.timed("search"):
            found = self.run.watch(
                "searching",
                lambda control: anneal(self.problem, self.run.limits, control, effort=effort, starts=starts),
            )
        self._offer(next(iter(found), None))

    def _offer(self, found: Incumbent | None) -> None:
        if self.run.offer(found):
            self.run.report("searching")

    def _reduce(self, lower: float) -> Relaxation:
        with self.run.timed("reduce"):
            candidates = self.run.watch(
                "reducing",
                lambda control: reduce_candidates(
                    self.problem, lower, threads=self.run.limits.threads, control=control
                ),
            )
        self.run.candidates = candidates
        assert candidates.relaxation is not None
        self._tighten_to(max(candidates.bound, lower))
        return candidates.relaxation

    def _tighten(self) -> None:
        """Spend time on better bounds; the relaxation is changed in place."""
        reduced = self.run.candidates
        assert reduced is not None
        with self.run.timed("reduce"):
            self.run.candidates = self.run.watch(
                "tightening",
                lambda control: tighten_candidates(reduced, LAGRANGIAN_ITERATIONS, control=control),
            )
        self._tighten_to(max(self.run.candidates.bound, self.run.candidates.lower))

    def _solve_above_guesses(self, relaxation: Relaxation) -> bool:
        """Look for networks above guesses between bound and score, which needs fewer states.

        A network found above a guess is optimal; when there is none, the guess is a better bound.
        """
        assert self.run.best is not None
        kept = relaxation.snapshot()
        lower, upper = self._lower(), self.run.bound
        for share in GUESSES:
            guess = upper - share * (upper - lower)
            relaxation.restore(kept)
            with self.run.timed("reduce"):
                self.run.watch("reducing", partial(relaxation.tighten, guess))
            states = self._list_states(relaxation, most=EASY_STATES)
            if not states.complete:
                return False
            before = self.run.best.score
            self._solve_pruned(relaxation, states)
            if self.run.best.score > before:
                self.plan = Plan("pruned", f"a network above a guess, by {self.states:,} states")
                return True
        return False

    def _list_states(self, relaxation: Relaxation, *, most: int | None = None, top: int = 1) -> States:
        limit = most_states(self.problem.n, self.memory, top=top) if most is None else most
        forced = self._forced_edges(relaxation)
        with self.run.timed("states"):
            states = self.run.watch(
                "listing states", lambda control: relaxation.states(forced, limit, control)
            )
        self.states = states.count
        return states

    def _forced_edges(self, relaxation: Relaxation) -> list[tuple[int, int]]:
        """Edges that every better network has, where knowing them saves more time than finding them."""
        if self.run.best is None or relaxation.kept == 0:
            return []
        sizes = np.bitwise_count(relaxation.kept_sets())
        if float(np.exp2(self.problem.n - sizes.astype(float)).sum()) < MANY_TESTS:
            return []
        edges = edges_of(graph_from_cliques(self.problem.n, self.run.best.cliques))
        with self.run.timed("states"):
            return self.run.watch("forcing edges", partial(relaxation.forced_edges, list(edges)))

    def _solve_pruned(self, relaxation: Relaxation, states: States) -> None:
        """Find the best network above the relaxation's lower bound, or show that there is none."""
        threads, listed = self.run.limits.threads, states.count
        second: float | None = None
        with self.run.timed("solve"):
            if listed <= most_states_for_ties(self.memory):
                (score, cliques), second = self.run.watch(
                    "solving", lambda control: relaxation.solve_two(states, threads, control)
                )
            else:
                score, cliques = self.run.watch(
                    "solving",
                    lambda control: relaxation.solve(states, threads, control),
                    self._states_done,
                )
        if math.isfinite(score):
            self._offer(Incumbent(score, tuple(cliques)))
        self._tighten_to(max(score, relaxation.lower))
        self.second = second

    def _solve_dense(self, relaxation: Relaxation) -> None:
        with self.run.timed("solve"):
            (score, cliques), bound = self.run.watch(
                "solving all states",
                lambda control: solve_dense(relaxation, self.run.limits.threads, control),
            )
        if math.isfinite(score):
            self._offer(Incumbent(score, tuple(cliques)))
        self._tighten_to(max(bound, relaxation.lower))

    def _states_done(self, control: Control) -> str:
        return f"{control.done:,} of {self.states:,} states"

    def _margin(self) -> float:
        size = 0.0 if self.run.best is None else abs(self.run.best.score)
        return max(STRICTLY_BETTER, 8 * self.problem.n * size * UNIT_ROUNDOFF)

    def _lower(self) -> float:
        """Networks scoring at most this are of no interest."""
        return _below_all(self.problem) if self.run.best is None else self.run.best.score + self._margin()

    def _lower_for_ties(self) -> float:
        """Networks scoring at most this cannot be taken for the best one found."""
        best = self.run.best
        return _below_all(self.problem) if best is None else best.score - self._indistinct(best)

    def _tolerance(self, best: Incumbent) -> float:
        relaxation = None if self.run.candidates is None else self.run.candidates.relaxation
        parts = [] if relaxation is None else relaxation.best_parts
        return max(
            tolerance_of_network(self.problem, best.cliques),
            2 * self._margin(),
            rounding_of_program(self.problem, parts, best.score),
        )

    def _indistinct(self, best: Incumbent) -> float:
        return indistinct(self.problem, best.cliques, max(DEFAULT_TOLERANCE, 2 * self._margin()))

    def _tighten_to(self, bound: float) -> None:
        self.run.tighten(bound)
        self.run.report("reducing")


def _below_all(problem: Problem) -> float:
    """Less than any network can score: every variable with its worst parents."""
    total = 0.0
    for i in range(problem.n):
        halves = problem.values.reshape(-1, 2, 1 << i)
        with np.errstate(invalid="ignore"):
            gains = halves[:, 1] - halves[:, 0]
        total += float(np.min(gains[np.isfinite(gains)], initial=0.0))
    return total - 1.0
