"""Bounds for wider and wider classes of networks, up to the one asked for, worked on beside a search.

The classes are networks with cliques of at most 3 variables, of at most 4, and so on, and at last all that
the constraints allow. Cuts bound the smallest classes, where all sets can be listed. Their multipliers bound
what families of any size are worth, which leaves few sets that a better network may have; cuts settle those.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from chordlearn._core import Control, CutBound, FamilyBounds, Stopped, count_sets, local_bound
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits
from chordlearn.backends.base.run import Run, Stopwatch
from chordlearn.backends.search.waves import Slice
from chordlearn.bounds import BranchAndCut, Prices
from chordlearn.errors import TooLargeError, option
from chordlearn.problem.problem import Incumbent
from chordlearn.system.memory import available_bytes

MOST_SETS = 2**25
BYTES_PER_SET = 40
FEW_SETS = 2**21
"""So many sets are scored for a bound that cannot be tight."""
LARGEST_SET = 12
FIRST_CLASSES = (3, 4)
"""The largest cliques of the classes that cuts bound before families of any size are looked at."""
MOST_LEFT, BYTES_PER_LEFT_SET = 4_000_000, 250
"""So many sets may be left for the cuts to settle, and so much memory each of them takes."""
FEW_LEFT = 20_000
"""So many are left to linear programs where a wider class comes next."""
SLACK = 1.5 * DEFAULT_TOLERANCE
"""Sets are kept for networks that score so much less than the best, so that ties are seen."""
WAIT_SECONDS = 0.1
PATIENCE_SECONDS = 60.0
FIRST_BUDGET = 40.0
"""Seconds for the search over families of one class, before the next has its turn; doubled each time."""
SEARCH_SECONDS = 5.0
"""For the best network of a class, where the best one known has larger cliques."""


def can_cut(n: int, largest: int, memory_bytes: float) -> bool:
    """Whether all sets of up to so many variables can be held."""
    sets = count_sets(n, largest)
    return largest <= LARGEST_SET and sets <= MOST_SETS and sets * BYTES_PER_SET <= memory_bytes


def memory_for_cuts(run: Run) -> float:
    """Bytes that the sets of a run may take."""
    return min(run.limits.memory_bytes or math.inf, available_bytes() / 2)


def refuse_unbounded(run: Run) -> None:
    """Refuse a proof for networks of which neither all sets can be listed nor all families be bounded."""
    n, memory = run.problem.n, memory_for_cuts(run)
    by_families = FamilyBounds.can_bound(run.problem.scorer)
    largest = min(run.problem.max_clique, FIRST_CLASSES[0]) if by_families else run.problem.max_clique
    if can_cut(n, largest, memory):
        return
    fits = next((size for size in (3, 2) if size < largest and can_cut(n, size, math.inf)), None)
    smaller = (
        "keep fewer columns" if fits is None else f"allow smaller cliques ({option('max_clique', fits)})"
    )
    raise TooLargeError(
        f"There are too many sets of up to {largest} of {n} variables to prove a network with this score; "
        f"{smaller}, or leave out {option('backend')} for a network with a bound."
    )


def ladder_beside(run: Run, *, patient: bool = False) -> Ladder | None:
    """Bounds to work on beside a search; None without HiGHS. A patient one goes on until there is a proof."""
    if find_spec("highspy") is None:
        return None
    if patient:
        refuse_unbounded(run)
    return Ladder(run, patience=math.inf if patient else PATIENCE_SECONDS)


class Ladder:
    """Climbs from class to class, in a thread of its own or in the caller's."""

    def __init__(self, run: Run, *, patience: float = PATIENCE_SECONDS, branch: bool = True) -> None:
        """Without a time limit it ends when nothing has got better for so many seconds.

        Without branching it ends when it is known which sets a better network may have.
        """
        self.run = run
        self.patience = patience
        self.branch = branch
        self.classes: list[int] = []
        """The largest cliques of the classes that cuts bound."""
        self.sets_before = 0
        """How many sets of two variables or more the cuts began with, for the class that is asked for."""
        self._control = Control()
        self._cutting: BranchAndCut | None = None
        self._whole: BranchAndCut | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin in a thread; there should be a network by now."""
        self._thread.start()

    @property
    def has_begun(self) -> bool:
        """Whether it was started."""
        return self._thread.ident is not None

    @property
    def is_at_work(self) -> bool:
        """Whether it was started and has not ended."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End soon, and wait for it; raises what went wrong."""
        self._control.stop()
        if self.has_begun:
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def go_on(self, control: Control, seconds: float | None = None) -> None:
        """Let it go on alone for some seconds, or until its patience ends."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        patience = self.patience if seconds is None else math.inf
        while self.is_at_work and not control.stopped:
            if time.monotonic() >= end or self.run.seconds_without_news >= patience:
                break
            self._thread.join(WAIT_SECONDS)

    def sets_left(self, control: Control) -> CutBound | None:
        """The sets that networks as good as the best may have, once it has stopped; None if not known."""
        return None if self._whole is None else self._whole.sets_left(control)

    def _work(self) -> None:
        try:
            self.climb(self._control)
        except (Stopped, MemoryError):
            # What is known by then is a bound all the same.
            pass
        except BaseException as error:
            self._failure = error

    def climb(self, control: Control) -> CutBound | None:
        """Bound class after class; the sets that better networks may have, None if they are too many."""
        self._control = control
        problem = self.run.problem
        # There is no time too short for some bound.
        self.run.tighten(local_bound(problem.scorer, 1, 1, control))
        by_families = FamilyBounds.can_bound(problem.scorer)
        self.classes = self._classes_to_cut(by_families)
        for size in self.classes:
            self._cut(size)
        if self._whole is None and by_families:
            self._climb_by_families()
        elif self._whole is None:
            self.run.tighten(self._look_at_parents())
        return None if self._whole is None else self.sets_left(control)

    def _classes_to_cut(self, by_families: bool) -> list[int]:
        """The classes whose sets can all be listed, as far as families do not take over."""
        n, whole = self.run.problem.n, self.run.problem.max_clique
        sizes = range(FIRST_CLASSES[0], FIRST_CLASSES[-1] + 1 if by_families else LARGEST_SET + 1)
        wanted = [min(whole, FIRST_CLASSES[0]), *(size for size in sizes[1:] if size <= whole)]
        memory = memory_for_cuts(self.run)
        return [size for size in wanted if can_cut(n, size, memory)]

    def _look_at_parents(self) -> float:
        problem, size = self.run.problem, 2
        while size < LARGEST_SET and count_sets(problem.n, size + 1) <= FEW_SETS:
            size += 1
        return local_bound(problem.scorer, min(size, problem.n), 1, self._control)

    def _cut(self, size: int) -> None:
        """Bound the class of this size by cuts on all its sets."""
        problem, threads = self.run.problem, self.run.limits.threads
        self.run.activity = f"networks with cliques of {_class_in_words(size, problem.n)}"
        sets = CutBound.of_table(problem.scorer, size, problem.forbidden, threads, self._control)
        self._settle(sets, size)

    def _settle(self, sets: CutBound, size: int) -> None:
        """Close the gap on these sets, which are all that networks of the class may have."""
        problem = self.run.problem
        is_whole = size == problem.max_clique
        self._cutting = cutting = BranchAndCut(
            sets,
            problem.n,
            size,
            problem.score,
            required=problem.required,
            best=self._best_up_to(size),
            slack=SLACK,
            most_for_programs=math.inf if is_whole else FEW_LEFT,
            on_round=partial(self._exchange, size),
        )
        if is_whole:
            self._whole, self.sets_before = cutting, sets.left
        if self.branch or not is_whole:
            cutting.run(self._control, self.run.deadline)
        else:
            cutting.tighten(self._control, self.run.deadline)
        self._exchange(size, cutting)

    def _exchange(self, size: int, cutting: BranchAndCut) -> None:
        """Give what is known here, and take what the search has found meanwhile."""
        self.run.offer(cutting.best)
        best = self.run.best
        if best is not None and max(map(int.bit_count, best.cliques)) <= size:
            cutting.best = best
        self._claim(size, cutting.best, cutting.bound)

    def _claim(self, size: int, best: Incumbent | None, bound: float) -> None:
        if size == self.run.problem.max_clique:
            self.run.tighten(bound)
        elif best is not None:
            self.run.claim(size, best, bound)

    def _best_up_to(self, size: int) -> Incumbent | None:
        """A good network of a class: the best known if it is one, else what a short search finds."""
        run = self.run
        best = run.best
        if best is None or max(map(int.bit_count, best.cliques)) <= size:
            return best
        end = run.within(SEARCH_SECONDS)
        part = Run(run.problem.with_cliques_up_to(size), Limits(seed=run.limits.seed))
        Slice(part, lambda: self._control.stopped or time.monotonic() >= end).search_in(self._control)
        return part.best

    def _climb_by_families(self) -> None:
        """Search families of all sizes; where that takes long, those of a few sizes in between."""
        whole = self.run.problem.max_clique
        largest = self.classes[-1] if self.classes else 2
        prices = Prices() if self._cutting is None else self._cutting.prices
        prices_of_whole = prices
        searches = {whole: self._family_bounds(whole, prices)}
        budget = FIRST_BUDGET
        while searches:
            for size in sorted(searches, reverse=True):
                if not self._search_families(searches[size], size, budget):
                    continue
                if size == whole:
                    self.run.prices = replace(prices_of_whole, most=searches[whole].most)
                settled = self._settle_left(searches.pop(size), size)
                if settled is None:
                    continue
                if size == whole:
                    return
                largest, prices = size, settled
                if whole not in searches:
                    prices_of_whole = prices
                    searches[whole] = self._family_bounds(whole, prices)
            if largest + 1 < whole:
                searches.setdefault(largest + 1, self._family_bounds(largest + 1, prices))
            budget *= 2

    def _family_bounds(self, size: int, prices: Prices) -> FamilyBounds:
        problem = self.run.problem
        return FamilyBounds(problem.scorer, prices.cuts, prices.multipliers, size, problem.forbidden)

    def _search_families(self, families: FamilyBounds, size: int, seconds: float) -> bool:
        """Go on with a search for some seconds; says whether it is done."""
        control = Control()
        done: list[bool] = []

        def search() -> None:
            try:
                families.search(self.run.limits.threads, control)
                done.append(True)
            except (Stopped, MemoryError):
                pass

        def note() -> None:
            best = self._best_up_to_now(size)
            self._claim(size, best, families.bound)
            total = families.branches
            share = 1 - families.open_branches / total if total else 0.0
            self.run.note_share(share)
            self.run.activity = f"families of {_class_in_words(size, self.run.problem.n)}, {share:.0%} done"

        _while_running(search, control, self._control, note, seconds)
        note()
        return bool(done)

    def _best_up_to_now(self, size: int) -> Incumbent | None:
        run = self.run
        best = run.best
        if best is not None and max(map(int.bit_count, best.cliques)) <= size:
            return best
        known = [claim for claim in run.claims.values() if claim.largest <= size]
        return max((Incumbent(claim.score, claim.cliques) for claim in known), default=None)

    def _settle_left(self, families: FamilyBounds, size: int) -> Prices | None:
        """Settle the sets that are left of families whose worth is known; the multipliers that did."""
        best = self._best_up_to_now(size)
        if best is None:
            return None
        threads = self.run.limits.threads
        most = min(MOST_LEFT, int(memory_for_cuts(self.run) / BYTES_PER_LEFT_SET))
        left = families.sets_left(best.score - SLACK, most, threads, self._control)
        if left is None:
            return None
        left.shrink(best.score - SLACK, self._control)
        self._claim(size, best, max(left.bound, best.score))
        self._settle(CutBound.of_sets(self.run.problem.n, *left.sets(), self._control), size)
        assert self._cutting is not None
        return self._cutting.prices


def _class_in_words(size: int, n: int) -> str:
    return "any size" if size == n else f"up to {size} variables"


def _while_running(
    work: Callable[[], None], own: Control, outer: Control, poll: Callable[[], None], seconds: float
) -> None:
    """Run work in a thread until it ends, the outer control is stopped, or time is up."""
    watch = Stopwatch()
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(WAIT_SECONDS)
        poll()
        if outer.stopped or watch.seconds >= seconds:
            own.stop()
            thread.join()
    if outer.stopped:
        raise Stopped
