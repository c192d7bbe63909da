"""Search over any number of columns: waves of neighbourhoods, each solved exactly.

The waves are proposed and taken in by one compiled `WideSearch`, which depends on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from chordlearn._core import Control, Scorer, Stopped, WideSearch
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Outcome
from chordlearn.backends.base.run import Run
from chordlearn.backends.search.background_bound import BackgroundBound
from chordlearn.backends.search.neighbourhoods import Mapper, Neighbourhood, ThreadMapper, WorkersMapper
from chordlearn.graphs import edges_of, graph_from_cliques, graph_from_edges, maximal_cliques
from chordlearn.problem.problem import Incumbent
from chordlearn.scores.compute import ScoredData
from chordlearn.system.running import StopReason, watch

FOREST_CLIQUE = 2
"""With cliques of at most so many variables the best network is the forest of largest weight."""
SAME_SCORE = 1e-9
"""Two ways to add up the score of a network differ by less."""


class Waves:
    """One neighbourhood after the other, from the best forest, or from where an earlier run was.

    Without a time limit the search ends when no neighbourhood has anything to gain. Going on from the state
    that is kept after each wave gives what would have come without the break.
    """

    def __init__(
        self, run: Run, *, mapper: Mapper | None = None, bound: BackgroundBound | None = None
    ) -> None:
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
            problem.constraints.max_clique or 0,
            problem.required,
            problem.forbidden,
            run.limits.seed,
        )

    def outcome(self) -> Outcome:
        """Search until the end, the proof or a limit."""
        run = self.run
        if not self.search.feasible:
            return run.outcome(StopReason.SEARCH_ENDED)
        watched = watch(self._work, deadline=run.deadline, poll=lambda _: run.report("searching", again=True))
        run.offer(self._network())
        if self.bound is not None:
            self.bound.stop()
        if watched.stopped_by is None and self.is_forest and run.best is not None:
            run.tighten(run.best.score)
        stopped_by = watched.stopped_by or StopReason.SEARCH_ENDED
        details = {"forest": True} if self.is_forest else {}
        return run.outcome(StopReason.PROOF if run.is_proved else stopped_by, details=details)

    def after_wave(self) -> None:
        """Keep the network and the state; called from the working thread."""
        self.run.save_state(self.search.state())
        self._offer()

    def _work(self, control: Control) -> None:
        limits = self.run.limits
        self._begin(control)
        if self.bound is not None:
            self.bound.start()
        # One thread is the bound's.
        with _threads(self.run.problem.scorer, max(1, limits.threads - (self.bound is not None))) as threads:
            mapper = self.mapper or threads
            while not self.search.ended or (limits.seconds is not None and not self.is_forest):
                if self._is_proved():
                    return
                wave = [Neighbourhood(*task) for task in self.search.propose()]
                self.search.accept(mapper.map(wave, control))
                if control.stopped:
                    raise Stopped
                self.after_wave()
        if self.bound is not None:
            self.bound.go_on(control)

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
        # The first network is worth keeping: the first wave may take long.
        self.after_wave()

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
