"""What a model, a constraint or a formula says of an assignment, by its definition."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from chordlearn.encodings import Model, edges_of_answer
from chordlearn.encodings.languages.cnf import to_cnf
from chordlearn.encodings.model import Linear
from chordlearn.graphs import graph_from_edges, maximal_cliques


def holds(constraint: Linear, true: Collection[int]) -> bool:
    """Whether a constraint holds when exactly these variables are true."""
    if constraint.condition is not None and (abs(constraint.condition) in true) != (constraint.condition > 0):
        return True
    total = sum(
        coefficient
        for coefficient, literal in zip(constraint.coefficients, constraint.literals, strict=True)
        if (abs(literal) in true) == (literal > 0)
    )
    if constraint.relation == "<=":
        return total <= constraint.bound
    return total >= constraint.bound if constraint.relation == ">=" else total == constraint.bound


def violated(model: Model, true: Collection[int]) -> str | None:
    """The name of the first group with a violated constraint when exactly these variables are true."""
    for group in model.groups:
        for clause in group.clauses():
            if not any((abs(literal) in true) == (literal > 0) for literal in clause):
                return group.name
        if not all(holds(constraint, true) for constraint in group.linear):
            return group.name
    return None


def clauses(model: Model) -> list[list[int]]:
    return [clause for group in model.groups for clause in group.clauses()]


def linear(model: Model) -> list[Linear]:
    return [constraint for group in model.groups for constraint in group.linear]


def hard_clauses(model: Model) -> list[list[int]]:
    return [clause for group in to_cnf(model).groups for clause in group.clauses()]


def cliques_of(model: Model, literals: Iterable[int]) -> tuple[int, ...]:
    """The maximal cliques of the network in an answer."""
    return maximal_cliques(graph_from_edges(model.n, edges_of_answer(model, literals)))
