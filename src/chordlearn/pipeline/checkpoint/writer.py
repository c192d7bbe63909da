"""Keeping a run's best network on disk while it goes, and going on from an earlier one."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.outcome import Observer, Outcome
from chordlearn.errors import BackendError, InputError, option
from chordlearn.graphs import (
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    is_chordal,
    maximal_cliques,
    separators,
)
from chordlearn.pipeline.checkpoint.file import Checkpoint, Identity
from chordlearn.problem.constraints import Constraints, allows

EVERY_SECONDS = 10.0
SAME_SCORE = 1e-6
"""Relative; the score in a checkpoint may be a running sum."""

ROUNDING = 1e-13
"""Relative; two ways to add up the score of one network differ by less."""

Edges = Iterable[tuple[int, int]]
ScoreSets = Callable[[list[int]], Iterable[float]]
"""Of sets of variables, given as masks."""


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the run went on without."""


class Keeper:
    """An observer that passes everything on, and writes checkpoints at intervals.

    A file that can no longer be written does not end the run; the outcome's details then say why.
    """

    def __init__(
        self,
        observer: Observer,
        identity: Identity,
        *,
        seed: int,
        path: Path | None = None,
        every: float = EVERY_SECONDS,
        resumed: Checkpoint | None = None,
    ) -> None:
        """Write to ``path``, if given, no more often than every so many seconds; go on from ``resumed``."""
        self.failure: InputError | None = None
        """Why the last checkpoint could not be written."""
        self._observer = observer
        self._path = path
        self._every = every
        self._resumed = resumed
        self._start: Incumbent | None = None
        self._started = time.monotonic()
        self._written: float | None = None
        self._news = False
        self._lock = threading.Lock()
        self._kind = ""
        self._seed = seed
        self._latest = Checkpoint(identity.as_json(), seed, -math.inf, ())
        self._bound = math.inf

    def begin(self, kind: str, constraints: Constraints, score_sets: ScoreSets) -> None:
        """Say what kind of search begins, for which networks, and how sets of variables are scored for it."""
        self._kind = kind
        self._constraints = constraints
        self._score_sets = score_sets
        if self._resumed is None or self._start is not None:
            return
        self._start = self.examined(self._resumed.edges, self._resumed.score)
        self._latest = replace(self._latest, score=self._start.score, edges=self._resumed.edges)

    def examined(self, edges: Edges, claimed: float) -> Incumbent:
        """A network of the file, scored anew; refused unless this run could have found it."""
        listed = [(int(a), int(b)) for a, b in edges]
        if any(not 0 <= end < self._latest.n for edge in listed for end in edge):
            raise _damaged("has a variable that is not there")
        graph = graph_from_edges(self._latest.n, listed)
        if not is_chordal(graph):
            raise _damaged("is not chordal")
        cliques = maximal_cliques(graph)
        if not allows(self._constraints, self._latest.identity["variables"], cliques):
            raise _damaged("breaks the constraints")
        inside = list(separators(cliques))
        values = list(self._score_sets([*cliques, *inside]))
        score = math.fsum(values[: len(cliques)]) - math.fsum(values[len(cliques) :])
        if not math.isfinite(score):
            raise _damaged("breaks the constraints")
        if not abs(score - claimed) <= SAME_SCORE * max(1.0, abs(score)):
            raise _damaged("does not score what the checkpoint says")
        return Incumbent(score, cliques)

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Pass it on."""
        self._observer.progress(stage, score, bound, detail)

    def recall(self) -> Incumbent | None:
        """The network to go on from."""
        return self._start

    def recall_state(self) -> Any:
        """The state that a search of the same kind and seed was in."""
        return None if self._resumed is None else self._resumed.state(self._kind, self._seed)

    def remember(self, best: Incumbent, bound: float, state: Any = None) -> None:
        """Keep a network, a bound and a state."""
        n = self._latest.n
        self.remember_edges(
            best.score, lambda: edges_of(graph_from_cliques(n, best.cliques)), bound=bound, state=state
        )

    def remember_edges(
        self, score: float, edges: Callable[[], Edges], *, bound: float = math.inf, state: Any = None
    ) -> None:
        """Keep a network by its edges, which are asked for only if it is the best so far."""
        with self._lock:
            known = self._latest
            if score > known.score:
                known = replace(known, score=score, edges=tuple((int(a), int(b)) for a, b in edges()))
            self._bound = min(self._bound, bound)
            if state is not None:
                known = replace(known, search={"kind": self._kind, "state": state})
            self._news = self._news or known is not self._latest
            self._latest = known
            if self._news and self._is_due():
                self._write()

    def best_so_far(self, stopped_by: str) -> Outcome | None:
        """What a run that was broken off has come to; None if it had no network yet."""
        with self._lock:
            known, bound = self._latest, self._bound
        if not math.isfinite(known.score):
            return None
        return Outcome(known.cliques, known.score, max(bound, known.score), stopped_by)

    def finish(self, outcome: Outcome) -> Outcome:
        """Write for the last time; the outcome is never worse than what the run went on from."""
        start = self._start
        # Of networks that tie, a run that is done returns the simplest.
        slack = outcome.tolerance if outcome.status == "optimal" else 0.0
        if start is not None and (
            outcome.cliques is None or outcome.score < start.score - max(slack, ROUNDING * abs(start.score))
        ):
            if outcome.bound < start.score - outcome.tolerance:
                raise BackendError(
                    f"The backend claims that no network scores more than {outcome.bound:.6f}, "
                    f"but the checkpoint has one with {start.score:.6f}."
                )
            outcome = replace(outcome, cliques=start.cliques, score=start.score)
        cliques = outcome.cliques
        if cliques is None:
            return outcome
        if start is not None:
            outcome = replace(outcome, bound=max(outcome.bound, start.score))
        if self._resumed is not None and start is not None:
            past = {"score": start.score, "seconds": self._resumed.seconds}
            outcome = replace(outcome, details={**outcome.details, "resumed": past})
        self.remember(Incumbent(outcome.score, cliques), outcome.bound)
        with self._lock:
            if self._news:
                self._write()
        if self.failure is not None:
            outcome = replace(outcome, details={**outcome.details, "checkpoint_failure": str(self.failure)})
        return outcome

    def _is_due(self) -> bool:
        return self._written is None or time.monotonic() - self._written >= self._every

    def _write(self) -> None:
        if self._path is None:
            return
        before = 0.0 if self._resumed is None else self._resumed.seconds
        seconds = before + time.monotonic() - self._started
        try:
            replace(self._latest, seconds=round(seconds, 3)).write(self._path)
            self.failure = None
        except InputError as failure:
            self.failure = failure
        self._written = time.monotonic()
        self._news = False


def _damaged(why: str) -> InputError:
    return InputError(
        f"The network of the checkpoint {why}, so it is damaged; "
        f"name another file, or leave {option('resume')} out."
    )
