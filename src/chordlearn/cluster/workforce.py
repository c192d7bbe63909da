"""Who does a row of independent tasks: threads of this process, or the workers of a cluster."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from chordlearn.cluster.tasks import stoppable

WAIT_SECONDS = 0.1


@dataclass(frozen=True)
class Shared:
    """What all tasks of a row need: as it is here, and how a worker makes its own from plain values."""

    here: Any
    plain: Callable[[], Any]
    """Gives the plain values; called once, and only if they travel."""
    opener: Callable[[Any], Any]
    """A task that makes from the plain values what is ``here``."""


class Workforce(Protocol):
    """Runs tasks side by side. What they return does not depend on who runs them."""

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""

    def run(
        self,
        function: Callable[..., Any],
        rows: Sequence[tuple[Any, ...]],
        shared: Shared | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, Any]]:
        """Call the task with each row of arguments, after what is shared; results come as they are finished.

        Each comes with the number of its row. When the caller ends the iteration, or Ctrl-C or ``stop`` does,
        tasks that watch for it stop and the others are not begun.
        """


class Threads:
    """Threads of this process; the core works without the interpreter's lock.

    >>> sorted(Threads(2).run(divmod, [(7, 2), (9, 4)]))
    [(0, (3, 1)), (1, (2, 1))]
    """

    def __init__(self, slots: int) -> None:
        """Run so many tasks at a time."""
        self.slots = slots

    def run(
        self,
        function: Callable[..., Any],
        rows: Sequence[tuple[Any, ...]],
        shared: Shared | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, Any]]:
        """Call the task with each row of arguments; see :class:`Workforce`."""
        first = () if shared is None else (shared.here,)
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        finished: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()
        stopped = threading.Event()
        for number in range(len(rows)):
            waiting.put(number)

        def work() -> None:
            with stoppable(stopped.is_set):
                while not stopped.is_set():
                    try:
                        number = waiting.get_nowait()
                    except queue.Empty:
                        return
                    try:
                        finished.put((number, function(*first, *rows[number]), None))
                    except BaseException as error:
                        finished.put((number, None, error))
                        return

        workers = [threading.Thread(target=work, daemon=True) for _ in range(min(self.slots, len(rows)))]
        for worker in workers:
            worker.start()
        try:
            left = len(rows)
            while left and not stop():
                try:
                    number, value, error = finished.get(timeout=WAIT_SECONDS)
                except queue.Empty:
                    continue
                if error is not None:
                    raise error
                left -= 1
                yield number, value
        finally:
            stopped.set()
            # The program must not end while the core is at work.
            for worker in workers:
                worker.join()
