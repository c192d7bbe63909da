"""The campaign in several processes, each with its share of the problems."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from chordlearn.backends.programs import own_directory, python_command, run_program
from chordlearn.errors import BackendError
from chordlearn.interrupts import Held
from chordlearn.selftest.tally import Tally
from chordlearn.writing import write_whole

_POLL_SECONDS = 0.2


def run_crew(
    *,
    seconds: float,
    seed: int,
    jobs: int,
    out: Path | None = None,
    tell: Callable[[Tally], None] = lambda _tally: None,
) -> tuple[Tally, bool]:
    """As :func:`run_campaign`, by so many processes at once.

    A process that dies ends the campaign: its problem is a disagreement, of which only the number is known.
    """
    stop = threading.Event()
    # Whenever Ctrl-C comes, the counts so far are kept.
    with Held() as interrupts, own_directory() as directory:
        crew = [_Member(directory, index, jobs, seed, seconds, stop) for index in range(jobs)]
        for member in crew:
            member.start()
        while any(member.is_alive() for member in crew):
            time.sleep(_POLL_SECONDS)
            tell(_together(crew))
            if interrupts.pressed or any(member.failure for member in crew):
                stop.set()
        tally = _together(crew)
        written = [crew[note["problem"] % jobs].out for note in tally.noted]
        if out is not None and any(path.exists() for path in written):
            write_whole(out, next(path for path in written if path.exists()).read_text(encoding="utf-8"))
        whole = not interrupts.answer()
    return tally, whole


def _together(crew: list[_Member]) -> Tally:
    tally = Tally()
    for member in crew:
        if member.latest is not None:
            tally.merge(member.latest)
        if member.failure is not None:
            tally.note(member.next_problem, "the process died", [member.failure])
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
        self.index, self.jobs = index, jobs
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

    @property
    def next_problem(self) -> int:
        """The number of the problem behind those that are counted."""
        done = 0 if self.latest is None else self.latest["problems"]
        return int(self.index + done * self.jobs)

    def _read(self, line: str) -> None:
        # One that is killed may leave half a line.
        with suppress(ValueError):
            self.latest = json.loads(line)
