"""A bound for tables with too many variables to score all sets of them; where cliques are small, a proof."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from chordlearn._core import Control, CutBound, Stopped, count_sets, local_bound
from chordlearn.backends.outcome import DEFAULT_TOLERANCE, Limits
from chordlearn.cutting import BranchAndCut, Network
from chordlearn.graphs import members, score_of, separators
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.compute import make_scorer
from chordlearn.scores.memory import available_bytes

MOST_SETS = 2**25
BYTES_PER_SET = 40
FEW_SETS = 2**21
"""So many sets are scored for a bound that cannot be tight."""
LARGEST_SET = 12


def can_cut(n: int, largest: int, memory_bytes: float) -> bool:
    """Whether all sets of up to so many variables can be held."""
    sets = count_sets(n, largest)
    return largest <= LARGEST_SET and sets <= MOST_SETS and sets * BYTES_PER_SET <= memory_bytes


@dataclass
class WideBound:
    """Works on a bound in a thread of its own, beside a search for networks."""

    problem: WideProblem
    largest: int
    """No clique has more variables."""
    limits: Limits
    deadline: float | None = None
    bound: float = math.inf
    is_done: bool = False
    """Whether it has come to its own end."""

    def __post_init__(self) -> None:
        self._control = Control()
        self._run: BranchAndCut | None = None
        self._best: Network | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End soon, and wait for it; raises what went wrong."""
        self._control.stop()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def wait(self, seconds: float) -> None:
        """Let it go on for at most so long."""
        self._thread.join(seconds)

    @property
    def best(self) -> Network | None:
        """The best network known here."""
        return self._best

    def offer(self, network: Network) -> None:
        """Tell of a network; a better one makes a better bound."""
        if self._best is None or network.score > self._best.score:
            self._best = network

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets the best network."""
        return self._best is not None and self.bound <= self._best.score + DEFAULT_TOLERANCE

    def _work(self) -> None:
        try:
            memory = self.limits.memory_bytes or available_bytes() / 2
            if can_cut(self.problem.n, self.largest, memory):
                self._cut()
            else:
                self._look_at_parents()
            self.is_done = True
        except Stopped:
            pass
        except MemoryError:
            self.is_done = True
        except BaseException as error:
            self._failure = error
            self.is_done = True

    def _look_at_parents(self) -> None:
        scorer = make_scorer(self.problem.dataset, self.problem.function)
        size = 2
        while size < LARGEST_SET and count_sets(self.problem.n, size + 1) <= FEW_SETS:
            size += 1
        self.bound = local_bound(scorer, min(size, self.problem.n), 1, self._control)

    def _cut(self) -> None:
        scorer = make_scorer(self.problem.dataset, self.problem.function)
        sets = CutBound.of_table(scorer, self.largest, self.problem.forbidden, 1, self._control)
        run = BranchAndCut(
            sets,
            self.problem.n,
            self.largest,
            _network_score(scorer.sets),
            required=self.problem.required,
            best=self._best,
            on_round=self._exchange,
        )
        run.run(self._control, self.deadline)
        self._exchange(run)

    def _exchange(self, run: BranchAndCut) -> None:
        known = self._best
        if known is not None and (run.best is None or known.score > run.best.score):
            run.best = known
        elif run.best is not None:
            self.offer(run.best)
        self.bound = min(self.bound, run.bound)


def _network_score(scores: Callable[[list[list[int]]], object]) -> Callable[[tuple[int, ...]], float]:
    def score(cliques: tuple[int, ...]) -> float:
        return score_of(
            cliques, separators(cliques), lambda mask: float(scores([list(members(mask))])[0])  # type: ignore[index]
        )

    return score
