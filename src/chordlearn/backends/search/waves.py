"""Search over any number of columns: waves of neighbourhoods, each solved exactly.

The waves are proposed and taken in by one compiled `WideSearch`, which depends on the seed alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from chordlearn._core import Control, Scorer, Stopped, WideSearch
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Outcome
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.neighbourhoods import Mapper, Neighbourhood, ThreadMapper, WorkersMapper
from chordlearn.graphs import edges_of, graph_from_cliques, graph_from_edges, maximal_cliques
from chordlearn.problem.problem import Incumbent, supported_clique
from chordlearn.scores.compute import ScoredData
from chordlearn.system.running import StopReason, watch

FOREST_CLIQUE = 2
"""With cliques of at most so many variables the best network is the forest of largest weight."""
REST = 3.0
"""A search that is to go on rests so much longer than it has searched, while the bound is worked on."""
SAME_SCORE = 1e-9
"""Two ways to add up the score of a network differ by less."""


class Bound(Protocol):
    """A bound that is worked on beside a search."""

    def start(self) -> None:
        """Begin; there is a network by now."""

    def stop(self) -> None:
        """End soon, and wait for it."""

    def go_on(self, control: Control, seconds: float | None = None) -> None:
        """Wait for some seconds, or as long as it gets better, unless it ends or the control is stopped."""

    @property
    def is_at_work(self) -> bool:
        """Whether it was started and has not ended."""


class Waves:
    """One neighbourhood after the other, from the best forest, or from where an earlier run was.

    Without a time limit the search ends when no neighbourhood has anything to gain. Going on from the state
    that is kept after each wave gives what would have come without the break.
    """

    def __init__(self, run: Run, *, mapper: Mapper | None = None, bound: Bound | None = None) -> None:
        """A bound that is worked on beside the search ends it with the proof."""
        problem = run.problem
        self.run = run
        self.bound = bound
        self.mapper = mapper
        assert isinstance(problem.scores, ScoredData)
        if mapper is None and run.workers is not None:
            self.mapper = WorkersMapper(run.workers, problem.scores)
        self.is_forest = problem.max_clique <= FOREST_CLIQUE
        self.search = WideSearch(
            problem.scorer,
            problem.constraints.max_clique or supported_clique(problem),
            problem.required,
            problem.forbidden,
            run.limits.seed,
        )

    def outcome(self) -> Outcome:
        """Search until the end, the proof or a limit."""
        run = self.run
        if not self.search.feasible:
            return run.outcome(StopReason.SEARCH_ENDED)
        watched = watch(self._work, deadline=run.deadline, poll=lambda _: self._report())
        run.offer(self._network())
        if self.bound is not None:
            self.bound.stop()
        if watched.stopped_by is None and self.is_forest and run.best is not None:
            run.tighten(run.best.score)
        stopped_by = watched.stopped_by or StopReason.SEARCH_ENDED
        details = {"forest": True} if self.is_forest else {}
        return run.outcome(StopReason.PROOF if run.is_proved else stopped_by, details=details)

    def search_in(self, control: Control) -> None:
        """Search in this thread until the end, or until it is stopped; the run is offered what is found."""
        if self.search.feasible:
            with suppress(Stopped):
                self._work(control)

    def _report(self) -> None:
        """What the search does, or the bound if it goes on alone."""
        run = self.run
        alone = self.search.ended and self.bound is not None and self.bound.is_at_work
        run.report("proving" if alone else "searching", run.activity_in_words, again=True)

    def after_wave(self) -> None:
        """Keep the network and the state; called from the working thread."""
        self.run.save_state(self.search.state())
        self._offer()

    def _work(self, control: Control) -> None:
        self._begin(control)
        if self.bound is not None:
            self.bound.start()
        # One thread is the bound's.
        threads = max(1, self.run.limits.threads - (self.bound is not None))
        is_endless = self.run.limits.seconds is not None and not self.is_forest
        with _threads(self.run.problem.scorer, threads) as mapper:
            while True:
                started = time.monotonic()
                while not self.search.ended and not self._is_proved():
                    self._search_once(mapper, control)
                if self.bound is not None:
                    rest = REST * (time.monotonic() - started) if is_endless else None
                    self.bound.go_on(control, rest)
                if not is_endless or self._is_proved():
                    return
                self._search_once(mapper, control)

    def _search_once(self, mapper: Mapper, control: Control) -> None:
        tasks = [Neighbourhood(*task) for task in self.search.propose()]
        self.search.accept((self.mapper or mapper).map(tasks, control))
        if control.stopped:
            raise Stopped
        self.after_wave()

    def _begin(self, control: Control) -> None:
        run, search = self.run, self.search
        if self.is_forest:
            # The best forest is the optimum and takes a moment; no other place to start from is one.
            search.start(run.limits.threads, control)
        elif run.state is not None:
            with run.resuming():
                search.restore(dict(run.state))
            self._offer()
            return
        elif run.best is None or not search.start_from(self._edges_of(run.best)):
            search.start(run.limits.threads, control)
            self._claim_forest()
        # The first network is worth keeping: the first wave may take long.
        self.after_wave()

    def _claim_forest(self) -> None:
        """The search begins with the best forest, if no edge is required that makes it none."""
        network = self._network()
        if not self.is_forest and max(map(int.bit_count, network.cliques)) <= FOREST_CLIQUE:
            self.run.claim(FOREST_CLIQUE, network, network.score)

    def _is_proved(self) -> bool:
        best = self.run.best
        return best is not None and self.run.bound <= best.score + DEFAULT_TOLERANCE

    def _offer(self) -> None:
        best = self.run.best
        if best is None or self.search.score > best.score + SAME_SCORE:
            self.run.offer(self._network())

    def _network(self) -> Incumbent:
        problem = self.run.problem
        cliques = maximal_cliques(graph_from_edges(problem.n, self.search.best()[1].tolist()))
        return Incumbent(problem.score(cliques), cliques)

    def _edges_of(self, network: Incumbent) -> Any:
        return edges_of(graph_from_cliques(self.run.problem.n, network.cliques))


class Slice(Waves):
    """A search that ends after the first wave at which it is due."""

    def __init__(self, run: Run, is_due: Callable[[], bool]) -> None:
        super().__init__(run)
        self.is_due = is_due

    def after_wave(self) -> None:
        """Keep the state, and end if it is time."""
        super().after_wave()
        if self.is_due():
            raise Stopped


@contextmanager
def _threads(scorer: Scorer, threads: int) -> Iterator[ThreadMapper]:
    if threads == 1:
        yield ThreadMapper(scorer, None)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield ThreadMapper(scorer, pool)
