"""How many networks score as much as the best one, as far as numbers can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chordlearn._core import Control, Relaxation

MOST_COUNTED = 10
"""More networks than this are not told apart: "more than 10"."""
FEW_STATES = 10_000
"""With more states counting takes too long; it is then only known whether there is a second network."""
MOST_STATES = 300_000
"""With more states, looking for a second network would take noticeable time."""


@dataclass(frozen=True)
class Ties:
    """Networks that score within a distance of the best, which is one of them."""

    networks: int
    within: float
    complete: bool
    """Whether these are all; else there are at least so many."""

    def as_json(self) -> dict[str, Any]:
        """As it stands in the details of a result."""
        return {"networks": self.networks, "within": self.within, "complete": self.complete}


def ties_among(scores: Sequence[float], within: float, *, all_listed: bool) -> Ties:
    """The ties in a list of the best scores in falling order; ``all_listed`` if there are no other networks.

    >>> ties_among([-3.0, -3.0, -7.5], 1e-6, all_listed=False)
    Ties(networks=2, within=1e-06, complete=True)
    >>> ties_among([-3.0, -3.0], 1e-6, all_listed=False).complete
    False
    """
    near = sum(score >= scores[0] - within for score in scores)
    return Ties(near, within, complete=all_listed or near < len(scores))


def count_ties(
    relaxation: Relaxation, best: float, within: float, threads: int, control: Control
) -> Ties | None:
    """The networks within a distance of the best; None if it would take long to find out.

    The relaxation must have been tightened for networks that score more than ``best - within``.
    Raises ``Stopped`` of the core when the control is told to stop.

    >>> import numpy as np
    >>> relaxation = Relaxation(np.array([0.0, -1, -2, -3]), [], 1)
    >>> _ = relaxation.tighten(-3.000001, Control())
    >>> count_ties(relaxation, -3.0, 1e-6, 1, Control())
    Ties(networks=2, within=1e-06, complete=True)
    """
    states = relaxation.states([], MOST_STATES, control)
    if not states.complete:
        return None
    listed = states.count
    _, second = relaxation.solve_two(states, threads, control)
    known = ties_given_second(listed, best, second, within)
    return known or count_near(relaxation, listed, within, threads, control)


def ties_given_second(states: int, best: float, second: float, within: float) -> Ties | None:
    """What the second best score tells, found from so many states; None if near networks should be counted.

    >>> ties_given_second(50, -3.0, -3.5, 1e-6)
    Ties(networks=1, within=1e-06, complete=True)
    """
    if second < best - within:
        return Ties(1, within, complete=True)
    return Ties(2, within, complete=False) if states > FEW_STATES else None


def count_near(relaxation: Relaxation, states: int, within: float, threads: int, control: Control) -> Ties:
    """The networks within a distance of the best one by one, where there are but so many states."""
    listed = relaxation.states([], states, control)
    networks = relaxation.solve_top(listed, MOST_COUNTED + 1, threads, control)
    return ties_among([score for score, _ in networks], within, all_listed=len(networks) <= MOST_COUNTED)
