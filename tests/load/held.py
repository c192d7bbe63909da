"""What a process holds: memory, files, threads, children, temporary files."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Held:
    """What was held at a moment."""

    resident: int
    """Bytes of memory."""
    heap: int
    """Bytes that malloc has given out and not got back; 0 where the C library does not tell."""
    blocks: int
    """Objects of Python, about."""
    files: tuple[str, ...]
    threads: int
    """Of Python."""
    system_threads: int
    """Of all; pools of libraries grow and shrink by a few."""
    children: tuple[int, ...]


def held() -> Held:
    """What this process holds now, after what can be freed has been."""
    gc.collect()
    return Held(
        resident=int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
        heap=_heap(),
        blocks=sys.getallocatedblocks(),
        files=tuple(sorted(_files())),
        threads=threading.active_count(),
        system_threads=sum(1 for _ in Path("/proc/self/task").iterdir()),
        children=tuple(sorted(_children())),
    )


@dataclass(frozen=True)
class Growth:
    """What was held before and after many runs, and what each of them added."""

    before: Held
    after: Held
    heap: float
    """Bytes per run, the median: a table of the interpreter that doubles once is no leak."""
    resident: float


def growth(run: Callable[[], object], *, warm: int, times: int, every: int = 1) -> Growth:
    """Look at what is held after some runs that load what is loaded once, and then every so many runs."""
    for _ in range(warm):
        run()
    looks = [held()]
    for _ in range(times // every):
        for _ in range(every):
            run()
        looks.append(held())
    settle(looks[0])
    return Growth(
        looks[0],
        held(),
        median((b.heap - a.heap) / every for a, b in pairwise(looks)),
        median((b.resident - a.resident) / every for a, b in pairwise(looks)),
    )


def settle(before: Held) -> None:
    """Give threads that have done their work, and what they hold, a moment to end."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        now = held()
        if (
            now.threads <= before.threads
            and len(now.files) <= len(before.files)
            and set(now.children) <= set(before.children)
        ):
            return
        time.sleep(0.05)


class _Arenas(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def _heap() -> int:
    try:
        tell = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return 0
    tell.restype = _Arenas
    told = tell()
    return int(told.uordblks + told.hblkhd)


def _files() -> list[str]:
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(entry.readlink()))
        except OSError:
            continue
    return [path for path in found if not path.startswith("/proc/")]


def _children() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == os.getpid():
                found.append(int(entry.name))
    return found
