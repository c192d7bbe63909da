"""A bound for tables with too many variables to score all sets of them; where cliques are small, a proof."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from chordlearn._core import Control, CutBound, Scorer, Stopped, count_sets, local_bound
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits
from chordlearn.bounds import BranchAndCut, Network
from chordlearn.errors import TooLargeError, option
from chordlearn.graphs import members, score_of, separators
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.compute import make_scorer
from chordlearn.system.memory import available_bytes

MOST_SETS = 2**25
BYTES_PER_SET = 40
FEW_SETS = 2**21
"""So many sets are scored for a bound that cannot be tight."""
LARGEST_SET = 12
FOREST_CLIQUE = 2
SLACK = 1.5 * DEFAULT_TOLERANCE
"""Sets are kept for networks that score so much less than the best, so that ties are seen."""
WAIT_SECONDS = 0.1
PATIENCE_SECONDS = 30.0
SAME_SCORE = 1e-9
"""Two ways to add up the score of a network differ by less."""


def can_cut(n: int, largest: int, memory_bytes: float) -> bool:
    """Whether all sets of up to so many variables can be held."""
    sets = count_sets(n, largest)
    return largest <= LARGEST_SET and sets <= MOST_SETS and sets * BYTES_PER_SET <= memory_bytes


def refuse_to_cut(n: int, largest: int) -> TooLargeError:
    """What to say where not all sets of up to so many variables can be held."""
    fits = next((size for size in (3, 2) if size < largest and can_cut(n, size, math.inf)), None)
    smaller = (
        "keep fewer columns" if fits is None else f"allow smaller cliques ({option('max_clique', fits)})"
    )
    return TooLargeError(
        f"There are too many sets of up to {largest} of {n} variables to prove a network; "
        f"{smaller}, or leave out {option('backend')} for a network with a bound."
    )


def bound_beside(problem: WideProblem, limits: Limits, *, patient: bool = False) -> WideBound | None:
    """A bound to work on beside a search; None where the best forest is the optimum, or without HiGHS.

    A patient one goes on until there is a proof.
    """
    largest = min(problem.constraints.max_clique or problem.n, problem.n)
    if largest <= FOREST_CLIQUE or find_spec("highspy") is None:
        return None
    memory = min(limits.memory_bytes or math.inf, available_bytes() / 2)
    if patient and not can_cut(problem.n, largest, memory):
        raise refuse_to_cut(problem.n, largest)
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    return WideBound(problem, largest, limits, deadline, patience=math.inf if patient else PATIENCE_SECONDS)


@dataclass
class WideBound:
    """Works on a bound in a thread of its own, beside a search for networks."""

    problem: WideProblem
    largest: int
    """No clique has more variables."""
    limits: Limits
    deadline: float | None = None
    patience: float = PATIENCE_SECONDS
    """For how many seconds it may go on after a search without a time limit has ended."""
    bound: float = math.inf

    def __post_init__(self) -> None:
        """Make the thread, which does not run yet."""
        self._control = Control()
        self._best: Network | None = None
        self._run: BranchAndCut | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End soon, and wait for it; raises what went wrong."""
        self._control.stop()
        if self._thread.ident is not None:
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def go_on(self, control: Control) -> None:
        """Let it go on alone: until it ends, or its patience does, or the control is stopped."""
        end = time.monotonic() + self.patience
        while self._thread.is_alive() and time.monotonic() < end and not control.stopped:
            self._thread.join(WAIT_SECONDS)

    @property
    def best(self) -> Network | None:
        """The best network known here."""
        return self._best

    def sets_left(self, control: Control) -> CutBound | None:
        """The sets that networks as good as the best may have, once it has stopped; None if not known."""
        return None if self._run is None else self._run.sets_left(control)

    def offer(self, network: Network) -> None:
        """Tell of a network; a better one makes a better bound."""
        if self._best is None or network.score > self._best.score:
            self._best = network

    def is_worse_than(self, score: float) -> bool:
        """Whether a network with this score would be news."""
        return self._best is None or score > self._best.score + SAME_SCORE

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets the best network."""
        return self._best is not None and self.bound <= self._best.score + DEFAULT_TOLERANCE

    def _work(self) -> None:
        try:
            memory = self.limits.memory_bytes or available_bytes() / 2
            # There is no time too short for some bound.
            scorer = make_scorer(self.problem.dataset, self.problem.function)
            self.bound = local_bound(scorer, 1, 1, self._control)
            if can_cut(self.problem.n, self.largest, memory):
                self._cut()
            else:
                self.bound = min(self.bound, self._look_at_parents())
        except (Stopped, MemoryError):
            # What is known by then is a bound all the same.
            pass
        except BaseException as error:
            self._failure = error

    def _look_at_parents(self) -> float:
        scorer = make_scorer(self.problem.dataset, self.problem.function)
        size = 2
        while size < LARGEST_SET and count_sets(self.problem.n, size + 1) <= FEW_SETS:
            size += 1
        return local_bound(scorer, min(size, self.problem.n), 1, self._control)

    def _cut(self) -> None:
        scorer = make_scorer(self.problem.dataset, self.problem.function)
        sets = CutBound.of_table(scorer, self.largest, self.problem.forbidden, 1, self._control)
        run = BranchAndCut(
            sets,
            self.problem.n,
            self.largest,
            network_score(scorer),
            required=self.problem.required,
            best=self._best,
            slack=SLACK,
            on_round=self._exchange,
        )
        self._run = run
        run.run(self._control, self.deadline)
        self._exchange(run)

    def _exchange(self, run: BranchAndCut) -> None:
        known = self._best
        if known is not None and (run.best is None or known.score > run.best.score):
            run.best = known
        elif run.best is not None:
            self.offer(run.best)
        self.bound = min(self.bound, run.bound)


def value_of(scorer: Scorer) -> Callable[[int], float]:
    """The score of a set of variables, given as a mask."""
    return lambda mask: float(scorer.sets([list(members(mask))])[0])


def network_score(scorer: Scorer) -> Callable[[tuple[int, ...]], float]:
    """The score of a network, given its cliques."""
    return lambda cliques: score_of(cliques, separators(cliques), value_of(scorer))
