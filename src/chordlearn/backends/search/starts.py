"""Search from several seeds at once; the best network counts, and of equal ones that of the lowest seed.

Each start goes on in slices, from state to state, so that a worker that dies costs one slice, and the best
network so far is known at any time. Where a slice ends does not change what a start finds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.backends.base.annealing import NEIGHBOURHOOD, anneal
from chordlearn.backends.base.outcome import Limits, Outcome
from chordlearn.backends.base.run import Run, RunStopped, checked_network
from chordlearn.backends.search.ladder import Ladder
from chordlearn.backends.search.waves import Slice
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.parallel import UntilStopped, Workers
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.system.running import StopReason, watch

FIRST_SLICE, LONGEST_SLICE = 0.5, 10.0
EFFORTS = (1, 2, 4)
"""How hard each round of annealing searches."""
State = dict[str, Any]


class Starts:
    """Several starts of a search, each with its state; the seeds are those from the run's seed on."""

    def __init__(self, run: Run, advance: Callable[..., State], bound: Ladder | None = None) -> None:
        """``advance`` is the task that takes one start from a state to the next.

        The networks of an earlier run are taken up, and where each search was, but nothing that was proved.
        """
        self.run = run
        self.advance = advance
        self.bound = bound
        with run.resuming():
            kept = {int(seed): state for seed, state in dict(run.state or {}).items()}
            self.states = {seed: self._taken_up(kept[seed]) for seed in self.seeds if seed in kept}

    @property
    def seeds(self) -> range:
        """One for each start."""
        return range(self.run.limits.seed, self.run.limits.seed + self.run.options.starts)

    @property
    def details(self) -> dict[str, Any]:
        """What each start found."""
        scores = [self.states[seed]["score"] if seed in self.states else None for seed in self.seeds]
        return {"starts": {"seeds": list(self.seeds), "scores": scores}}

    def outcome(self) -> Outcome:
        """Search, and let the bound go on until its patience ends."""
        try:
            stopped_by = self.search()
            if self.bound is not None and stopped_by is None:
                stopped_by = watch(self.bound.go_on).stopped_by
        finally:
            if self.bound is not None:
                self.bound.stop()
        ended = StopReason.PROOF if self.run.is_proved else stopped_by or StopReason.SEARCH_ENDED
        return self.run.outcome(ended, details=self.details)

    def search(self) -> StopReason | None:
        """Go on with all starts until each has ended, or until a limit; why it ended early, if it did."""
        seconds = FIRST_SLICE
        self._take_in()
        with ExitStack() as opened:
            workers = self.run.workers or opened.enter_context(Workers(self.run.limits.threads))
            try:
                while active := [seed for seed in self.seeds if not self.states.get(seed, {}).get("ended")]:
                    if self.run.is_proved:
                        return None
                    left = None
                    if self.run.deadline is not None:
                        # Those that have to wait for a place need their share of the time too.
                        share = min(1.0, workers.slots / len(active))
                        left = share * (self.run.deadline - time.monotonic())
                        if left <= 0:
                            return StopReason.TIME_LIMIT
                    rows = [(seed, self.states.get(seed), seconds, left) for seed in active]
                    for number, state in workers.run(self.advance, rows, self.run.problem):
                        self.states[active[number]] = state
                        self._take_in()
                    seconds = min(2 * seconds, LONGEST_SLICE)
            except KeyboardInterrupt:
                return StopReason.INTERRUPTED
        return None

    def _taken_up(self, state: State) -> State:
        edges, score = state["edges"], -math.inf
        if edges is not None:
            score = checked_network(self.run.problem, edges, state["score"]).score
        return {**state, "score": score, "bound": math.inf, "ended": False}

    def _take_in(self) -> None:
        """Learn what the starts have found."""
        known = [(state["score"], -seed) for seed, state in self.states.items() if state["edges"] is not None]
        if known:
            score, seed = max(known)
            if self.run.best is None or score > self.run.best.score:
                self.run.offer(checked_network(self.run.problem, self.states[-seed]["edges"]))
            # Each start's bound holds for all networks.
            self.run.tighten(min(state["bound"] for state in self.states.values()))
            self.run.save_state({str(seed): state for seed, state in self.states.items()})
            if self.bound is not None and not self.bound.has_begun:
                self.bound.start()
        ended = sum(state["ended"] for state in self.states.values())
        detail = f"{len(self.seeds)} starts" + (f", {ended} ended" if ended else "")
        self.run.report("searching", detail, again=True)


def advance_waves(
    problem: Problem, seed: int, state: State | None, seconds: float, most_seconds: float | None
) -> State:
    """Go on with one search for some seconds, a wave at least; with a time limit it has no other end."""
    end = time.monotonic() + seconds
    run = Run(
        problem,
        Limits(seconds=most_seconds, seed=seed),
        observers=[UntilStopped()],
        state=None if state is None else state["search"],
    )
    outcome = Slice(run, lambda: time.monotonic() >= end).outcome()
    broken_off = outcome.stopped_by in (StopReason.INTERRUPTED, StopReason.TIME_LIMIT)
    return {
        "score": outcome.score,
        "bound": outcome.bound,
        "edges": _edges(problem, run.best),
        "search": run.state,
        "ended": outcome.cliques is None or not broken_off,
    }


def advance_round(
    problem: Problem, seed: int, state: State | None, _seconds: float, most_seconds: float | None
) -> State:
    """Do one more round of annealing; rounds get harder, and with a time limit the last is repeated."""
    done = 0 if state is None else state["round"]
    if state is not None and _was_last(problem, done, most_seconds):
        return {**state, "ended": True}
    known = None
    if state is not None and state["edges"] is not None:
        known = checked_network(problem, state["edges"])
    run = Run(
        problem, Limits(seconds=most_seconds, seed=seed + done), observers=[UntilStopped()], start=known
    )
    effort, starts = EFFORTS[min(done, len(EFFORTS) - 1)], () if known is None else (known,)
    try:
        found = run.watch(
            "searching", lambda control: anneal(problem, run.limits, control, effort=effort, starts=starts)
        )
        run.offer(next(iter(found), None))
    except RunStopped:
        # What was found by then is offered already.
        pass
    return {
        "score": -math.inf if run.best is None else run.best.score,
        "bound": math.inf,
        "edges": _edges(problem, run.best),
        "round": done + 1,
        "ended": run.best is None or _was_last(problem, done + 1, most_seconds),
    }


def _was_last(problem: Problem, rounds: int, most_seconds: float | None) -> bool:
    """Whether a search ends after so many rounds."""
    return rounds >= len(EFFORTS) and (most_seconds is None or problem.n <= NEIGHBOURHOOD)


def _edges(problem: Problem, network: Incumbent | None) -> NDArray[np.int32] | None:
    if network is None:
        return None
    edges: Sequence[tuple[int, int]] = edges_of(graph_from_cliques(problem.n, network.cliques))
    return np.array(edges, dtype=np.int32).reshape(-1, 2)
