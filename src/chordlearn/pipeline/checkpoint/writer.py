"""Keeping a run's best network on disk while it goes."""

from __future__ import annotations

import time
from pathlib import Path

from chordlearn.backends.base.run import Run
from chordlearn.errors import InputError
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.pipeline.checkpoint.file import Checkpoint, Identity

EVERY_SECONDS = 10.0


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the run went on without."""


class CheckpointWriter:
    """An observer of a run that writes its best network, and the state of its search, at intervals.

    A file that can no longer be written does not end the run; ``failure`` then says why.
    """

    def __init__(
        self,
        run: Run,
        identity: Identity,
        path: Path,
        *,
        kind: str,
        every: float = EVERY_SECONDS,
        seconds_before: float = 0.0,
    ) -> None:
        """Write no more often than every so many seconds; ``kind`` says for which search the state is."""
        self.failure: InputError | None = None
        self._run = run
        self._identity = identity.as_json()
        self._path = path
        self._kind = kind
        self._every = every
        self._started = time.monotonic() - seconds_before
        self._written_at: float | None = None
        self._written: tuple[object, object] = (None, None)

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Write, if it is time and there is anything new."""
        if self._written_at is None or time.monotonic() - self._written_at >= self._every:
            self.write()

    def write(self) -> None:
        """Write what is known now, unless it is written already."""
        best, state = self._run.best, self._run.state
        if best is None or (best is self._written[0] and state is self._written[1]):
            return
        checkpoint = Checkpoint(
            self._identity,
            self._run.limits.seed,
            best.score,
            edges_of(graph_from_cliques(self._run.problem.n, best.cliques)),
            {} if state is None else {"kind": self._kind, "state": state},
            round(time.monotonic() - self._started, 3),
        )
        try:
            checkpoint.write(self._path)
            self.failure = None
        except InputError as failure:
            self.failure = failure
        self._written_at, self._written = time.monotonic(), (best, state)
