"""A good network to start from, by local search over chordal graphs."""

from __future__ import annotations

from collections.abc import Sequence

from chordlearn._core import Control, search
from chordlearn.backends.base.outcome import Limits
from chordlearn.problem.problem import Incumbent, Problem

RESTARTS, FEW_RESTARTS = 8, 2
MOVES_PER_PAIR = 500
FEWEST_MOVES = 20_000
NEIGHBOURHOOD = 14
"""So many variables are solved exactly at a time; two more when the search is to try harder."""
PATIENCE = 12


def anneal(
    problem: Problem,
    limits: Limits,
    control: Control,
    *,
    effort: int = 1,
    keep: int = 1,
    starts: Sequence[Incumbent] = (),
) -> list[Incumbent]:
    """The best networks that annealing finds, best first; none if the constraints leave no simple start.

    The same seed and effort give the same networks, whatever the number of threads.
    """
    # A neighbourhood that holds every variable is solved at once; then where to start matters little.
    small = problem.n <= NEIGHBOURHOOD
    found = search(
        problem.values,
        list(problem.required),
        restarts=(FEW_RESTARTS if small else RESTARTS) * effort,
        moves=max(FEWEST_MOVES, MOVES_PER_PAIR * problem.n * problem.n) * effort,
        seed=limits.seed,
        threads=limits.threads,
        keep=keep,
        neighbourhood=NEIGHBOURHOOD + (2 if effort > 1 else 0),
        patience=1 if small else PATIENCE * effort,
        control=control,
        starts=[list(start.cliques) for start in starts],
    )
    return [Incumbent(score, tuple(cliques)) for score, cliques in found]
