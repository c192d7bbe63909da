"""The facts of a problem for the rule files beside this module.

By hand: write the facts to a file and run ``clingo edges.lp facts.lp``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from itertools import combinations

from chordlearn.encodings.model import whole
from chordlearn.encodings.weights import interaction_scores, minimal_forbidden, moebius_weights
from chordlearn.graphs import members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.text import shown

RULE_FILES = {
    "paper": ("paper", ""),
    "paper-implied": ("paper", "#const implied = 1. [override]\n"),
    "edges": ("edges", ""),
    "elimination": ("elimination", ""),
}
"""The file of each encoding, and what is added to it."""


def rules(encoding: str) -> str:
    """The rules of an encoding, as they stand in its file.

    >>> "Möbius" in rules("edges")
    True
    """
    file, added = RULE_FILES[encoding]
    return files(__package__).joinpath(f"{file}.lp").read_text(encoding="utf-8") + added


def facts(problem: Problem, candidates: Candidates, encoding: str) -> str:
    """What the rules of an encoding need of a problem with integer scores, as facts.

    >>> from chordlearn.problem.candidates import all_candidates
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import SparseScores
    >>> problem = make_problem(SparseScores(("a", "b"), {0b01: 0, 0b10: 0, 0b11: 500}))
    >>> print(facts(problem, all_candidates(problem), "elimination"), end="")
    node(0). % a
    node(1). % b
    candidate(1). score(1,0). member(1,0). without(1,0,0).
    candidate(2). score(2,0). member(2,1). without(2,1,0).
    candidate(3). score(3,500). moebius(3,500). member(3,0). without(3,0,2). member(3,1). without(3,1,1).
    """
    return "".join(f"{line}\n" for line in fact_lines(problem, candidates, encoding))


def largest_weight(problem: Problem, candidates: Candidates) -> float:
    """The largest absolute value among all weights that the rules compute from the facts."""
    scores, moebius = interaction_scores(problem, candidates), moebius_weights(problem, candidates)
    # The rules for elimination subtract one score from another.
    return max(2 * max(map(abs, scores.values())), *map(abs, moebius.values()))


def fact_lines(problem: Problem, candidates: Candidates, encoding: str) -> Iterator[str]:
    """The same line by line."""
    for index, name in enumerate(problem.variables):
        yield f"node({index}). % {shown(name)}"
    yield from (f"required({a},{b})." for a, b in problem.required)
    scores, moebius = interaction_scores(problem, candidates), moebius_weights(problem, candidates)
    numbers = {mask: number for number, mask in enumerate(scores)}
    for mask, number in numbers.items():
        if number:
            stated = [f"candidate({number}).", f"score({number},{whole(scores[mask])})."]
            # What weighs nothing can be left out.
            stated += [f"moebius({number},{whole(moebius[mask])})."] if moebius[mask] else []
            for i in members(mask):
                stated.append(f"member({number},{i}).")
                if encoding == "elimination":
                    stated.append(f"without({number},{i},{numbers[mask ^ 1 << i]}).")
            yield " ".join(stated)
    if encoding == "edges":
        larger = (mask for mask in minimal_forbidden(problem, candidates) if mask.bit_count() > 2)
        for number, mask in enumerate(larger, len(numbers)):
            yield " ".join([f"excluded({number}).", *(f"member({number},{i})." for i in members(mask))])
    if RULE_FILES[encoding][0] == "paper":
        for (first, c), (second, d) in combinations(list(numbers.items())[1:], 2):
            shared = first & second
            if shared in (first, second):
                yield f"nested({c},{d})."
            elif shared:
                yield f"meet({c},{d},{numbers[shared]})."


def free_in_rules(encoding: str, scaled: Problem, candidates: Candidates) -> int:
    """The integer score of a network that costs nothing in the rules of answer set programming."""
    if encoding != "elimination":
        return 0
    scores = interaction_scores(scaled, candidates)
    best = [0.0] * scaled.n
    for mask, score in scores.items():
        for vertex in members(mask):
            best[vertex] = max(best[vertex], score - scores[mask ^ 1 << vertex])
    return int(sum(best))
