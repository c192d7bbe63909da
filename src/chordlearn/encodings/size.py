"""How large a model gets, known before it is built."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from chordlearn.errors import StoppedError, TooLargeError, option
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.memory import resident_bytes

BYTES_PER_VARIABLE = 250
BYTES_PER_LITERAL = 4
BYTES_PER_TERM = 40
MOST_PAIRED = 8192
"""Of so many candidates pairs are counted, which is enough to see that a model is too large."""


@dataclass(frozen=True)
class Size:
    """No model of the problem is smaller."""

    variables: int = 0
    literals: int = 0
    """Of all clauses."""
    terms: int = 0
    """Of all linear constraints."""

    @property
    def bytes(self) -> int:
        """Memory that the model takes."""
        return (
            BYTES_PER_VARIABLE * self.variables
            + BYTES_PER_LITERAL * self.literals
            + BYTES_PER_TERM * self.terms
        )


def refuse_too_large(
    size: Size, encoding: str, problem: Problem, candidates: Candidates, budget: Budget
) -> None:
    """Refuse to begin with a model that does not fit."""
    if size.bytes <= budget.most_bytes:
        return
    reducing = f"leave out {option('reduce', False)}, " if candidates.relaxation is None else ""
    raise TooLargeError(
        f"The encoding {encoding} of {problem.n} variables with {candidates.after:,} candidates takes "
        f"{size.variables:,} variables and {size.bytes / 1e9:.2g} GB of memory, but "
        f"{max(budget.most_bytes, 0.0) / 1e9:.2g} GB may be used; {reducing}allow smaller cliques "
        f"({option('max_clique')}), or use another encoding or backend."
    )


def candidates_by_size(problem: Problem, candidates: Candidates) -> list[int]:
    """How many candidates have 0, 1, … n variables."""
    counts = Counter(map(int.bit_count, candidates.masks.tolist()))
    return [counts[size] for size in range(problem.n + 1)]


def joinable_pairs(problem: Problem, candidates: Candidates) -> int:
    """How many pairs of candidates share something while neither holds the other; of very many not all.

    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.problem.candidates import all_candidates
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b", "c"), -np.arange(8.0), max_size=2))
    >>> joinable_pairs(problem, all_candidates(problem))
    3
    """
    masks = candidates.masks[:MOST_PAIRED].tolist()
    inside = np.array([[mask >> i & 1 for i in range(problem.n)] for mask in masks], dtype=np.float32)
    sizes = inside.sum(axis=-1)
    ordered = 0
    for rows, size in zip(inside, sizes, strict=True):
        shared = inside @ rows
        ordered += int(((shared > 0) & (shared < sizes) & (shared < size)).sum())
    return ordered // 2


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
