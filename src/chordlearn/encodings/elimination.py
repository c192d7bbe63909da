"""The encoding `elimination`: a chordal graph as a directed one without immoralities.

Every vertex takes one set of parents, the order is acyclic, parents are pairwise adjacent. A vertex's
choice costs what it scores less than the vertex's best choice, so that no cost is negative.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from chordlearn.encodings.common import (
    add_edges,
    add_order,
    before,
    edge,
    edges_inside,
    possible_graph,
    require_edges,
)
from chordlearn.encodings.meanings import Parents
from chordlearn.encodings.model import Model
from chordlearn.encodings.size import Budget, Size, candidates_by_size
from chordlearn.encodings.weights import independent_score, interaction_scores
from chordlearn.graphs import members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem


@dataclass(frozen=True)
class EliminationOptions:
    """How to encode."""

    break_symmetry: bool = True
    """Of the orders of one graph leave fewer: an arc that could be turned must lead to the higher vertex."""
    aggregated: bool = False
    """State what all parent sets with the same two vertices imply at once, which suits linear solvers."""


def encode(
    problem: Problem,
    candidates: Candidates,
    options: EliminationOptions = EliminationOptions(),
    budget: Budget | None = None,
) -> Model:
    """The model: parent sets, order, adjacency of parents, costs."""
    model = Model(problem.n, encoding="elimination", budget=budget or Budget())
    add_edges(model, candidates)
    add_order(model)
    for vertex in range(problem.n):
        model.variable(Parents(vertex, 0))
    for mask in candidates.masks.tolist():
        for vertex in members(mask):
            model.variable(Parents(vertex, mask & ~(1 << vertex)))
    one_parent_set(model)
    if options.aggregated:
        arcs_of_parent_sets_aggregated(model)
        parents_are_adjacent_aggregated(model)
    else:
        arcs_of_parent_sets(model)
        parents_are_adjacent(model)
    no_other_arcs(model)
    if options.break_symmetry:
        turn_arcs_upwards(model)
    require_edges(model, problem)
    charge_parent_sets(model, problem, candidates)
    return model


def size(
    problem: Problem,
    candidates: Candidates,
    options: EliminationOptions = EliminationOptions(),
) -> Size:
    """A variable for each parent set, and what says that its parents are adjacent."""
    sizes = candidates_by_size(problem, candidates)
    each = [2 * (k - 1) + math.comb(max(0, k - 1), 2) for k in range(len(sizes))]
    stated = sum(k * count * pairs for k, (count, pairs) in enumerate(zip(sizes, each, strict=True)))
    return Size(
        variables=sum(k * count for k, count in enumerate(sizes)),
        literals=0 if options.aggregated else (2 + 1) * stated,
        terms=stated if options.aggregated else 0,
    )


def one_parent_set(model: Model) -> None:
    """Every vertex has exactly one parent set."""
    group = model.group("one parent set per vertex")
    for choices in _choices(model):
        group.count([p for _, p in choices], "=", 1)


def arcs_of_parent_sets(model: Model) -> None:
    """Parents are adjacent to their child and come before it."""
    group = model.group("parents are adjacent to the vertex and come before it")
    for vertex, parents, p in _parent_sets(model):
        for parent in members(parents):
            group.clause(-p, *edges_inside(model, 1 << vertex | 1 << parent))
            group.clause(-p, before(model, parent, vertex))


def arcs_of_parent_sets_aggregated(model: Model) -> None:
    """The same, at once for all parent sets with the same parent."""
    group = model.group("parents are adjacent to the vertex and come before it")
    for vertex, choices in enumerate(_choices(model)):
        for parent in members(possible_graph(model)[vertex]):
            having = [(1, p) for parents, p in choices if parents >> parent & 1]
            e = edges_inside(model, 1 << vertex | 1 << parent)[0]
            group.compare([*having, (1, -e)], "<=", 1)
            group.compare([*having, (1, -before(model, parent, vertex))], "<=", 1)


def no_other_arcs(model: Model) -> None:
    """A neighbour that comes before a vertex is its parent."""
    group = model.group("neighbours that come before a vertex are its parents")
    graph = possible_graph(model)
    for vertex, choices in enumerate(_choices(model)):
        for other in members(graph[vertex]):
            having = [p for parents, p in choices if parents >> other & 1]
            e = edges_inside(model, 1 << vertex | 1 << other)[0]
            group.clause(-e, -before(model, other, vertex), *having)


def parents_are_adjacent(model: Model) -> None:
    """Two parents of one vertex are adjacent."""
    group = model.group("parents are pairwise adjacent")
    for _, parents, p in _parent_sets(model):
        for e in edges_inside(model, parents):
            group.clause(-p, e)


def parents_are_adjacent_aggregated(model: Model) -> None:
    """The same, at once for all parent sets with the same two parents."""
    group = model.group("parents are pairwise adjacent")
    for choices in _choices(model):
        for j, k in combinations(range(model.n), 2):
            having = [(1, p) for parents, p in choices if parents >> j & 1 and parents >> k & 1]
            across = edge(model, j, k)
            if having and across is not None:
                group.compare([*having, (1, -across)], "<=", 1)


def turn_arcs_upwards(model: Model) -> None:
    """For i < j not both: j has the parents P, and i has P and j.

    The arc from j to i can then be turned without changing the graph, its adjacency or the absence of
    immoralities, which leaves one arc less that leads downwards: some orientation has no such arc.
    """
    group = model.group("arcs that can be turned lead to the higher vertex (symmetry)")
    for i, parents, p in _parent_sets(model):
        for j in members(parents):
            if i < j:
                group.clause(-p, -model.numbers[Parents(j, parents & ~(1 << j))])


def charge_parent_sets(model: Model, problem: Problem, candidates: Candidates) -> None:
    """Each vertex scores its best parent set less the cost of the one it has."""
    values = interaction_scores(problem, candidates)
    model.constant = independent_score(problem)
    for vertex, choices in enumerate(_choices(model)):
        gains = {p: values[parents | 1 << vertex] - values[parents] for parents, p in choices}
        best = max(gains.values())
        model.constant += best
        for p, gain in gains.items():
            model.reward(p, gain - best)


def _parent_sets(model: Model) -> Iterator[tuple[int, int, int]]:
    return ((chosen.vertex, chosen.parents, p) for chosen, p in model.having(Parents))


def _choices(model: Model) -> list[list[tuple[int, int]]]:
    choices: list[list[tuple[int, int]]] = [[] for _ in range(model.n)]
    for vertex, parents, p in _parent_sets(model):
        choices[vertex].append((parents, p))
    return choices
