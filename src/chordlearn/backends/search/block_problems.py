"""The learning problem on a block: a few of many variables, with the sets that may be complete on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chordlearn._core import Scorer
from chordlearn.graphs import mask_of
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.problem.wide import WideProblem
from chordlearn.scores.accuracy import accuracy_of
from chordlearn.scores.table import ScoreTable


def block_problem(
    problem: WideProblem, scorer: Scorer, own: Sequence[int], candidates: Sequence[Sequence[int]]
) -> Problem:
    """The problem on a block's own variables; what is no candidate may not be complete."""
    inside = [part for part in candidates if set(part) <= set(own)] + [[i] for i in own]
    place = {variable: k for k, variable in enumerate(own)}
    values = np.full(1 << len(own), -np.inf)
    values[0] = 0.0
    masks = [mask_of(place[variable] for variable in part) for part in inside]
    values[masks] = scorer.sets([list(part) for part in inside])
    largest = max(map(len, inside))
    names = tuple(problem.variables[i] for i in own)
    required = tuple(
        (problem.variables[a], problem.variables[b]) for a, b in problem.required if a in place and b in place
    )
    accuracy = accuracy_of(problem.dataset, problem.function)
    if accuracy is not None:
        accuracy = replace(accuracy, arities=tuple(accuracy.arities[i] for i in own))
    table = ScoreTable(names, values, max_size=largest, accuracy=accuracy)
    return make_problem(table, Constraints(largest, required, ()))
