"""A constraint model: Boolean variables, clauses, linear constraints, and an objective to maximise.

Variables are numbered from 1; a literal is a variable or its negative. Every constraint stands in a named
group, so that files can say what a line is for.

>>> from chordlearn.encodings.meanings import Edge
>>> model = Model(n=2)
>>> edge = model.variable(Edge(0, 1))
>>> model.group("required edges").clause(edge)
>>> model.reward(edge, 2.5)
>>> model.weights, edges_of_answer(model, {edge})
({1: 2.5}, ((0, 1),))
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from chordlearn.encodings.meanings import Auxiliary, Edge, Meaning
from chordlearn.encodings.size import Budget
from chordlearn.errors import InputError

Relation = Literal["<=", ">=", "="]
M = TypeVar("M", bound=Meaning)


@dataclass(frozen=True, slots=True)
class Linear:
    """Σ coefficient · literal, compared with a bound; a literal counts 1 when true."""

    coefficients: tuple[int, ...]
    literals: tuple[int, ...]
    relation: Relation
    bound: int
    condition: int | None = None
    """A literal: the constraint need hold only when it is true. None: always."""
    most: int | None = None
    """The positive coefficients never sum to more than this in a solution of the whole model.

    It follows from the other constraints; a translation may use it, and may add it.
    """


@dataclass(eq=False)
class Group:
    """Constraints of one kind."""

    name: str
    flat_clauses: array[int] = field(default_factory=lambda: array("i"), repr=False)
    """All clauses, one after the other, each closed by a 0."""
    linear: list[Linear] = field(default_factory=list, repr=False)
    clause_count: int = 0
    budget: Budget = field(default_factory=Budget, repr=False)

    def clause(self, *literals: int) -> None:
        """Demand that one of the literals is true."""
        self.budget.check()
        self.flat_clauses.extend(literals)
        self.flat_clauses.append(0)
        self.clause_count += 1

    def count(
        self, literals: Iterable[int], relation: Relation, bound: int, *, condition: int | None = None
    ) -> None:
        """Demand that the number of true literals compares so with the bound."""
        self.compare(((1, literal) for literal in literals), relation, bound, condition=condition)

    def compare(
        self,
        terms: Iterable[tuple[int, int]],
        relation: Relation,
        bound: int,
        *,
        condition: int | None = None,
        most: int | None = None,
    ) -> None:
        """Demand that Σ coefficient · literal, given as pairs, compares so with the bound."""
        self.budget.check()
        pairs = tuple(terms)
        coefficients = tuple(coefficient for coefficient, _ in pairs)
        literals = tuple(literal for _, literal in pairs)
        self.linear.append(Linear(coefficients, literals, relation, bound, condition, most))

    def clauses(self) -> Iterator[list[int]]:
        """The clauses one by one."""
        start = 0
        for _ in range(self.clause_count):
            self.budget.check()
            end = self.flat_clauses.index(0, start)
            yield self.flat_clauses[start:end].tolist()
            start = end + 1


@dataclass(eq=False)
class Model:
    """Maximise constant + Σ weight · variable under the constraints of all groups.

    An encoding fills it in; afterwards it is only read.
    """

    n: int
    """Number of vertices of the network."""
    encoding: str = ""
    meanings: list[Meaning] = field(default_factory=list, repr=False)
    """The meaning of variable i is at position i − 1."""
    groups: list[Group] = field(default_factory=list)
    constant: float = 0.0
    weights: dict[int, float] = field(default_factory=dict, repr=False)
    """The objective's weights by variable; never 0."""
    numbers: dict[Meaning, int] = field(default_factory=dict, repr=False)
    """The variable of each meaning."""
    budget: Budget = field(default_factory=Budget, repr=False)
    """Asked with every variable and constraint, when the model is built and when it is written."""

    def variable(self, meaning: Meaning) -> int:
        """The variable with this meaning, made if it is new."""
        self.budget.check()
        number = self.numbers.get(meaning)
        if number is None:
            self.meanings.append(meaning)
            number = self.numbers[meaning] = len(self.meanings)
        return number

    def having(self, kind: type[M]) -> Iterator[tuple[M, int]]:
        """The meanings of one kind, each with its variable."""
        for number, meaning in enumerate(self.budget.watched(self.meanings), 1):
            if isinstance(meaning, kind):
                yield meaning, number

    def auxiliary(self) -> int:
        """A new variable without meaning."""
        return self.variable(Auxiliary(len(self.meanings) + 1))

    def group(self, name: str) -> Group:
        """A new group of constraints."""
        group = Group(name, budget=self.budget)
        self.groups.append(group)
        return group

    def contradict(self, group: Group) -> None:
        """Make the model contradict itself."""
        impossible = self.auxiliary()
        group.clause(impossible)
        group.clause(-impossible)

    def reward(self, variable: int, weight: float) -> None:
        """Add to the objective what it gains when the variable is true."""
        total = self.weights.pop(variable, 0.0) + float(weight)
        if total:
            self.weights[variable] = total

    @property
    def variable_count(self) -> int:
        """How many variables there are."""
        return len(self.meanings)

    @property
    def clause_count(self) -> int:
        """How many clauses there are."""
        return sum(group.clause_count for group in self.groups)

    @property
    def linear_count(self) -> int:
        """How many linear constraints there are."""
        return sum(len(group.linear) for group in self.groups)


def edges_of_answer(model: Model, literals: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The edges of the network in a solver's answer: the literals, or only the true variables.

    Variables beyond those of the model (of a translation, say) are ignored.
    """
    found = set()
    for literal in literals:
        if 0 < literal <= len(model.meanings):
            meaning = model.meanings[literal - 1]
            if isinstance(meaning, Edge):
                found.add((meaning.a, meaning.b))
    return tuple(sorted(found))


def whole(weight: float) -> int:
    """The weight as an integer; refuses one that is none.

    >>> whole(3.0)
    3
    """
    if weight != int(weight):
        raise InputError(
            f"This language takes integer weights only, but one is {weight}; scale the scores first."
        )
    return int(weight)
