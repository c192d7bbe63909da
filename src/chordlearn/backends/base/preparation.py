"""What every constraint solver is given: a good network to beat, and the candidates that matter."""

from __future__ import annotations

import math
from dataclasses import dataclass

from chordlearn.backends.base.incumbents import Incumbent, find_incumbents
from chordlearn.backends.base.observers import recall, tell
from chordlearn.backends.base.outcome import Limits, Observer
from chordlearn.problem.candidates import Candidates, all_candidates, reduce_candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.running import watch

KEPT_BELOW_INCUMBENT = 1e-3
"""Sets are kept for networks down to this far below the incumbent, so that the incumbent itself survives."""


@dataclass(frozen=True)
class Prepared:
    """The start of a constraint solver's run."""

    incumbent: Incumbent | None
    candidates: Candidates
    stopped_by: str | None
    """Why the preparation ended early, if it did; the candidates are then all sets."""


def prepare(
    problem: Problem, limits: Limits, observer: Observer, *, reduce: bool, deadline: float | None
) -> Prepared:
    """Search for a network and reduce the candidates with its score.

    Without reduction the solver gets every set and no network: it is then on its own.
    """
    if not reduce:
        return Prepared(None, all_candidates(problem), None)
    observer.progress("searching", None, None)
    known = recall(observer)
    starts = () if known is None else (known,)
    searched = watch(
        lambda control: find_incumbents(problem, limits, control, starts=starts), deadline=deadline
    )
    incumbent = searched.value[0] if searched.value else None
    if incumbent is None or searched.stopped_by is not None:
        return Prepared(incumbent, all_candidates(problem), searched.stopped_by)
    tell(observer, "reducing", incumbent, math.inf)
    lower = incumbent.score - KEPT_BELOW_INCUMBENT
    reduced = watch(
        lambda control: reduce_candidates(problem, lower, threads=limits.threads, control=control),
        deadline=deadline,
    )
    if reduced.value is None or reduced.stopped_by is not None:
        return Prepared(incumbent, all_candidates(problem), reduced.stopped_by)
    observer.progress("reducing", incumbent.score, max(reduced.value.bound, lower))
    return Prepared(incumbent, reduced.value, None)
