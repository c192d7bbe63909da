"""Keeping what a library in Rust prints when it panics off the terminal: the error that follows says enough."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

STDERR = 2


class _Hush:
    """The standard error output of this process, turned to a file while anyone wants it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted = 0
        self._panicked = False
        self._kept: tuple[int, IO[bytes]] | None = None

    def begin(self) -> None:
        with self._lock:
            self._wanted += 1
            if self._wanted > 1:
                return
            self._panicked = False
            try:
                if sys.stderr is not None:
                    sys.stderr.flush()
                before = os.dup(STDERR)
            except (OSError, ValueError):
                return  # There is none.
            self._kept = before, tempfile.TemporaryFile()
            os.dup2(self._kept[1].fileno(), STDERR)

    def end(self, *, panicked: bool) -> None:
        with self._lock:
            self._wanted -= 1
            self._panicked |= panicked
            if self._wanted or self._kept is None:
                return
            before, file = self._kept
            self._kept = None
            os.dup2(before, STDERR)
            with file:
                file.seek(0)
                text = file.read()
            if text and not self._panicked:
                os.write(STDERR, text)
            os.close(before)


_HUSH = _Hush()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Hold back what is printed to standard error, and drop it if the library panics."""
    import polars as pl

    _HUSH.begin()
    panicked = False
    try:
        yield
    except pl.exceptions.PanicException:
        panicked = True
        raise
    finally:
        _HUSH.end(panicked=panicked)
