"""The facts of a problem for the rule files beside this module.

By hand: write the facts to a file and run ``clingo edges.lp facts.lp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import numpy as np

from chordlearn.encodings.model import whole
from chordlearn.encodings.weights import interaction_scores, minimal_forbidden, moebius_weights
from chordlearn.graphs import members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.text import shown

RULE_FILES = ("paper", "edges", "elimination")


def rules(encoding: str) -> str:
    """The rules of an encoding, as they stand in its file.

    >>> "Möbius" in rules("edges")
    True
    """
    return files(__package__).joinpath(f"{encoding}.lp").read_text(encoding="utf-8")


def facts(problem: Problem, candidates: Candidates) -> str:
    """The nodes, candidates, scores and required edges of a problem with integer scores, as facts.

    >>> import numpy as np
    >>> from chordlearn.encodings.scaling import scaled_problem
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.problem.candidates import all_candidates
    >>> from chordlearn.scores.table import ScoreTable
    >>> real = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2))
    >>> scaled, _ = scaled_problem(real, factor=1000)
    >>> print(facts(scaled, all_candidates(scaled)), end="")
    node(0). % a
    node(1). % b
    candidate(1). score(1,0).
    candidate(2). score(2,0).
    candidate(3). score(3,500). moebius(3,500).
    """
    return "".join(f"{line}\n" for line in fact_lines(problem, candidates))


def largest_weight(problem: Problem, candidates: Candidates) -> float:
    """The largest absolute value among all weights that the rules compute from the facts."""
    scores = np.abs(interaction_scores(problem)[candidates.masks])
    # The rules for elimination subtract one score from another.
    return max(2 * float(scores.max()), float(np.abs(moebius_weights(problem, candidates)).max()))


def fact_lines(problem: Problem, candidates: Candidates) -> Iterator[str]:
    """The same line by line."""
    for index, name in enumerate(problem.variables):
        yield f"node({index}). % {shown(name)}"
    yield from (f"required({a},{b})." for a, b in problem.required)
    scores = interaction_scores(problem)
    moebius = moebius_weights(problem, candidates)
    for mask in candidates.masks.tolist():
        # What weighs nothing need not be told.
        weighed = f" moebius({mask},{whole(float(moebius[mask]))})." if moebius[mask] else ""
        yield f"candidate({mask}). score({mask},{whole(float(scores[mask]))}).{weighed}"
    forbidden = minimal_forbidden(problem, candidates)
    yield from (f"excluded({mask})." for mask in forbidden if mask.bit_count() >= 3)


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
