"""How much memory there is."""

from __future__ import annotations

import os
from pathlib import Path


def available_bytes() -> float:
    """Memory that a new computation can use: what the system calls available, or all there is."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except OSError:
        pass
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
