"""Running the compiled core, and long work in Python, so that Ctrl-C and time limits reach it."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from chordlearn._core import Control, Stopped
from chordlearn.system.signals import Held

T = TypeVar("T")


class StopReason(StrEnum):
    """Why a run ended; these are all the values that results have."""

    PROOF = "proof"
    INFEASIBLE = "infeasible"
    """No network satisfies the constraints."""
    SEARCH_ENDED = "search ended"
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    INTERRUPTED = "interrupted"
    ROUNDING = "rounding"
    """The solver is done, but its numbers leave the proof open."""
    NUMERICAL_TROUBLE = "numerical trouble"
    """Linear programs were not solved well enough."""
    TOO_LARGE = "too large"
    """What is left of the problem is more than can be held."""
    FAILURE = "failure"
    """The solver failed; a sentence says how."""


_POLL_SECONDS = 0.05
_ALARM_SECONDS = 0.2
"""So long after a deadline work in Python is broken off that has not ended by itself."""


@dataclass(frozen=True)
class Watched(Generic[T]):
    """The result of a watched run."""

    value: T | None
    """None when the run was stopped before it had a result."""
    stopped_by: StopReason | None
    """None when the run ended by itself; else a limit, or Ctrl-C."""


def watch(
    work: Callable[[Control], T],
    *,
    deadline: float | None = None,
    poll: Callable[[Control], None] | None = None,
) -> Watched[T]:
    """Run ``work`` in a thread of its own, and stop it at the deadline (of time.monotonic) or on Ctrl-C.

    ``poll`` is called now and then from the calling thread. ``work`` is expected to return or to raise
    ``Stopped`` soon after its control is stopped.

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
            return Watched(None, StopReason.MEMORY_LIMIT)
        if not isinstance(failures[0], Stopped):
            raise failures[0]
        return Watched(None, stopped_by or StopReason.INTERRUPTED)
    return Watched(values[0], stopped_by)


class DeadlinePassed(BaseException):
    """Raised between any two steps of Python, as KeyboardInterrupt is, when time is up."""


@contextmanager
def ending_at(deadline: float | None) -> Iterator[None]:
    """Raise ``DeadlinePassed`` in the block soon after a deadline (of time.monotonic).

    It is for long work in plain Python, which then need not look at the clock. It reaches no call of compiled
    code before that has ended, and comes a little later than what stops by itself at the deadline.

    >>> try:
    ...     with ending_at(time.monotonic() + 0.01):
    ...         while True:
    ...             pass
    ... except DeadlinePassed:
    ...     print("late")
    late
    """
    if deadline is None:
        yield
        return
    alarm = _Alarm()
    timer = threading.Timer(max(0.0, deadline - time.monotonic()) + _ALARM_SECONDS, alarm.ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        alarm.silence()


class _Alarm:
    """Raises ``DeadlinePassed`` in the thread that made it, unless it was silenced before."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._silent = False

    def ring(self) -> None:
        """Called from another thread."""
        with self._lock:
            if not self._silent:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(DeadlinePassed)
                )

    def silence(self) -> None:
        """Nothing is raised after this; what rang before is raised in here at the latest."""
        with self._lock:
            self._silent = True


def _follow(
    control: Control,
    ended: threading.Event,
    interrupts: Held,
    deadline: float | None,
    poll: Callable[[Control], None] | None,
) -> StopReason | None:
    """Wait for the end; returns why the run was stopped, if it was."""
    stopped_by: StopReason | None = None
    while True:
        try:
            left = _POLL_SECONDS if deadline is None else min(_POLL_SECONDS, deadline - time.monotonic())
            if ended.wait(max(left, 0.0)):
                return StopReason.INTERRUPTED if interrupts.answer() else stopped_by
            if interrupts.answer():
                stopped_by = StopReason.INTERRUPTED
            elif stopped_by is None and deadline is not None and time.monotonic() >= deadline:
                stopped_by = StopReason.TIME_LIMIT
            elif poll is not None:
                poll(control)
        except KeyboardInterrupt:
            # Where Ctrl-C is not held, as in a block of one's own, or raised by a poll.
            stopped_by = StopReason.INTERRUPTED
        if stopped_by is not None:
            control.stop()
            ended.wait(_POLL_SECONDS)
