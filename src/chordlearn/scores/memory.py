"""How much memory there is, and how many variables a dense score table may have in it."""

from __future__ import annotations

import os
from pathlib import Path

_MOST_VARIABLES = 30
"""Beyond this a table of all sets is out of reach of any solver, whatever the memory."""


def available_bytes() -> float:
    """Memory that a new computation can use: what the system calls available, or all there is."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except OSError:
        pass
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def most_variables(tables: int = 1) -> int:
    """Most variables for which so many dense tables take no more than half the available memory."""
    entries = int(available_bytes() / 2 / 8 / tables)
    return max(1, min(_MOST_VARIABLES, entries.bit_length() - 1))
