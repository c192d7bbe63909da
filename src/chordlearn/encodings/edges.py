"""The encoding `edges`: a chordal graph scores the sum of the Möbius weights of its complete sets.

No cliques, separators or junction tree: edges, an elimination order, and a variable for each set of three
or more vertices that may be complete.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from chordlearn.encodings.common import (
    add_edges,
    add_order,
    before,
    edge,
    edges_inside,
    forbid_sets,
    possible_graph,
    require_edges,
)
from chordlearn.encodings.meanings import Complete
from chordlearn.encodings.model import Model
from chordlearn.encodings.size import Budget, Size, candidates_by_size
from chordlearn.encodings.weights import independent_score, moebius_weights
from chordlearn.graphs import members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem


@dataclass(frozen=True)
class EdgesOptions:
    """There are none."""


def encode(
    problem: Problem,
    candidates: Candidates,
    options: EdgesOptions = EdgesOptions(),
    budget: Budget | None = None,
) -> Model:
    """The model: edges, order, no immorality, forbidden sets, Möbius weights."""
    constant = independent_score(problem)
    model = Model(problem.n, encoding="edges", constant=constant, budget=budget or Budget())
    add_edges(model, candidates)
    add_order(model)
    forbid_immoralities(model)
    forbid_sets(model, problem, candidates)
    require_edges(model, problem)
    reward_complete_sets(model, problem, candidates)
    if not model.meanings:
        # Some languages, and some solvers, know no model without variables.
        model.auxiliary()
    return model


def size(problem: Problem, candidates: Candidates, options: EdgesOptions = EdgesOptions()) -> Size:
    """A variable for each candidate of several variables, and its edges in one clause at least."""
    sizes = candidates_by_size(problem, candidates)
    inside = (count * math.comb(k, 2) for k, count in enumerate(sizes) if k > 2)
    return Size(variables=sum(sizes[2:]), literals=sum(inside))


def forbid_immoralities(model: Model) -> None:
    """Two neighbours of a vertex that both come before it are adjacent."""
    group = model.group("neighbours that come before a vertex are adjacent")
    graph = possible_graph(model)
    for i in range(model.n):
        for j, k in combinations(members(graph[i]), 2):
            both = (-edges_inside(model, 1 << i | 1 << j)[0], -edges_inside(model, 1 << i | 1 << k)[0])
            orders = (-before(model, j, i), -before(model, k, i))
            across = edge(model, j, k)
            group.clause(*both, *orders, *(() if across is None else (across,)))


def reward_complete_sets(model: Model, problem: Problem, candidates: Candidates) -> None:
    """Each complete set counts its Möbius weight; a pair is complete when it is an edge."""
    weights = moebius_weights(problem, candidates)
    needs = model.group("a complete set has all its edges")
    makes = model.group("a set with all its edges is complete")
    for mask in candidates.masks.tolist():
        weight = weights[mask]
        if mask.bit_count() < 2 or not weight:
            continue
        inside = edges_inside(model, mask)
        if len(inside) == 1:
            model.reward(inside[0], weight)
            continue
        complete = model.variable(Complete(mask))
        model.reward(complete, weight)
        if weight > 0:
            for variable in inside:
                needs.clause(-complete, variable)
        if weight < 0:
            makes.clause(complete, *(-variable for variable in inside))
