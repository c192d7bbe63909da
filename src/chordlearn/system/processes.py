"""What a child process sees of our environment: as little as it can run with, and no secrets."""

from __future__ import annotations

import os
import site
from pathlib import Path

KEPT = ("PATH", "LD_LIBRARY_PATH", "JAVA_HOME", "PYTHONPATH")


def bare_environment(directory: Path) -> dict[str, str]:
    """The variables of a process that lives in a directory of its own.

    >>> sorted(set(bare_environment(Path("/nowhere"))) - {*KEPT, "PYTHONUSERBASE"})
    ['HOME', 'LC_ALL', 'TMPDIR']
    """
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {"HOME": str(directory), "TMPDIR": str(directory), "LC_ALL": "C.UTF-8"}
    user_base = site.getuserbase()
    return kept | own | ({"PYTHONUSERBASE": user_base} if user_base else {})
