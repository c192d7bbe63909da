"""Constraints that several encodings share: edges, an order of the vertices, what may not be complete."""

from __future__ import annotations

from itertools import combinations

from chordlearn.encodings.meanings import Before, Edge
from chordlearn.encodings.model import Model
from chordlearn.encodings.weights import minimal_forbidden
from chordlearn.graphs import components, graph_from_edges, members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem


def add_edges(model: Model, candidates: Candidates) -> None:
    """A variable for every pair that may be adjacent."""
    for mask in candidates.masks.tolist():
        if mask.bit_count() == 2:
            a, b = members(mask)
            model.variable(Edge(a, b))


def edge(model: Model, a: int, b: int) -> int | None:
    """The variable of an edge, None if the two may not be adjacent."""
    return model.numbers.get(Edge(min(a, b), max(a, b)))


def edges_inside(model: Model, vertices: int) -> list[int]:
    """The variables of all edges inside a candidate."""
    return [model.numbers[Edge(a, b)] for a, b in combinations(members(vertices), 2)]


def possible_graph(model: Model) -> tuple[int, ...]:
    """The graph of all edges that have a variable."""
    return graph_from_edges(model.n, [(edge.a, edge.b) for edge, _ in model.having(Edge)])


def require_edges(model: Model, problem: Problem) -> None:
    """Required edges: unit clauses. One that is no candidate makes the model contradict itself."""
    if not problem.required:
        return
    group = model.group("required edges")
    for a, b in problem.required:
        known = edge(model, a, b)
        if known is None:
            known = model.variable(Edge(a, b))
            group.clause(-known)
        group.clause(known)


def add_order(model: Model) -> None:
    """A total order of the vertices of each component of the graph of possible edges."""
    group = model.group("the order is transitive")
    for component in components(possible_graph(model)):
        vertices = list(members(component))
        for a, b in combinations(vertices, 2):
            model.variable(Before(a, b))
        for a, b, c in combinations(vertices, 3):
            group.clause(-before(model, a, b), -before(model, b, c), before(model, a, c))
            group.clause(before(model, a, b), before(model, b, c), -before(model, a, c))


def before(model: Model, a: int, b: int) -> int:
    """The literal "a comes before b"; both are in one component of the graph of possible edges."""
    return model.numbers[Before(a, b)] if a < b else -model.numbers[Before(b, a)]


def forbid_sets(model: Model, problem: Problem, candidates: Candidates) -> None:
    """No set that is not a candidate may be complete: a clause for each minimal one."""
    group = model.group("sets that may not be complete")
    for mask in minimal_forbidden(problem, candidates):
        if mask.bit_count() >= 3:
            group.clause(*(-variable for variable in edges_inside(model, mask)))
