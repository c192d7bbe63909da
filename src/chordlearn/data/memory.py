"""How much memory there is."""

from __future__ import annotations

import os
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
