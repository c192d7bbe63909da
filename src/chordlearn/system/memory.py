"""How much memory there is: of the machine, and within the limits that the system sets this process."""

from __future__ import annotations

import ctypes
import math
import os
import resource
from contextlib import suppress
from pathlib import Path

from chordlearn.errors import TooLargeError, option

TO_START = (0.4e9, 0.05e9)
"""Address space without which nothing can be loaded: in any case, and for each core."""
TO_READ = (1.5e9, 0.1e9)
"""The same for the libraries that read tables; with less they abort or hang."""
GROUP = Path("/sys/fs/cgroup")


def available_bytes() -> float:
    """Memory that a new computation can use: what the system calls available, within our own limits."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return min(float(line.split()[1]) * 1024, memory_left())
    except OSError:
        pass
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def memory_left() -> float:
    """What this process may still take before it meets a limit; infinite without one."""
    pages = Path("/proc/self/statm").read_text().split()
    size, _, _, _, _, data, _ = (int(number) * os.sysconf("SC_PAGE_SIZE") for number in pages)
    left = min(_limit(resource.RLIMIT_AS) - size, _limit(resource.RLIMIT_DATA) - data, _group_left())
    return max(left, 0.0)


def resident_bytes() -> float:
    """What this process has in memory; 0 where the system does not say."""
    try:
        return float(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError):
        return 0.0


def refuse_narrow_space(needed: tuple[float, float], purpose: str) -> None:
    """Refuse to load libraries that do not survive a want of address space."""
    least = needed[0] + needed[1] * len(os.sched_getaffinity(0))
    most = _limit(resource.RLIMIT_AS)
    if most < least:
        raise TooLargeError(
            f"The address space is limited to {most / 1e9:.2g} GB (ulimit -v), but {purpose} takes "
            f"{least / 1e9:.2g} GB; raise that limit, or use {option('memory_limit')} instead."
        )


def _limit(kind: int) -> float:
    soft, _ = resource.getrlimit(kind)
    return math.inf if soft == resource.RLIM_INFINITY else float(soft)


def _group_left() -> float:
    """What the control group of a container leaves; files that are only cached count as free."""
    try:
        most, used = ((GROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
        if most == "max":
            return math.inf
        lines = (line.split() for line in (GROUP / "memory.stat").read_text().splitlines())
        cached = next((int(value) for name, value in lines if name == "inactive_file"), 0)
        return float(int(most) - int(used) + cached)
    except (OSError, ValueError):
        return math.inf


def release_freed() -> None:
    """Hand freed memory back to the system, which the C library of Linux likes to keep for later."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


_MOST_VARIABLES = 30
"""Beyond this a table of all sets is out of reach of any solver, whatever the memory."""


def most_variables(tables: int = 1) -> int:
    """Most variables for which so many dense tables take no more than half the available memory."""
    entries = int(available_bytes() / 2 / 8 / tables)
    return max(1, min(_MOST_VARIABLES, entries.bit_length() - 1))
