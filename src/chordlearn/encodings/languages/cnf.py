"""A model in propositional logic: hard clauses and weighted soft literals."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from chordlearn.encodings.languages.counting import translate
from chordlearn.encodings.model import Group, Model


@dataclass(frozen=True, eq=False)
class CNF:
    """Weighted clauses. The variables of the model keep their numbers; translations add more behind them."""

    variable_count: int
    groups: tuple[Group, ...]
    """Hard clauses only."""
    soft: tuple[tuple[int, float], ...]
    """Literals with the positive weight that is lost when they are false."""
    best: float
    """The objective if no soft literal were false: objective = best − weight lost."""

    @property
    def clause_count(self) -> int:
        """How many hard clauses there are."""
        return sum(group.clause_count for group in self.groups)


def to_cnf(model: Model) -> CNF:
    """Translate the linear constraints away and turn the objective into soft literals.

    >>> from chordlearn.encodings.meanings import Edge
    >>> model = Model(n=3)
    >>> a, b = model.variable(Edge(0, 1)), model.variable(Edge(0, 2))
    >>> model.group("one of two").count([a, b], "=", 1)
    >>> model.reward(a, -2.0)
    >>> cnf = to_cnf(model)
    >>> list(cnf.groups[0].clauses()), cnf.soft, cnf.best
    ([[1, 2], [-1, 3], [-2, -3]], ((-1, 2.0),), 0.0)
    """
    last = model.variable_count

    def new_variable() -> int:
        nonlocal last
        last += 1
        return last

    groups = []
    for group in model.groups:
        translated = Group(group.name, array("i", group.flat_clauses), [], group.clause_count, group.budget)

        def add_clause(literals: Sequence[int], into: Group = translated) -> None:
            if literals:
                into.clause(*literals)
            else:
                contradiction = new_variable()
                into.clause(contradiction)
                into.clause(-contradiction)

        for constraint in group.linear:
            translate(constraint, new_variable, add_clause)
        groups.append(translated)
    soft = tuple(
        (variable if weight > 0 else -variable, abs(weight)) for variable, weight in model.weights.items()
    )
    gains = (weight for weight in model.weights.values() if weight > 0)
    return CNF(last, tuple(groups), soft, math.fsum([model.constant, *gains]))
