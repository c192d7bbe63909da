"""A member of the portfolio: ``python -m … BACKEND FOLDER``; says what happens as lines of JSON."""

from __future__ import annotations

import math
import signal
import sys
from pathlib import Path
from typing import Any

from chordlearn.backends.incumbent import Incumbent
from chordlearn.backends.job import read_job
from chordlearn.backends.portfolio import finite, speak
from chordlearn.backends.registry import load_backend
from chordlearn.errors import ChordlearnError


class Speaker:
    """An observer that passes on bounds, and networks in case there is no time for a last word."""

    def __init__(self) -> None:
        """Nothing is said yet."""
        self._score = -math.inf

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Say how it goes."""
        speak({"stage": stage, "bound": bound})

    def remember(self, best: Incumbent, bound: float, state: Any = None) -> None:
        """Say the best network."""
        if best.score > self._score:
            self._score = best.score
            speak({"network": [int(clique) for clique in best.cliques]})

    def recall(self) -> Incumbent | None:
        """There is no earlier run."""

    def recall_state(self) -> Any:
        """There is no earlier run."""


def main(name: str, folder: str) -> int:
    """Run one backend on the job in a folder."""
    # To be told to stop is the same as Ctrl-C: the best network is still said.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    job = read_job(Path(folder))
    try:
        outcome = load_backend(name).solve(job.problem, job.limits, Speaker(), **job.options)
    except ChordlearnError as error:
        speak({"failure": error.sentence})
        return 1
    scaling = outcome.scaling
    speak(
        {
            "cliques": None if outcome.cliques is None else [int(clique) for clique in outcome.cliques],
            "score": finite(outcome.score),
            "bound": finite(outcome.bound),
            "tolerance": outcome.tolerance,
            "stopped_by": outcome.stopped_by,
            "encoding": outcome.encoding,
            "scaling": None if scaling is None else [scaling.factor, scaling.max_error],
        }
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
