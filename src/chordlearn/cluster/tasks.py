"""Functions that may be called from elsewhere, by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_TASKS: dict[str, Callable[..., Any]] = {}
_PACKAGE = __name__.partition(".")[0]
_here = threading.local()


def task(function: Function) -> Function:
    """Mark a function of a module as one that a worker may be asked to run.

    It takes and returns plain values (see :mod:`chordlearn.cluster.plain`), and after what is shared by all
    calls of a row, which comes first, all its arguments are positional.
    """
    _TASKS[name_of(function)] = function
    return function


def name_of(function: Callable[..., Any]) -> str:
    """The name by which a worker finds the function.

    >>> name_of(name_of)
    'chordlearn.cluster.tasks:name_of'
    """
    return f"{function.__module__}:{function.__qualname__}"


def find_task(name: str) -> Callable[..., Any]:
    """The function of that name, which must be a task of this package.

    >>> find_task("os:system")
    Traceback (most recent call last):
    ...
    LookupError: There is no task 'os:system'.
    """
    module = name.partition(":")[0]
    if name not in _TASKS and module.startswith(f"{_PACKAGE}."):
        import_module(module)
    if name not in _TASKS:
        raise LookupError(f"There is no task {name!r}.")
    return _TASKS[name]


@contextmanager
def stoppable(asked: Callable[[], bool]) -> Iterator[None]:
    """Let the task that runs in this thread know whether it was asked to stop."""
    _here.asked = asked
    try:
        yield
    finally:
        del _here.asked


class UntilStopped:
    """An observer that interrupts a run, as Ctrl-C does in the main thread, once the task is to stop."""

    def __init__(self) -> None:
        """Made in the thread of the task."""
        self._asked: Callable[[], bool] = getattr(_here, "asked", lambda: False)

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Raise KeyboardInterrupt if the task was asked to stop."""
        if self._asked():
            raise KeyboardInterrupt
