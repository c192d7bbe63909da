"""What a reader must do with anything: end soon, in little memory, with success or one sentence."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

from chordlearn.errors import ChordlearnError
from chordlearn.system.text import shown
from endings import ends_well

THOROUGH = os.environ.get("CHORDLEARN_THOROUGH") == "1"
SECONDS = 5.0
"""Of processor time, so that a busy machine changes little."""
HANGS = 20.0
MEGABYTES = 250
LONGEST_SENTENCE = 4000

_STATUS = Path("/proc/self/status")
_PEAK_RESET = Path("/proc/self/clear_refs")


def examples(number: int) -> settings:
    """So many documents, or fifty times as many where thoroughness is asked for."""
    return settings(
        max_examples=number * 50 if THOROUGH else number,
        deadline=None,
        derandomize=not THOROUGH,
        database=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


def endure(read: Callable[[], Any], *allowed: type[Exception]) -> Any:
    """What ``read`` gives, or None if it refused in one sentence.

    >>> endure(lambda: 1 + 1)
    2
    """
    before = _peak_megabytes(reset=True)
    start = time.process_time()
    try:
        with _ended_if_it_hangs():
            return read()
    except ChordlearnError as error:
        assert_one_sentence(str(error))
        return None
    except allowed:
        return None
    finally:
        used = time.process_time() - start
        assert used < SECONDS, f"took {used:.1f} s of processor time"
        grown = _peak_megabytes() - before
        assert grown < MEGABYTES, f"took {grown:.0f} MB"


def assert_one_sentence(text: str) -> None:
    """A sentence has no line breaks or other hidden characters, a full stop, and an end."""
    assert shown(text) == text, repr(text)
    assert ends_well(text), text
    assert len(text) > 15, text
    assert len(text) < LONGEST_SENTENCE, f"{len(text)} characters"
    assert "Traceback" not in text, text


@contextmanager
def _ended_if_it_hangs() -> Iterator[None]:
    def stop(_number: int, _frame: object) -> None:
        raise AssertionError(f"goes on after {HANGS} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _peak_megabytes(*, reset: bool = False) -> float:
    """The most memory so far, or since it was last reset; 0 where the system does not tell."""
    try:
        if reset:
            _PEAK_RESET.write_text("5")
        lines = _STATUS.read_text().splitlines()
        return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0.0
