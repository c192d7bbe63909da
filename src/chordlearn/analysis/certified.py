"""Sums over all networks that may matter, with a proved bound of the weight of all others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, KeptStates, KeptSums
from chordlearn.analysis.network_sources import DRAWN, Cliques, Probability, is_separated, share_of
from chordlearn.backends.base.outcome import Observer
from chordlearn.errors import StoppedError, TooLargeError, option
from chordlearn.graphs import count_chordal_graphs, edges_of
from chordlearn.network.result import Result
from chordlearn.problem.problem import Problem
from chordlearn.system.running import StopReason, Watched, watch

MOST_CERTIFIED = 25
"""Variables."""
TOLERANCE = 1e-6
LARGEST_TOLERANCE = ROUGH = 0.1
"""An error beyond it says nothing; then the certificate is refused."""
SLACK = 1e-3
"""Of logarithms, for all that sums of scores are off by."""
MULTIPLIERS = 30
"""Rounds that are spent on better bounds."""
PENALTIES = (0.0, 2.0, 3.0)
"""For each edge that the best network lacks; 0 counts all networks alike."""
BONUS = 4.0
BYTES_OF_CELL, BYTES_OF_STATE = 24, 150
CELLS_PER_SECOND = 400_000
"""Of one thread, at least."""


class Kept:
    """Sums over the networks that were kept, and what all others weigh at most beside them."""

    method = "certified"

    def __init__(self, sums: KeptSums, n: int, log_rest: float) -> None:
        """Take the sums, and the logarithm of what the others weigh at most."""
        self.sums, self.n = sums, n
        self.rest = math.exp(log_rest - sums.log_total + sums.rounding)

    def log_evidence(self) -> tuple[float, float]:
        """The logarithm of the sum, which may be larger by the error."""
        total = self.sums.log_total
        return total, math.log1p(self.rest) + self.sums.rounding + abs(total) * 1e-15

    def pair(self, a: int, b: int) -> Probability:
        """That two variables are joined."""
        return self.complete(1 << a | 1 << b)

    def complete(self, mask: int) -> Probability:
        """That a set is complete."""
        share = self.sums.share(mask)
        return Probability(min(share, 1.0), min(1.0, self.rest + 2 * self.sums.rounding * share), "certified")

    def separated(self, a: int, b: int, given: int) -> Probability:
        """From the probability of an edge where the given set is all the others; else from draws."""
        if given | 1 << a | 1 << b == (1 << self.n) - 1:
            joined = self.pair(a, b)
            return Probability(1 - joined.value, joined.error, "certified")
        return self.share(lambda cliques: is_separated(self.n, cliques, a, b, given))

    def share(self, holds: Callable[[Cliques], bool]) -> Probability:
        """The share of networks of which something holds, among some thousand drawn."""
        return share_of(self.networks(DRAWN, 0), holds)

    def networks(self, count: int, seed: int) -> list[Cliques]:
        """Independent draws from the networks kept; the i-th depends on the seed and on i only."""
        run = watch(lambda control: self.sums.draw(seed, 0, count, control))
        if run.value is None:
            raise KeyboardInterrupt
        return [tuple(cliques) for cliques in run.value]


@dataclass(frozen=True)
class Weighting:
    """A weight q(H) of every network, a product over its edges, and the logarithm of their sum or more.

    Networks with w(H) ≤ q(H) exp(t) weigh at most Σ q(H) exp(t) together, so they may be left out.
    """

    logs: dict[tuple[int, int], float]
    log_sum: float

    def tilted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores less the logarithms of these weights."""
        masks = np.arange(len(values), dtype=np.uint32)
        tilt = np.zeros(len(values))
        for (a, b), log in self.logs.items():
            if log:
                tilt += log * ((masks >> a & masks >> b) & 1)
        return np.ascontiguousarray(values - tilt)


def weightings(problem: Problem, best: Result) -> Iterator[Weighting]:
    """All networks alike; and those that add edges to the best one weighing less with every edge."""
    joined = set(edges_of(best.network.graph))
    forbidden = {tuple(sorted(edge)) for edge in problem.forbidden}
    pairs = [pair for pair in combinations(range(problem.n), 2) if pair not in forbidden]
    for penalty in PENALTIES:
        if penalty:
            logs = {pair: BONUS if pair in joined else -penalty for pair in pairs}
            yield Weighting(logs, sum(math.log1p(math.exp(log)) for log in logs.values()))
        else:
            limit = problem.max_clique if problem.max_clique < problem.n else None
            count = math.log(count_chordal_graphs(problem.n, max_clique=limit))
            yield Weighting({}, min(count, len(pairs) * math.log(2)))


def sum_certified(
    problem: Problem,
    best: Result,
    tolerance: float,
    threads: int,
    memory_bytes: float,
    deadline: float | None,
    seconds: float | None,
    observer: Observer,
) -> Kept:
    """Sums over the states that the engine's bounds leave for all networks that matter.

    Where the states for the tolerance are too many, the smallest error is taken for which they are not.
    """
    most_cells = memory_bytes / (2 * BYTES_OF_CELL)
    if seconds is not None:
        most_cells = min(most_cells, seconds / 2 * threads * CELLS_PER_SECOND)
    most = int(min(memory_bytes / (2 * BYTES_OF_STATE), most_cells))
    values, required = np.ascontiguousarray(problem.values), list(problem.required)
    candidates = list(weightings(problem, best))

    def certified(error: float, log_total: float) -> Kept | None:
        """With such an error relative to a sum; None if it takes too much."""
        chosen: tuple[float, KeptStates, float] | None = None
        observer.progress("certifying", None, None, f"looking for states, error {error:.0e}")
        for weighting in candidates:
            log_rest = log_total + math.log(error) - SLACK
            tilted = weighting.tilted(values)

            def find(
                control: Control,
                tilted: NDArray[np.float64] = tilted,
                lower: float = log_rest - weighting.log_sum,
            ) -> tuple[KeptStates, int | None]:
                states = KeptStates(tilted, required, threads)
                return states, states.find(lower, MULTIPLIERS, most, control)

            run = watch(find, deadline=deadline)
            if run.value is None:
                _stop(run)
            states, count = run.value
            if count is not None and states.cells <= most_cells and (not chosen or states.cells < chosen[0]):
                chosen = states.cells, states, log_rest
        if chosen is None:
            return None
        return _summed(problem, values, chosen[1], chosen[2], threads, deadline, observer)

    # A rough sum first: the error of the next is relative to it, and it weighs more than the best network.
    found = certified(max(tolerance, ROUGH), best.score)
    while found is not None and tolerance < ROUGH:
        better = certified(tolerance, found.sums.log_total - SLACK)
        if better is not None:
            return better
        tolerance *= 100
    if found is not None:
        return found
    raise TooLargeError(
        f"No error below {LARGEST_TOLERANCE} can be certified for these {problem.n} variables in the memory "
        f"and the time that may be used; choose {option('method', 'chain')}, or fewer columns."
    )


def _summed(
    problem: Problem,
    values: NDArray[np.float64],
    states: KeptStates,
    log_rest: float,
    threads: int,
    deadline: float | None,
    observer: Observer,
) -> Kept:
    def report(control: Control) -> None:
        observer.progress("certifying", None, None, f"{control.done:,} states summed")

    run = watch(lambda control: states.sum(values, threads, control), deadline=deadline, poll=report)
    if run.value is None:
        _stop(run)
    return Kept(run.value, problem.n, log_rest)


def _stop(run: Watched[Any]) -> NoReturn:
    if run.stopped_by == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if run.stopped_by == StopReason.MEMORY_LIMIT:
        raise TooLargeError(f"Memory ran out; choose {option('method', 'chain')}, or fewer columns.")
    raise StoppedError(
        "The time did not suffice to certify the sum over all networks; "
        f"allow more, or choose {option('method', 'chain')}."
    )
