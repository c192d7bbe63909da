"""How many processors there are for us, and what a child process sees of our environment."""

from __future__ import annotations

import os
import site
from pathlib import Path

KEPT = ("PATH", "LD_LIBRARY_PATH", "JAVA_HOME", "PYTHONPATH")


def bare_environment(directory: Path) -> dict[str, str]:
    """The variables of a process in a directory of its own: as few as it can run with, and no secrets.

    >>> sorted(set(bare_environment(Path("/nowhere"))) - {*KEPT, "PYTHONUSERBASE"})
    ['HOME', 'LC_ALL', 'TMPDIR']
    """
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {"HOME": str(directory), "TMPDIR": str(directory), "LC_ALL": "C.UTF-8"}
    user_base = site.getuserbase()
    return kept | own | ({"PYTHONUSERBASE": user_base} if user_base else {})


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
