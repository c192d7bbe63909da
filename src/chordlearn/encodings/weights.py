"""The weights that constraint models maximise, made from the scores.

Interaction scores v'(A) = v(A) − Σ v({i}) are small, and 0 for singletons: a network scores
Σ v({i}) + Σ v'(cliques) − Σ v'(separators).
"""

from __future__ import annotations

import math

from chordlearn.errors import InputError
from chordlearn.graphs import graph_from_edges, members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.scores.accuracy import UNIT_ROUNDOFF


def independent_score(problem: Problem) -> float:
    """The score of the network without edges, Σ v({i})."""
    singles = problem.score_sets([1 << i for i in range(problem.n)])
    for name, value in zip(problem.variables, singles, strict=True):
        if not math.isfinite(value):
            raise InputError(
                f"The variable {name} alone scores {value}; every variable needs a finite score."
            )
    return math.fsum(singles)


def interaction_scores(problem: Problem, candidates: Candidates) -> dict[int, float]:
    """v' of every candidate, rounded once; singletons and the empty set have exactly 0.

    >>> from chordlearn.problem.candidates import all_candidates
    >>> from chordlearn.problem.problem import make_problem
    >>> from chordlearn.scores.table import SparseScores
    >>> problem = make_problem(SparseScores(("a", "b"), {0b01: -1.0, 0b10: -2.0, 0b11: -2.5}))
    >>> interaction_scores(problem, all_candidates(problem))
    {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.5}
    """
    losses = [-score for score in problem.score_sets([1 << i for i in range(problem.n)])]
    masks = candidates.masks.tolist()
    interactions = {0: 0.0}
    for mask, score in zip(masks, problem.score_sets(masks), strict=True):
        inside = [losses[i] for i in members(mask)]
        interactions[mask] = math.fsum([score, *inside]) if len(inside) > 1 else 0.0
    return interactions


def model_error(problem: Problem, candidates: Candidates, encoding: str) -> float:
    """By how much the objective of a model with real weights may differ from the score of a network.

    Möbius weights of sets of at most k variables take k subtractions of sums of 2ᵏ scores at most, and a
    network with n variables has at most n·2ᵏ complete sets. Other weights are differences of a few scores.
    """
    largest = max(map(abs, interaction_scores(problem, candidates).values()))
    k = max(map(int.bit_count, candidates.masks.tolist()), default=0)
    per_network = k * 4.0**k if encoding == "edges" else 16.0
    singles = math.fsum(map(abs, problem.score_sets([1 << i for i in range(problem.n)])))
    return UNIT_ROUNDOFF * (problem.n * (per_network + 2) * largest + 4 * singles)


def moebius_weights(problem: Problem, candidates: Candidates) -> dict[int, float]:
    """m(S) = Σ_{T⊆S} (−1)^{|S∖T|} v'(T) for every candidate.

    A chordal graph scores Σ v({i}) + Σ m(S) over its complete sets S.
    """
    weights = interaction_scores(problem, candidates)
    for i in range(problem.n):
        for mask in weights:
            if mask >> i & 1:
                weights[mask] -= weights[mask ^ 1 << i]
    return weights


def minimal_forbidden(problem: Problem, candidates: Candidates) -> list[int]:
    """The sets that are no candidates although all their proper subsets are, rising.

    A graph whose complete sets avoid these has only candidates as complete sets.
    """
    family = {0, *candidates.masks.tolist()}
    pairs = [tuple(members(mask)) for mask in family if mask.bit_count() == 2]
    graph = graph_from_edges(problem.n, [(a, b) for a, b in pairs])
    minimal = []
    for mask in family:
        # Each set comes once, by what its highest variable is added to.
        higher = (1 << problem.n) - (1 << mask.bit_length())
        if mask.bit_count() > 1:
            for i in members(mask):
                higher &= graph[i]
        for i in members(higher):
            larger = mask | 1 << i
            if larger not in family and all(larger ^ 1 << j in family for j in members(larger)):
                minimal.append(larger)
    return sorted(minimal)
