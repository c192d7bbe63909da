"""Reading what solvers print while and when they solve."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

OPTIMAL = "optimal"
UNSATISFIABLE = "unsatisfiable"
SATISFIABLE = "satisfiable"
UNKNOWN = "unknown"

CLAIMS = {"OPTIMUM FOUND": OPTIMAL, "SATISFIABLE": SATISFIABLE, "UNSATISFIABLE": UNSATISFIABLE}

_PROGRESSION = re.compile(r"Progression *: *\[(-?\d+);")
_EDGE = re.compile(r"(?<![\w(])edge\((\d+),(\d+)\)")


@dataclass
class Answers:
    """What a solver said so far. ``on_answer`` gets each answer; what it is depends on the format."""

    claim: str | None = None
    """One of the four words above, once the solver has said so."""
    cost: float | None = None
    """Cost of the best answer as the solver says."""
    lower: float | None = None
    """No answer costs less, as the solver says."""


class AspAnswers(Answers):
    """The text output of clingo and clasp; an answer is a set of edges.

    >>> seen = []
    >>> answers = AspAnswers(seen.append)
    >>> for line in ("Answer: 1 (Time: 0.0s)", "edge(0,1) edge(1,2)", "Optimization: -7", "OPTIMUM FOUND"):
    ...     answers.read(line)
    >>> seen, answers.cost, answers.claim
    ([[(0, 1), (1, 2)]], -7, 'optimal')
    """

    def __init__(self, on_answer: Callable[[list[tuple[int, int]]], None]) -> None:
        super().__init__()
        self._on_answer = on_answer
        self._atoms_follow = False

    def read(self, line: str) -> None:
        """Take in one line."""
        if line.startswith("Answer:"):
            self._atoms_follow = True
            return
        if self._atoms_follow:
            self._atoms_follow = False
            edges = [(int(a), int(b)) for a, b in _EDGE.findall(line)]
            self._on_answer(edges)
            if edges:
                return
            # An answer without edges prints an empty line, which never gets here: this is the line behind it.
        if line.startswith("Optimization:"):
            self.cost = int(line.split(":")[1].split()[0])
        elif found := _PROGRESSION.match(line):
            self.lower = int(found.group(1))
        elif line == "OPTIMUM FOUND":
            self.claim = OPTIMAL
        elif line in ("SATISFIABLE", "UNSATISFIABLE", "UNKNOWN"):
            self.claim = line.lower()


class MaxSatAnswers(Answers):
    """The output of MaxSAT solvers (`o`, `s`, `v` lines); an answer is the set of true variables.

    >>> seen = []
    >>> answers = MaxSatAnswers(seen.append)
    >>> for line in ("o 12", "s OPTIMUM FOUND", "v 101"):
    ...     answers.read(line)
    >>> answers.finish()
    >>> seen, answers.cost, answers.claim
    ([{1, 3}], 12, 'optimal')
    """

    def __init__(self, on_answer: Callable[[Collection[int]], None]) -> None:
        super().__init__()
        self._on_answer = on_answer
        self._values: list[str] = []

    def read(self, line: str) -> None:
        """Take in one line."""
        kind, _, rest = line.partition(" ")
        if kind == "v":
            self._values.append(rest)
            if _is_whole(rest):
                self.finish()
            return
        if kind in ("o", "s"):
            self.finish()
        if kind == "o":
            self.cost = number(rest)
        elif kind == "s":
            self.claim = CLAIMS.get(rest.strip(), UNKNOWN)
        elif line.startswith("c lower "):
            self.lower = number(line.split()[2])

    def finish(self) -> None:
        """Take in that there is no further line; an answer may go over several, so only now is it whole."""
        if self._values:
            text, self._values = " ".join(self._values), []
            self._on_answer(true_variables(text))


def number(text: str) -> float:
    """A cost, kept exact if it is an integer.

    >>> number("9007199254740993"), number("-0.5")
    (9007199254740993, -0.5)
    """
    try:
        return int(text)
    except ValueError:
        return float(text)


def true_variables(text: str) -> set[int]:
    """The true variables of a `v` line, which lists literals or, since 2022, one digit per variable.

    >>> true_variables("1 -2 x3"), true_variables("01")
    ({1, 3}, {2})
    """
    if _is_whole(text):
        return {index for index, digit in enumerate(text.strip(), start=1) if digit == "1"}
    literals = (int(word.replace("x", "")) for word in text.split())
    return {literal for literal in literals if literal > 0}


def _is_whole(text: str) -> bool:
    """Whether it is a digit for each variable, all in one line."""
    digits = text.strip()
    return set(digits) <= {"0", "1"} and (len(digits) > 1 or digits == "0")
