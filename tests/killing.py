"""A task that ends its process; where the workers of tests can import it."""

from __future__ import annotations

import os
import signal

PID_OF_TESTS = "CHORDLEARN_PID_OF_TESTS"


def kill_own_process() -> None:
    """Kill the process that this runs in, unless it is that of the tests."""
    if os.environ.get(PID_OF_TESTS) != str(os.getpid()):
        os.kill(os.getpid(), signal.SIGKILL)
