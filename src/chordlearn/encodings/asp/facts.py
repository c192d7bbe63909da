"""The facts of a problem for the rule files beside this module.

By hand: write the facts to a file and run ``clingo edges.lp facts.lp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from chordlearn.encodings.asp.weights import Weights
from chordlearn.graphs import members
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates

ENCODINGS = ("paper", "edges", "elimination")


def rules(encoding: str) -> str:
    """The rules of an encoding, as they stand in its file.

    >>> "Möbius" in rules("edges")
    True
    """
    return files(__package__).joinpath(f"{encoding}.lp").read_text(encoding="utf-8")


def facts(problem: Problem, candidates: Candidates, weights: Weights) -> str:
    """The nodes, candidates, integer scores and required edges as facts, one per line.

    >>> import numpy as np
    >>> from chordlearn.encodings.asp.weights import weigh
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.reduction.candidates import all_candidates
    >>> from chordlearn.scores.table import ScoreTable
    >>> problem = make_problem(ScoreTable(("a", "b"), np.array([0.0, -1, -2, -2.5]), max_size=2))
    >>> candidates = all_candidates(problem)
    >>> print(facts(problem, candidates, weigh(problem, candidates, factor=1000)))
    node(0). % a
    node(1). % b
    candidate(1). score(1,0).
    candidate(2). score(2,0).
    candidate(3). score(3,500). moebius(3,500).
    <BLANKLINE>
    """
    return "\n".join(_lines(problem, candidates, weights)) + "\n"


def _lines(problem: Problem, candidates: Candidates, weights: Weights) -> Iterator[str]:
    for index, name in enumerate(problem.variables):
        yield f"node({index}). % {' '.join(name.split())}"
    yield from (f"required({a},{b})." for a, b in problem.required)
    for mask in (int(mask) for mask in candidates.masks):
        yield f"candidate({mask}). score({mask},{weights.scores[mask]})." + _moebius(mask, weights.moebius)
    yield from (f"excluded({mask})." for mask in minimal_excluded(problem.n, candidates))


def _moebius(mask: int, moebius: NDArray[np.int64]) -> str:
    """Sets that weigh nothing need not be seen, and single nodes never weigh anything."""
    return f" moebius({mask},{moebius[mask]})." if moebius[mask] else ""


def minimal_excluded(n: int, candidates: Candidates) -> list[int]:
    """The sets of three or more that are no candidates although all their proper subsets are.

    A graph without them as complete sets, and without pairs that are no candidates, has only candidates.

    >>> import numpy as np
    >>> minimal_excluded(3, Candidates(np.array([1, 2, 3, 4, 5, 6], dtype=np.uint32), 7, 0.0, 0.0))
    [7]
    """
    allowed = set(candidates.masks.tolist())
    grown = {
        mask | 1 << vertex
        for mask in allowed
        if mask.bit_count() >= 2
        for vertex in range(mask.bit_length(), n)
    }
    return sorted(
        mask
        for mask in grown - allowed
        if all(mask & ~(1 << vertex) in allowed for vertex in members(mask))
    )
