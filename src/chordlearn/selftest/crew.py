"""The campaign in several processes, each with its share of the problems."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from chordlearn.backends.programs import own_directory, python_command, run_program
from chordlearn.errors import BackendError
from chordlearn.selftest.tally import Tally

_POLL_SECONDS = 0.2


def run_crew(
    *,
    seconds: float,
    seed: int,
    jobs: int,
    out: Path | None = None,
    tell: Callable[[Tally], None] = lambda _tally: None,
) -> tuple[Tally, bool]:
    """As :func:`run_campaign`, by so many processes at once; a process that dies is an error."""
    stop = threading.Event()
    with own_directory() as directory:
        crew = [_Member(directory, index, jobs, seed, seconds, stop) for index in range(jobs)]
        whole = True
        for member in crew:
            member.start()
        while any(member.is_alive() for member in crew):
            try:
                time.sleep(_POLL_SECONDS)
                tell(_together(crew))
            except KeyboardInterrupt:
                whole = False
                stop.set()
        tally = _together(crew)
        for member in crew:
            if member.failure is not None and whole:
                raise BackendError(member.failure)
        if out is not None and tally.noted:
            first = tally.noted[0]["problem"] % jobs
            out.write_bytes(crew[first].out.read_bytes())
    return tally, whole


def _together(crew: list[_Member]) -> Tally:
    tally = Tally()
    for member in crew:
        if member.latest is not None:
            tally.merge(member.latest)
    return tally


class _Member(threading.Thread):
    """Follows one process; its counts come as lines of JSON, each replacing the one before."""

    def __init__(
        self, directory: Path, index: int, jobs: int, seed: int, seconds: float, stop: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self.out = directory / f"disagreement-{index}.json"
        self.folder = directory / str(index)
        self.folder.mkdir()
        self.stop = stop
        self.latest: Mapping[str, Any] | None = None
        self.failure: str | None = None
        minutes = str(seconds / 60)
        self.command = python_command(
            *("-m", "chordlearn", "selftest", "--seed", str(seed), "--minutes", minutes),
            *("--share", f"{index}/{jobs}", "--out", str(self.out)),
        )

    def run(self) -> None:
        """Follow the process to its end."""
        try:
            ended = run_program(
                self.command, on_line=self._read, directory=self.folder, poll=self.stop.is_set
            )
        except (BackendError, OSError) as error:
            self.failure = str(error)
            return
        if ended.stopped_by is None and ended.returncode not in (0, 1):
            self.failure = (
                f"A process of the campaign ended with code {ended.returncode}: {ended.last_words}."
            )

    def _read(self, line: str) -> None:
        self.latest = json.loads(line)
