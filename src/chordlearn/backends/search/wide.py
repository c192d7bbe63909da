"""Search for tables with any number of variables: waves of neighbourhoods, each solved exactly.

The waves are proposed and taken in by one compiled `WideSearch`, which depends on the seed alone. A
neighbourhood is solved by a pure function of the coded table and plain arrays, so it does not matter where.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, Scorer, Stopped, WideSearch, improve_region
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome
from chordlearn.backends.search.wide_bound import FOREST_CLIQUE, WideBound
from chordlearn.bounds import Network
from chordlearn.graphs import graph_from_edges, maximal_cliques
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.compute import make_scorer
from chordlearn.system.running import watch

Indices = NDArray[np.int32]
State = Mapping[str, Any]
"""What `WideSearch.state` gives: numbers and arrays by name."""


class Neighbourhood(NamedTuple):
    """Variables with the graph on them, and what any other graph must keep to; edges are rows of pairs."""

    variables: Indices
    present: Indices
    required: Indices
    forbidden: Indices
    max_clique: int
    moves: int
    hot: float
    cold: float
    seed: int


class Change(NamedTuple):
    """A better graph on the variables of a neighbourhood: all its edges, and what it gains."""

    variables: Indices
    edges: Indices
    gain: float


class Mapper(Protocol):
    """Where neighbourhoods are solved."""

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """The answer to each, in the same order; may raise `Stopped` once the control is stopped."""


def solve_one(scorer: Scorer, task: Neighbourhood, control: Control) -> Change | None:
    """The best graph on the variables of a neighbourhood, if it is better than the present one."""
    found = improve_region(scorer, *task, control)
    return None if found is None else Change(*found)


class ThreadMapper:
    """Solves neighbourhoods in threads of this process."""

    def __init__(self, scorer: Scorer, pool: ThreadPoolExecutor | None) -> None:
        """Without a pool it solves in the calling thread."""
        self._scorer = scorer
        self._pool = pool

    def map(self, wave: Sequence[Neighbourhood], control: Control) -> Sequence[Change | None]:
        """One after the other, as threads are free; once stopped, what is known by then."""

        def solve(task: Neighbourhood) -> Change | None:
            try:
                return solve_one(self._scorer, task, control)
            except Stopped:
                return None

        return list((map if self._pool is None else self._pool.map)(solve, wave))


def search_wide(
    problem: WideProblem,
    limits: Limits,
    observer: Observer,
    *,
    mapper: Mapper | None = None,
    resume: State | None = None,
    start: Sequence[tuple[int, int]] | None = None,
    after_wave: Callable[[WideSearch], None] | None = None,
    bounding: WideBound | None = None,
) -> Outcome:
    """Solve one neighbourhood after the other, from the best forest, a network's edges or a state on.

    Without a time limit it ends when no neighbourhood has anything to gain. With cliques of at most two
    variables the network is the forest of largest weight, which is optimal. ``after_wave`` is called from
    the working thread with the search, whose `state` may be kept; going on from it gives what would have
    come without the break. ``bounding`` works beside it; when it proves the best network, that is the end.
    """
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    scorer = make_scorer(problem.dataset, problem.function)
    search = WideSearch(
        scorer, problem.constraints.max_clique or 0, problem.required, problem.forbidden, limits.seed
    )
    if not search.feasible:
        return Outcome(None, -math.inf, math.inf, "search ended")

    def tell(_control: Control) -> None:
        score, bound = search.score, None
        if bounding is not None:
            bound = bounding.bound if math.isfinite(bounding.bound) else None
            score = score if bounding.best is None else max(score, bounding.best.score)
        observer.progress("searching", score, bound)

    def work(control: Control) -> None:
        if is_forest:
            # The best forest is the optimum and takes a moment; no other place to start from is one.
            search.start(limits.threads, control)
        elif resume is not None:
            search.restore(dict(resume))
        elif start is None or not search.start_from(start):
            search.start(limits.threads, control)
        if resume is None and after_wave is not None:
            # The first network is worth keeping: the first wave may take long.
            after_wave(search)
        if bounding is not None:
            bounding.offer(best_of(search))
            bounding.start()
        # One thread is the bound's.
        with _threads(scorer, max(1, limits.threads - (bounding is not None))) as threads:
            solver = mapper or threads
            while not search.ended or (limits.seconds is not None and not is_forest):
                if bounding is not None and bounding.is_proved:
                    return
                wave = [Neighbourhood(*task) for task in search.propose()]
                search.accept(solver.map(wave, control))
                if control.stopped:
                    raise Stopped
                if after_wave is not None:
                    after_wave(search)
                if bounding is not None and bounding.is_worse_than(search.score):
                    bounding.offer(best_of(search))
        if bounding is not None:
            bounding.go_on(control)

    def best_of(search: WideSearch) -> Network:
        score, edges = search.best()
        return Network(maximal_cliques(graph_from_edges(problem.n, edges.tolist())), score)

    largest = problem.constraints.max_clique
    is_forest = problem.n <= FOREST_CLIQUE or (largest is not None and largest <= FOREST_CLIQUE)
    run = watch(work, deadline=deadline, poll=tell)
    best, bound = best_of(search), math.inf
    if bounding is not None:
        bounding.stop()
        bound = bounding.bound
        if bounding.best is not None and bounding.best.score > best.score:
            best = bounding.best
    if run.stopped_by is None and is_forest:
        bound = best.score
    proved = bound <= best.score + DEFAULT_TOLERANCE
    stopped_by = "proof" if proved else run.stopped_by or "search ended"
    details = {"forest": True} if is_forest else {}
    return Outcome(best.cliques, best.score, max(bound, best.score), stopped_by, details=details)


@contextmanager
def _threads(scorer: Scorer, threads: int) -> Iterator[ThreadMapper]:
    if threads == 1:
        yield ThreadMapper(scorer, None)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield ThreadMapper(scorer, pool)
