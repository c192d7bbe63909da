"""A model as linear rows over 0/1 variables, without negated literals and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chordlearn.encodings.model import Group, Linear, Relation


@dataclass(frozen=True, slots=True)
class Row:
    """Σ coefficient · variable, compared with a bound; every variable once, no coefficient 0."""

    coefficients: dict[int, int]
    relation: Relation
    bound: int


def rows(group: Group) -> Iterator[Row]:
    """The clauses and linear constraints of a group.

    A conditional constraint becomes one that its condition's falsehood makes trivial.

    >>> group = Group("example")
    >>> group.clause(1, -2)
    >>> group.count([1, 2, 3], "<=", 1, condition=4)
    >>> for row in rows(group):
    ...     print(row.coefficients, row.relation, row.bound)
    {1: 1, 2: -1} >= 0
    {1: 1, 2: 1, 3: 1, 4: 2} <= 3
    """
    for clause in group.clauses():
        yield _row([(1, literal) for literal in clause], ">=", 1)
    for constraint in group.budget.watched(group.linear):
        yield from _rows_of(constraint)


def row_count(group: Group) -> int:
    """How many rows a group becomes."""
    return group.clause_count + sum(
        2 if constraint.relation == "=" and constraint.condition is not None else 1
        for constraint in group.linear
    )


def _rows_of(constraint: Linear) -> Iterator[Row]:
    terms = list(zip(constraint.coefficients, constraint.literals, strict=True))
    condition = constraint.condition
    if condition is None:
        yield _row(terms, constraint.relation, constraint.bound)
        return
    if constraint.relation in ("<=", "="):
        slack = sum(max(coefficient, 0) for coefficient, _ in terms) - constraint.bound
        yield _row([*terms, (max(slack, 0), condition)], "<=", constraint.bound + max(slack, 0))
    if constraint.relation in (">=", "="):
        slack = constraint.bound - sum(min(coefficient, 0) for coefficient, _ in terms)
        yield _row([*terms, (-max(slack, 0), condition)], ">=", constraint.bound - max(slack, 0))


def _row(terms: list[tuple[int, int]], relation: Relation, bound: int) -> Row:
    coefficients: dict[int, int] = {}
    for coefficient, literal in terms:
        # A negated literal counts 1 − variable.
        signed = coefficient if literal > 0 else -coefficient
        coefficients[abs(literal)] = coefficients.get(abs(literal), 0) + signed
        bound -= 0 if literal > 0 else coefficient
    return Row({variable: value for variable, value in coefficients.items() if value}, relation, bound)
