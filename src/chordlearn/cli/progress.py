"""Showing how a run goes: a live line on a terminal, a line now and then elsewhere, and a trace file."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.report.outputs import unwritable
from chordlearn.system.files import Lines
from chordlearn.system.signals import Held
from chordlearn.system.text import json_text, shown

if TYPE_CHECKING:
    from chordlearn.cli.console import Console

LIVE_AFTER_SECONDS = 1.0
LINE_EVERY_SECONDS = 10.0


class Broadcast:
    """Passes progress on to several observers."""

    def __init__(self, observers: Sequence[cl.Observer]) -> None:
        self.observers = observers

    def progress(
        self, stage: str, score: float | None = None, bound: float | None = None, detail: str = ""
    ) -> None:
        """Call every observer."""
        for observer in self.observers:
            observer.progress(stage, score, bound, detail)


class Finishing:
    """Once the run is over, Ctrl-C waits until its result has been written; pressed again, it does not."""

    def __init__(self) -> None:
        self._held = Held(patience=1)

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Begin to hold when the run is over; the end of the command lets go."""
        if stage == "finishing":
            self._held.__enter__()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed meanwhile."""
        return self._held.answer()


class ProgressLine:
    """Shows stage, score, bound, gap and elapsed time, by default on stderr, while it is open as a context.

    A run of less than a second shows nothing.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stderr
        self._started = time.monotonic()
        self._latest: tuple[str, float | None, float | None, str] = ("reading", None, None, "")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def progress(
        self, stage: str, score: float | None = None, bound: float | None = None, detail: str = ""
    ) -> None:
        """Note the news; they appear with the next refresh."""
        self._latest = (stage, score, bound, detail)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _show(self) -> None:
        # A terminal that goes away must not end the run.
        try:
            if self._stream.isatty():
                self._show_live()
            else:
                self._show_lines()
        except OSError:
            return

    def _show_live(self) -> None:
        if self._ended.wait(LIVE_AFTER_SECONDS):
            return
        from rich.live import Live
        from rich.spinner import Spinner
        from rich.text import Text

        spinner = Spinner("dots")
        with Live(spinner, console=self._console(), transient=True, auto_refresh=False) as live:
            while not self._ended.wait(0.1):
                spinner.update(text=Text(shown(self._line()), no_wrap=True, overflow="ellipsis"))
                live.refresh()

    def _show_lines(self) -> None:
        while not self._ended.wait(LINE_EVERY_SECONDS):
            self._console().say(self._line())

    def _console(self) -> Console:
        from chordlearn.cli.console import Console

        return Console(file=self._stream, highlight=False, soft_wrap=True)

    def _line(self) -> str:
        stage, score, bound, detail = self._latest
        from chordlearn.report.terminal import says_something

        parts = [stage]
        if score is not None and math.isfinite(score):
            parts.append(f"score {score:.6f}")
        if bound is not None and score is not None and says_something(bound - score, score):
            parts.append(f"gap {max(0.0, bound - score):.6g}")
        if detail:
            parts.append(detail)
        parts.append(f"{time.monotonic() - self._started:.0f} s")
        return " · ".join(parts)


class Trace:
    """Writes a JSON line per new stage, score or bound, with the seconds since the start.

    A file that can no longer be written does not end the run; :meth:`close` then raises.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._started = time.monotonic()
        self._failure: InputError | None = None
        self._latest: tuple[str, float | None, float | None] | None = None
        try:
            self._lines = Lines(path)
        except OSError as error:
            raise unwritable(path, error) from error

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Write one line, if there is anything new."""
        if (stage, score, bound) == self._latest:
            return
        self._latest = (stage, score, bound)
        event: dict[str, object] = {
            "t": round(time.monotonic() - self._started, 6),
            "stage": stage,
            "score": _finite(score),
            "bound": _finite(bound),
        }
        if detail:
            event["detail"] = detail
        if self._failure is None:
            try:
                self._lines.add(json_text(event))
            except OSError as error:
                self._failure = unwritable(self._path, error)

    def close(self) -> None:
        """Close the file; raise if it could not be written in full."""
        try:
            self._lines.close()
        except OSError as error:
            self._failure = self._failure or unwritable(self._path, error)
        if self._failure is not None:
            raise self._failure


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def open_cluster(address: str, observer: cl.Observer) -> cl.Workers:
    """Connect, or start workers here, which takes a while."""
    observer.progress("waiting for workers", None, None)
    return cl.Workers(address)


def cluster_notes(cluster: cl.Workers | None) -> list[str]:
    """What the user should know of a cluster after the run."""
    if cluster is None or not cluster.lost:
        return []
    return [f"All workers of {cluster.name} were lost; the rest was done in this process."]
