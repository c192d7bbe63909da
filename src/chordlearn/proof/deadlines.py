"""Giving up in time."""

from __future__ import annotations

import time

from chordlearn.errors import ProofError, option

LATE_PROOF = f"The time limit came before the proof was whole; give more time ({option('time_limit')})."


def stop_after(deadline: float | None) -> None:
    """Raise once the deadline (of time.monotonic) has passed."""
    if deadline is not None and time.monotonic() > deadline:
        raise ProofError(LATE_PROOF)
