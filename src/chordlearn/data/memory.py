"""How much memory there is, and giving some back."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

from chordlearn.limits import memory_left


def available_bytes() -> float:
    """Memory that a new computation can use: what the system calls available, within our own limits."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return min(float(line.split()[1]) * 1024, memory_left())
    except OSError:
        pass
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def release_freed() -> None:
    """Hand freed memory back to the system, which the C library of Linux likes to keep for later."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
