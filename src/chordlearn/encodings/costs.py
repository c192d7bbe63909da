"""What an answer costs in a written file, so that the cost a solver prints can be held against its network.

Every language minimises: objective = free − cost, where `free` is the objective of what costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chordlearn.encodings.languages.whole import whole
from chordlearn.encodings.model import Model
from chordlearn.graphs import members
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates


def _all_gains(model: Model) -> float:
    """What is lost counts; in whole numbers, since doubles may not hold the sum."""
    return whole(model.constant) + sum(whole(weight) for weight in model.weights.values() if weight > 0)


def _constant(model: Model) -> float:
    return model.constant


FREE: Mapping[str, Callable[[Model], float]] = {
    "wcnf": _all_gains,
    "opb": _constant,
    "smt2": lambda _model: 0.0,
    "mps": _constant,
}
"""The objective of an answer that costs nothing, in a file of this language."""


def free_in_rules(encoding: str, scaled: Problem, candidates: Candidates) -> int:
    """The same for the rules of answer set programming: the integer score of a network that costs nothing."""
    if encoding != "elimination":
        return 0
    values = scaled.values
    best = [0] * scaled.n
    for mask in candidates.masks.tolist():
        for vertex in members(mask):
            best[vertex] = max(best[vertex], int(values[mask]) - int(values[mask & ~(1 << vertex)]))
    return sum(best)
