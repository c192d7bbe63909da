"""The learning problem on a block: a few of many variables, with the sets that may be complete on them.

Every complete set lies in one block of the graph of possible edges. So a network is a network on each block,
chosen by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chordlearn.graphs import mask_of
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import MOST_VARIABLES_OF_TABLE, Problem, make_problem
from chordlearn.scores.table import ScoreTable, SparseScores


def block_problem(problem: Problem, own: Sequence[int], candidates: Sequence[Sequence[int]]) -> Problem:
    """The problem on a block's own variables; what is no candidate may not be complete."""
    inside = [part for part in candidates if set(part) <= set(own)] + [[i] for i in own]
    place = {variable: k for k, variable in enumerate(own)}
    masks = [mask_of(place[variable] for variable in part) for part in inside]
    scores = problem.score_sets([mask_of(part) for part in inside])
    largest = max(map(len, inside))
    names = tuple(problem.variables[i] for i in own)
    required = tuple(
        (problem.variables[a], problem.variables[b]) for a, b in problem.required if a in place and b in place
    )
    accuracy = problem.scores.accuracy
    if accuracy is not None:
        accuracy = replace(accuracy, arities=tuple(accuracy.arities[i] for i in own))
    constraints = Constraints(largest, required, ())
    if len(own) > MOST_VARIABLES_OF_TABLE:
        listed = SparseScores(names, dict(zip(masks, scores, strict=True)), accuracy=accuracy)
        return make_problem(listed, constraints)
    values = np.full(1 << len(own), -np.inf)
    values[0] = 0.0
    values[masks] = scores
    return make_problem(ScoreTable(names, values, max_size=largest, accuracy=accuracy), constraints)
