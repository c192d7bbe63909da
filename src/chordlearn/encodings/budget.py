"""How long it may take to state a problem, and in how much memory; asked again and again as a model grows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from chordlearn.errors import StoppedError, TooLargeError, option
from chordlearn.limits import resident_bytes

T = TypeVar("T")

CHECKS_PER_LOOK = 256
"""So often it is asked before it looks at the clock and the memory, which takes longer than a constraint."""


class Budget:
    """Time and memory for a model and its file.

    >>> try:
    ...     for _ in Budget(deadline=0.0).watched(range(1000)):
    ...         pass
    ... except StoppedError as late:
    ...     print(late)
    The time limit came while the model was made; allow more time, or smaller cliques (max_clique).
    """

    def __init__(self, deadline: float | None = None, most_bytes: float = math.inf) -> None:
        """Until a deadline (of time.monotonic), and so much more memory than the process has now."""
        self.most_bytes = most_bytes
        self._deadline = deadline
        self._most = resident_bytes() + most_bytes if most_bytes < math.inf else math.inf
        self._asked = 0

    def check(self) -> None:
        """Raise ``StoppedError`` after the deadline, ``TooLargeError`` when the memory is spent."""
        self._asked += 1
        if self._asked % CHECKS_PER_LOOK == 0:
            self.look()

    def look(self) -> None:
        """The same at once."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise StoppedError(f"The time limit came while the model was made; {self._advice('time')}.")
        if self._most < math.inf and resident_bytes() > self._most:
            raise TooLargeError(
                f"The problem stated as constraints takes more than the {self.most_bytes / 1e9:.2g} GB of "
                f"memory that are left for it; {self._advice('memory')}."
            )

    def watched(self, things: Iterable[T]) -> Iterator[T]:
        """The same things, with a check before each."""
        for thing in things:
            self.check()
            yield thing

    @staticmethod
    def _advice(what: str) -> str:
        return f"allow more {what}, or smaller cliques ({option('max_clique')})"
