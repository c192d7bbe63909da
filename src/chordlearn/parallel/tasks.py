"""A task as it runs, in whatever thread or process, and how it learns that nobody waits for it any more."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from chordlearn.errors import BackendError

_STARTED = uuid.uuid4().hex
_numbers = itertools.count()
_wanted: set[str] = set()
"""The calls of this process whose answers somebody waits for."""
_current = threading.local()


class TaskStopped(Exception):  # noqa: N818 (not an error: the caller stopped it)
    """The task ended before it had an answer; a KeyboardInterrupt would end a dask worker."""


@contextmanager
def wanted() -> Iterator[str]:
    """A name for some calls; their tasks are asked to stop when the context is left."""
    name = f"{_process()}{next(_numbers)}"
    _wanted.add(name)
    try:
        yield name
    finally:
        _wanted.discard(name)


def call(own_version: str, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function where the version is the same; the name is one of :func:`wanted`."""
    if own_version != version("chordlearn"):
        raise BackendError(
            f"A worker has chordlearn {version('chordlearn')}, but this is {own_version}; "
            "install the same version on all machines."
        )
    _current.is_unwanted = _unwanted(name)
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        raise TaskStopped from None
    finally:
        del _current.is_unwanted


class UntilStopped:
    """An observer that interrupts a run, as Ctrl-C does in the main thread, once its task is to stop."""

    def __init__(self) -> None:
        self._is_unwanted: Callable[[], bool] = getattr(_current, "is_unwanted", lambda: False)

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Raise KeyboardInterrupt if nobody waits for the task."""
        if self._is_unwanted():
            raise KeyboardInterrupt


def _process() -> str:
    """How all names of this process begin: on any machine, and unlike those of a process that was forked."""
    return f"{_STARTED}-{os.getpid()}-"


def _unwanted(name: str) -> Callable[[], bool]:
    """Whether nobody waits any more for the task that runs in this thread."""
    if name.startswith(_process()):
        return lambda: name not in _wanted
    if "distributed" in sys.modules:
        return _cancelled_by_dask()
    return lambda: False


def _cancelled_by_dask() -> Callable[[], bool]:
    """Whether the task of this thread was cancelled, or its client is gone."""
    from distributed import get_worker

    try:
        worker = get_worker()
        key, tasks = worker.get_current_task(), worker.state.tasks
    except (AttributeError, KeyError, ValueError):
        return lambda: False

    def cancelled() -> bool:
        known = tasks.get(key)
        return known is None or known.state == "cancelled"

    return cancelled
