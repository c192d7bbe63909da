"""Search from several seeds at once; the best network counts, and of equal ones that of the lowest seed.

Each start goes on in slices, from state to state, so that a worker that dies costs one slice, and the best
network so far is known at any time. Where a slice ends does not change what a start finds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, Relaxation, Stopped, WideSearch
from chordlearn.backends.base.incumbents import NEIGHBOURHOOD, Incumbent, find_incumbents
from chordlearn.backends.base.observers import LongMemory
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits, Outcome
from chordlearn.backends.search.local import EFFORTS
from chordlearn.backends.search.wide import search_wide
from chordlearn.backends.search.wide_bound import WideBound
from chordlearn.bounds import Network
from chordlearn.graphs import edges_of, graph_from_cliques, graph_from_edges, maximal_cliques
from chordlearn.parallel import UntilStopped, Workers
from chordlearn.problem.candidates import reduce_candidates
from chordlearn.problem.problem import Problem
from chordlearn.problem.wide import WideProblem
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import INTERRUPTED, TIME_LIMIT, watch

FIRST_SLICE, LONGEST_SLICE = 0.5, 10.0
State = dict[str, Any]


@dataclass
class Starts:
    """Several starts of a search, each with its state; the seeds are those from ``limits.seed`` on."""

    workers: Workers
    problem: Problem | WideProblem
    advance: Callable[..., Any]
    """The task that takes one start from a state to the next."""
    count: int
    limits: Limits
    keeper: LongMemory
    """Is told how it goes, and keeps the states."""
    bounding: WideBound | None = None
    """Works on a bound beside the searches."""
    states: dict[int, State] = field(init=False)

    def __post_init__(self) -> None:
        """Take up the networks of an earlier run and where each search was, but nothing proved."""
        kept = self.keeper.recall_state() or {}
        self.states = {
            int(seed): self._taken_up(state) for seed, state in kept.items() if int(seed) in self.seeds
        }

    def _taken_up(self, state: State) -> State:
        edges, score = state["edges"], -math.inf
        if edges is not None:
            score = self.keeper.examined(np.asarray(edges).tolist(), state["score"]).score
        return {**state, "score": score, "bound": math.inf, "ended": False}

    @property
    def seeds(self) -> range:
        """One for each start."""
        return range(self.limits.seed, self.limits.seed + self.count)

    def run(self) -> str | None:
        """Go on with all starts until each has ended, or until a limit; why it ended early, if it did."""
        deadline = None if self.limits.seconds is None else time.monotonic() + self.limits.seconds
        seconds = FIRST_SLICE
        self._tell()
        try:
            while active := [seed for seed in self.seeds if not self.states.get(seed, {}).get("ended")]:
                if self.bounding is not None and self.bounding.is_proved:
                    return None
                left = None
                if deadline is not None:
                    # Those that have to wait for a place need their share of the time too.
                    share = min(1.0, self.workers.slots / len(active))
                    left = share * (deadline - time.monotonic())
                    if left <= 0:
                        return TIME_LIMIT
                rows = [(seed, self.states.get(seed), seconds, left) for seed in active]
                for number, state in self.workers.run(self.advance, rows, self.problem):
                    self.states[active[number]] = state
                    self._tell()
                seconds = min(2 * seconds, LONGEST_SLICE)
        except KeyboardInterrupt:
            return INTERRUPTED
        return None

    def outcome(self, bound: Callable[[float], float] | None = None) -> Outcome:
        """Run, and give the best network of all starts; ``bound`` gives one for a network's score."""
        try:
            stopped_by = self.run()
            if self.bounding is not None and stopped_by is None:
                stopped_by = watch(self.bounding.go_on).stopped_by
        finally:
            if self.bounding is not None:
                self.bounding.stop()
        score, edges = self.best
        if edges is None:
            return Outcome(None, -math.inf, math.inf, stopped_by or "search ended")
        best = Network(self._cliques(edges), score)
        upper = min(state["bound"] for state in self.states.values())
        if self.bounding is not None and self.bounding.best is not None:
            best = max(best, self.bounding.best, key=lambda network: network.score)
            upper = min(upper, self.bounding.bound)
        if bound is not None and stopped_by is None:
            upper = min(upper, bound(best.score))
        if upper <= best.score + DEFAULT_TOLERANCE:
            stopped_by = "proof"
        scores = [self.states[seed]["score"] if seed in self.states else None for seed in self.seeds]
        return Outcome(
            best.cliques,
            best.score,
            max(upper, best.score),
            stopped_by or "search ended",
            details={"starts": {"seeds": list(self.seeds), "scores": scores}},
        )

    @property
    def best(self) -> tuple[float, Any]:
        """Score and edges of the best network of all starts."""
        known = [(state["score"], -seed) for seed, state in self.states.items() if state["edges"] is not None]
        if not known:
            return -math.inf, None
        score, seed = max(known)
        return score, self.states[-seed]["edges"]

    def _cliques(self, edges: Any) -> tuple[int, ...]:
        return maximal_cliques(graph_from_edges(self.problem.n, np.asarray(edges).tolist()))

    def _tell(self) -> None:
        (score, edges), ended = self.best, sum(state["ended"] for state in self.states.values())
        detail = f"{self.count} starts" + (f", {ended} ended" if ended else "")
        bound = math.inf if self.bounding is None else self.bounding.bound
        shown = bound if math.isfinite(bound) else None
        self.keeper.progress("searching", None if edges is None else score, shown, detail)
        if edges is None:
            return
        states = {str(seed): state for seed, state in self.states.items()}
        self.keeper.remember_edges(score, lambda: edges, bound=bound, state=states)
        if self.bounding is not None and self.bounding.is_worse_than(score):
            is_first = self.bounding.best is None
            self.bounding.offer(Network(self._cliques(edges), score))
            if is_first:
                self.bounding.start()


def search_wide_from_seeds(
    workers: Workers,
    problem: WideProblem,
    limits: Limits,
    keeper: LongMemory,
    *,
    starts: int,
    bounding: WideBound | None = None,
) -> Outcome:
    """The best of several wide searches, with a bound if there is someone to work on it."""
    return Starts(workers, problem, advance_wide, starts, limits, keeper, bounding).outcome()


def search_from_seeds(
    workers: Workers, problem: Problem, limits: Limits, keeper: LongMemory, *, starts: int
) -> Outcome:
    """The best of several searches with all sets scored, and the relaxation's bound."""
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    row = Starts(workers, problem, advance_round, starts, limits, keeper)
    return row.outcome(lambda score: _bound(problem, score, limits.threads, deadline))


def advance_wide(
    problem: WideProblem, seed: int, state: State | None, seconds: float, most_seconds: float | None
) -> State:
    """Go on with one wide search for some seconds, a wave at least; with a time limit it has no other end."""
    end = time.monotonic() + seconds
    kept = [None if state is None else state["search"]]

    def keep_state(search: WideSearch) -> None:
        kept[0] = search.state()
        if time.monotonic() >= end:
            raise Stopped

    limits = Limits(seconds=most_seconds, seed=seed)
    outcome = search_wide(problem, limits, UntilStopped(), resume=kept[0], after_wave=keep_state)
    edges = None
    if outcome.cliques is not None:
        edges = _as_array(edges_of(graph_from_cliques(problem.n, outcome.cliques)))
    return {
        "score": outcome.score,
        "bound": outcome.bound,
        "edges": edges,
        "search": kept[0],
        "ended": outcome.cliques is None or outcome.stopped_by not in (INTERRUPTED, TIME_LIMIT),
    }


def advance_round(
    problem: Problem, seed: int, state: State | None, _seconds: float, most_seconds: float | None
) -> State:
    """Do one more round of annealing; rounds get harder, and with a time limit the last is repeated."""
    done = 0 if state is None else state["round"]
    if state is not None and _was_last(problem, done, most_seconds):
        return {**state, "ended": True}
    best: tuple[Incumbent, ...] = ()
    if state is not None and state["edges"] is not None:
        cliques = maximal_cliques(graph_from_edges(problem.n, np.asarray(state["edges"]).tolist()))
        best = (Incumbent(state["score"], cliques),)
    observer = UntilStopped()
    run = watch(
        lambda control: find_incumbents(
            problem,
            Limits(seed=seed + done),
            control,
            effort=EFFORTS[min(done, len(EFFORTS) - 1)],
            starts=best,
        ),
        deadline=None if most_seconds is None else time.monotonic() + most_seconds,
        poll=lambda _: observer.progress("searching", None, None),
    )
    found = next(iter(run.value or best), None)
    edges = None if found is None else _as_array(edges_of(graph_from_cliques(problem.n, found.cliques)))
    return {
        "score": -math.inf if found is None else found.score,
        "bound": math.inf,
        "edges": edges,
        "round": done + 1,
        "ended": found is None or _was_last(problem, done + 1, most_seconds),
    }


def _was_last(problem: Problem, rounds: int, most_seconds: float | None) -> bool:
    """Whether a search ends after so many rounds."""
    return rounds >= len(EFFORTS) and (most_seconds is None or problem.n <= NEIGHBOURHOOD)


def _as_array(edges: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    return np.array(edges, dtype=np.int32).reshape(-1, 2)


def _bound(problem: Problem, lower: float, threads: int, deadline: float | None) -> float:
    if Relaxation.bytes_needed(problem.n) > available_bytes() / 2:
        return math.inf

    def relax(control: Control) -> float:
        return reduce_candidates(problem, lower, threads=threads, control=control).bound

    bound = watch(relax, deadline=deadline).value
    return math.inf if bound is None else bound
