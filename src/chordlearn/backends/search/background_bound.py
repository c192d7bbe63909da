"""A bound where there are too many sets to score all, worked on beside a search."""

from __future__ import annotations

import math
import threading
import time
from importlib.util import find_spec

from chordlearn._core import Control, CutBound, Stopped, count_sets, local_bound
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE
from chordlearn.backends.base.run import Run
from chordlearn.bounds import BranchAndCut
from chordlearn.errors import TooLargeError, option
from chordlearn.system.memory import available_bytes

MOST_SETS = 2**25
BYTES_PER_SET = 40
FEW_SETS = 2**21
"""So many sets are scored for a bound that cannot be tight."""
LARGEST_SET = 12
SLACK = 1.5 * DEFAULT_TOLERANCE
"""Sets are kept for networks that score so much less than the best, so that ties are seen."""
WAIT_SECONDS = 0.1
PATIENCE_SECONDS = 30.0


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


def memory_for_cuts(run: Run) -> float:
    """Bytes that the sets of a run may take."""
    return min(run.limits.memory_bytes or math.inf, available_bytes() / 2)


def bound_beside(run: Run, *, patient: bool = False) -> BackgroundBound | None:
    """A bound to work on beside a search; None without HiGHS.

    A patient one goes on until there is a proof.
    """
    problem = run.problem
    if find_spec("highspy") is None:
        return None
    if patient and not can_cut(problem.n, problem.max_clique, memory_for_cuts(run)):
        raise refuse_to_cut(problem.n, problem.max_clique)
    return BackgroundBound(run, patience=math.inf if patient else PATIENCE_SECONDS)


class BackgroundBound:
    """Works on the bound of a run in a thread of its own, beside a search for networks."""

    def __init__(self, run: Run, *, patience: float = PATIENCE_SECONDS) -> None:
        """It may go on for so many seconds after a search without a time limit has ended."""
        self.run = run
        self.patience = patience
        self._control = Control()
        self._branch_and_cut: BranchAndCut | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin; there should be a network by now."""
        self._thread.start()

    @property
    def has_begun(self) -> bool:
        """Whether it was started."""
        return self._thread.ident is not None

    def stop(self) -> None:
        """End soon, and wait for it; raises what went wrong."""
        self._control.stop()
        if self.has_begun:
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def go_on(self, control: Control) -> None:
        """Let it go on alone: until it ends, or its patience does, or the control is stopped."""
        end = time.monotonic() + self.patience
        while self._thread.is_alive() and time.monotonic() < end and not control.stopped:
            self._thread.join(WAIT_SECONDS)

    def sets_left(self, control: Control) -> CutBound | None:
        """The sets that networks as good as the best may have, once it has stopped; None if not known."""
        return None if self._branch_and_cut is None else self._branch_and_cut.sets_left(control)

    def _work(self) -> None:
        problem = self.run.problem
        try:
            # There is no time too short for some bound.
            self.run.tighten(local_bound(problem.scorer, 1, 1, self._control))
            if can_cut(problem.n, problem.max_clique, memory_for_cuts(self.run)):
                self._cut()
            else:
                self.run.tighten(self._look_at_parents())
        except (Stopped, MemoryError):
            # What is known by then is a bound all the same.
            pass
        except BaseException as error:
            self._failure = error

    def _look_at_parents(self) -> float:
        problem, size = self.run.problem, 2
        while size < LARGEST_SET and count_sets(problem.n, size + 1) <= FEW_SETS:
            size += 1
        return local_bound(problem.scorer, min(size, problem.n), 1, self._control)

    def _cut(self) -> None:
        problem = self.run.problem
        self._branch_and_cut = branch_and_cut = BranchAndCut(
            CutBound.of_table(problem.scorer, problem.max_clique, problem.forbidden, 1, self._control),
            problem.n,
            problem.max_clique,
            problem.score,
            required=problem.required,
            best=self.run.best,
            slack=SLACK,
            on_round=self._exchange,
        )
        branch_and_cut.run(self._control, self.run.deadline)
        self._exchange(branch_and_cut)

    def _exchange(self, branch_and_cut: BranchAndCut) -> None:
        """Give what is known here, and take what the search has found meanwhile."""
        self.run.offer(branch_and_cut.best)
        branch_and_cut.best = self.run.best
        self.run.tighten(branch_and_cut.bound)
