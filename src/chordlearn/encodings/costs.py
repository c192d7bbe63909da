"""What an answer costs in answer set programming, so that the cost a solver prints can be checked."""

from __future__ import annotations

from chordlearn.graphs import members
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates


def free_in_rules(encoding: str, scaled: Problem, candidates: Candidates) -> int:
    """The integer score of a network that costs nothing in the rules of answer set programming."""
    if encoding != "elimination":
        return 0
    values = scaled.values
    best = [0] * scaled.n
    for mask in candidates.masks.tolist():
        for vertex in members(mask):
            best[vertex] = max(best[vertex], int(values[mask]) - int(values[mask & ~(1 << vertex)]))
    return sum(best)
