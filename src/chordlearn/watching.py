"""Running the compiled core so that Ctrl-C and time limits reach it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from chordlearn._core import Control, Stopped
from chordlearn.interrupts import Held

T = TypeVar("T")

TIME_LIMIT = "time limit"
MEMORY_LIMIT = "memory limit"
INTERRUPTED = "interrupted"

_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Watched(Generic[T]):
    """What a watched run came to."""

    value: T | None
    """None when the run was stopped before it had anything to give."""
    stopped_by: str | None
    """None when the run came to its own end; else one of the three reasons above."""


def watch(
    work: Callable[[Control], T],
    *,
    deadline: float | None = None,
    poll: Callable[[Control], None] | None = None,
) -> Watched[T]:
    """Run ``work`` in a thread of its own, and stop it at the deadline (of time.monotonic) or on Ctrl-C.

    ``poll`` is called now and then from the calling thread. ``work`` is expected to return or to raise
    ``Stopped`` soon after its control is told to stop.

    >>> watch(lambda control: 6 * 7)
    Watched(value=42, stopped_by=None)
    """
    control = Control()
    values: list[T] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            values.append(work(control))
        except BaseException as error:
            failures.append(error)
        finally:
            ended.set()

    worker = threading.Thread(target=run, daemon=True)
    with Held() as interrupts:
        worker.start()
        try:
            stopped_by = _follow(control, ended, interrupts, deadline, poll)
        except BaseException:
            control.stop()
            raise
        finally:
            worker.join()
    if failures:
        if isinstance(failures[0], MemoryError):
            return Watched(None, MEMORY_LIMIT)
        if not isinstance(failures[0], Stopped):
            raise failures[0]
        return Watched(None, stopped_by or INTERRUPTED)
    return Watched(values[0], stopped_by)


def _follow(
    control: Control,
    ended: threading.Event,
    interrupts: Held,
    deadline: float | None,
    poll: Callable[[Control], None] | None,
) -> str | None:
    """Wait for the end; says why it was called for, if it was."""
    stopped_by: str | None = None
    while True:
        try:
            left = _POLL_SECONDS if deadline is None else min(_POLL_SECONDS, deadline - time.monotonic())
            if ended.wait(max(left, 0.0)):
                return INTERRUPTED if interrupts.answer() else stopped_by
            if interrupts.answer():
                stopped_by = INTERRUPTED
            elif stopped_by is None and deadline is not None and time.monotonic() >= deadline:
                stopped_by = TIME_LIMIT
            elif poll is not None:
                poll(control)
        except KeyboardInterrupt:
            # Where Ctrl-C is not held, as in a block of one's own, or raised by a poll.
            stopped_by = INTERRUPTED
        if stopped_by is not None:
            control.stop()
            ended.wait(_POLL_SECONDS)
