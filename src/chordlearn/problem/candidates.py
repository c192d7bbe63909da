"""The sets of variables that may still be complete in a network worth finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn._core import Control, Relaxation
from chordlearn.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the reduction leaves.

    Every network that scores more than ``lower`` has only candidates as complete sets.
    """

    masks: NDArray[Any]
    """The candidates, non-empty, increasing; with a set all its non-empty subsets are there.

    32-bit integers where there is a table of all sets, else Python's.
    """
    before: int
    """How many sets the scores and constraints allow."""
    lower: float
    bound: float
    """No network scores more than the larger of this and ``lower``."""
    relaxation: Relaxation | None = field(default=None, repr=False)
    """The compiled bounds behind it; None when nothing was reduced."""

    @property
    def after(self) -> int:
        """How many sets are left."""
        return len(self.masks)

    def bound_with(self, mask: int) -> float:
        """No network in which this set is complete scores more than the larger of this and ``lower``."""
        return self.bound if self.relaxation is None else self.relaxation.bound_with(mask)

    def forced_edges(
        self, among: Iterable[tuple[int, int]], *, control: Control | None = None
    ) -> tuple[tuple[int, int], ...]:
        """Those of the index pairs that are edges of every network scoring more than ``lower``.

        Only edges of a network that scores more than ``lower`` can be forced, so give those of a known one.
        Raises ``Stopped`` of the core when the control is stopped.

        >>> from chordlearn.scores.table import ScoreTable
        >>> from chordlearn.problem.problem import make_problem
        >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -1.5]), max_size=2))
        >>> reduce_candidates(problem, lower=-2.0).forced_edges([(0, 1)])
        ((0, 1),)
        """
        if self.relaxation is None:
            return ()
        return tuple(self.relaxation.forced_edges(list(among), control or Control()))

    def as_json(self) -> dict[str, int]:
        """The counts as they stand in the JSON result."""
        return {"before": self.before, "after": self.after}


def all_candidates(problem: Problem) -> Candidates:
    """Every set that the problem allows.

    >>> from chordlearn.scores.table import ScoreTable
    >>> from chordlearn.problem.problem import make_problem
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2))
    >>> all_candidates(problem).masks
    array([1, 2, 3], dtype=uint32)
    """
    if problem.listed is not None:
        masks = np.array(sorted(problem.listed)[1:], dtype=object)
    else:
        masks = np.flatnonzero(np.isfinite(problem.values[1:])).astype(np.uint32) + np.uint32(1)
    return Candidates(masks, len(masks), -np.inf, np.inf)


def reduce_candidates(
    problem: Problem,
    lower: float,
    *,
    threads: int = 1,
    control: Control | None = None,
    lagrangian: int = 0,
) -> Candidates:
    """Exclude the sets that no network scoring more than ``lower`` can have, by the DAG relaxation.

    With ``lagrangian``, so many iterations make it dearer for variables to have parents that are not
    adjacent, which gives better bounds and leaves fewer sets, at half a round of the relaxation each.

    Raises ``Stopped`` of the core when the control is stopped.

    >>> from chordlearn.scores.table import ScoreTable
    >>> from chordlearn.problem.problem import make_problem
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -9]), max_size=2))
    >>> reduce_candidates(problem, lower=-4.0).masks
    array([1, 2], dtype=uint32)
    """
    relaxation = Relaxation(problem.values, list(problem.required), threads)
    if lagrangian > 0:
        relaxation.tighten_lagrangian(lower, lagrangian, control or Control())
    else:
        relaxation.tighten(lower, control or Control())
    return _left_by(relaxation)


def tighten_candidates(
    candidates: Candidates, iterations: int, *, control: Control | None = None
) -> Candidates:
    """Go on with Lagrangian iterations where the reduction ended; the relaxation is changed in place.

    Raises ``Stopped`` of the core when the control is stopped.

    >>> from chordlearn.scores.table import ScoreTable
    >>> from chordlearn.problem.problem import make_problem
    >>> values = np.array([0.0, -9, -9, -18, -9, -18, -18, -22])
    >>> problem = make_problem(ScoreTable(("a", "b", "c"), values, max_size=3))
    >>> tighten_candidates(reduce_candidates(problem, lower=-27.5), 5).after
    7
    """
    if candidates.relaxation is None:
        return candidates
    candidates.relaxation.tighten_lagrangian(candidates.lower, iterations, control or Control())
    return _left_by(candidates.relaxation)


def _left_by(relaxation: Relaxation) -> Candidates:
    return Candidates(
        relaxation.kept_sets(), relaxation.allowed, relaxation.lower, relaxation.bound, relaxation
    )
