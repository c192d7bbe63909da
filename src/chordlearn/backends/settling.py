"""The last step of every run that ends with a proof: of the networks that tie with the best, the simplest."""

from __future__ import annotations

from chordlearn._core import Control, Relaxation
from chordlearn.backends.incumbent import Incumbent
from chordlearn.backends.outcome import Limits
from chordlearn.backends.ties import Ties, leave_ties_open, most_states, settle_ties
from chordlearn.limits import available_bytes
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import reduce_candidates
from chordlearn.watching import watch


def settle(
    problem: Problem,
    best: Incumbent,
    limits: Limits,
    *,
    within: float,
    least: float,
    known: Relaxation | None = None,
    states: int = 0,
    second: float | None = None,
    deadline: float | None = None,
) -> tuple[Incumbent, Ties]:
    """The simplest network within a distance of the best that scores ``least`` or more, and what ties.

    By the deadline (of time.monotonic), or where there is no room, a network that no edge can leave.
    ``known`` is a relaxation to start from, if it still has all these networks. It leaves at least so many
    ``states``, and ``second`` is what its second best network scores, if that is known.

    >>> import numpy as np
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -3]), max_size=2))
    >>> settle(problem, Incumbent(-3.0, (0b11,)), Limits(), within=1e-6, least=-3.000001)
    (Incumbent(score=-3.0, cliques=(1, 2)), Ties(networks=2, within=1e-06, complete=True, simplest=True))
    """
    lower = best.score - within
    memory = available_bytes()
    if limits.memory_bytes is not None:
        memory = min(memory, limits.memory_bytes)

    def work(control: Control) -> tuple[Incumbent, Ties] | None:
        relaxation, seen, most = known, second, most_states(memory)
        if relaxation is not None and relaxation.lower >= lower and states > most:
            return None
        if relaxation is None or relaxation.lower > lower:
            if Relaxation.bytes_needed(problem.n) > memory / 2:
                return None
            reduced = reduce_candidates(problem, lower, threads=limits.threads, control=control)
            relaxation, seen = reduced.relaxation, None
        assert relaxation is not None
        threads = limits.threads
        return settle_ties(relaxation, problem.n, best, within, threads, control, most=most, second=seen)

    settled = watch(work, deadline=deadline).value
    if settled is not None and settled[0].score >= least:
        return settled
    return leave_ties_open(
        problem.n, best, within, problem.required, problem.values.__getitem__, max(least, lower)
    )
