"""Ctrl-C at moments when it can be answered.

Python raises KeyboardInterrupt between any two steps, also where a thread has just been started, a file is
half removed or a result half written. A block under :class:`Held` is not interrupted: it checks by itself
whether Ctrl-C was pressed, or runs to its end first.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Held:
    """Ctrl-C is noted while this is open, and raised at the end of the block if nobody answered it.

    Only signals that raise KeyboardInterrupt are held, and only in the main thread, which alone gets them.
    Inside another held block, what is not answered here is left to that one.

    >>> with Held() as held:
    ...     signal.raise_signal(signal.SIGINT)
    ...     held.answer()
    True
    """

    def __init__(self, patience: int | None = None) -> None:
        """With ``patience``, that many presses are noted, and the next one is raised at once."""
        self._patience = patience
        self._count = 0
        self._answered = 0
        self._open = False
        self._before: dict[signal.Signals, Callable[..., Any]] = {}

    @property
    def pressed(self) -> bool:
        """Whether Ctrl-C was pressed since this was opened, answered or not."""
        return self._count > 0

    def answer(self) -> bool:
        """Whether Ctrl-C was pressed since this was last asked; it will then not be raised."""
        pressed = self._count > self._answered
        self._answered = self._count
        return pressed

    def __enter__(self) -> Self:
        self._open = True
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler) and (handler is signal.default_int_handler or _holder(handler)):
                    self._before[number] = handler
                    signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._give_back()
        except KeyboardInterrupt:
            # Pressed when one of the two was given back.
            self._give_back()
            raise
        finally:
            self._open = False
        if self.answer():
            number, handler = next(iter(self._before.items()))
            handler(number, None)

    def _give_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if not self._open:
            # Left in haste; if there is a block around this one, its handler is the one that is called.
            self._before[signal.Signals(number)](number, frame)
            return
        self._count += 1
        if self._patience is not None and self._count > self._patience:
            raise KeyboardInterrupt


def _holder(handler: Callable[..., Any]) -> Held | None:
    holder = getattr(handler, "__self__", None)
    return holder if isinstance(holder, Held) else None


@contextmanager
def own_handlers() -> Iterator[None]:
    """Whatever is done to the handlers of these signals ends with the block."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)


def ignore_interrupts() -> None:
    """For when only the end of the interpreter is left, which must not be disturbed.

    What was pressed just before is still raised, so that it has to be called where that is expected.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
