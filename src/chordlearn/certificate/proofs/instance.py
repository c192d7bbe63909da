"""The propositional instance: clauses that hold of every chordal graph of a case, what it gains, and cores.

Variables, numbered in this order from 1:

- for each pair that may be adjacent, whether it is;
- for each pair i < j, whether i comes before j in a perfect order of the graph;
- for each larger set with a weight other than 0, whether it is complete.

A chordal graph scores Σ m(S) over its complete sets S of two or more variables, where
m(S) = Σ over the subsets T of S of (−1)^|S∖T| u(T).

The file cores.txt has core-guided steps, each raising what every solution of the instance costs. A line has a
weight w and literals of which not all can be true (a core). Their costs are w or more. Since one is false, w
is paid for sure; paid beyond it is w for every further one that is false. So w is taken from each cost, the
sure cost rises by w, and for each t ≥ 2 a new literal, "fewer than t of them are false", costs w. New
variables count the false ones by a tree: a node's t-th variable says that at least t of its leaves are false,
and clauses add up two halves.

That the cores are cores is what instance.cnf is about, whose clauses contradict each other: a selector for
each core makes all its literals true, and one of the selectors must be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from chordlearn.certificate.proofs.bounds import Case
from chordlearn.certificate.proofs.claim import number_lines
from chordlearn.certificate.proofs.scores import Integers
from chordlearn.certificate.proofs.sets import members, minimal
from chordlearn.certificate.results.report import Failed

Clause = tuple[int, ...]


@dataclass
class Instance:
    """Clauses, and literals that cost their weight when they are false."""

    variables: int = 0
    meanings: list[str] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    costs: dict[int, int] = field(default_factory=dict)
    best: int = 0
    """The score if nothing were false: a graph scores this minus its costs."""

    def new(self, meaning: str) -> int:
        """A new variable."""
        self.variables += 1
        self.meanings.append(meaning)
        return self.variables


def build_instance(integers: Integers, case: Case) -> Instance:
    """The instance of a case."""
    instance = Instance()
    edges = {
        (a, b): instance.new(f"edge {a} {b}")
        for a, b in combinations(range(case.n), 2)
        if case.allowed[1 << a | 1 << b]
    }
    orders = {(a, b): instance.new(f"{a} before {b}") for a, b in combinations(range(case.n), 2)}
    instance.clauses += _transitive(case.n, orders)
    instance.clauses += _moral(case.n, edges, orders)
    instance.clauses += _not_complete(case, edges)
    instance.clauses += _required(case, edges)
    for mask, weight in moebius_weights(integers, case).items():
        _reward(instance, edges, mask, weight)
    return instance


def _transitive(n: int, orders: dict[tuple[int, int], int]) -> Iterator[Clause]:
    """No three variables go round in the order."""
    for a, b, c in combinations(range(n), 3):
        yield -orders[a, b], -orders[b, c], orders[a, c]
        yield orders[a, b], orders[b, c], -orders[a, c]


def _moral(n: int, edges: dict[tuple[int, int], int], orders: dict[tuple[int, int], int]) -> Iterator[Clause]:
    """Two neighbours of a variable that both come before it are adjacent."""
    for last in range(n):
        near = [i for i in range(n) if (min(i, last), max(i, last)) in edges]
        for a, b in combinations(near, 2):
            both = [-edges[min(i, last), max(i, last)] for i in (a, b)]
            earlier = [-orders[i, last] if i < last else orders[last, i] for i in (a, b)]
            across = [edges[a, b]] if (a, b) in edges else []
            yield (*both, *earlier, *across)


def _not_complete(case: Case, edges: dict[tuple[int, int], int]) -> Iterator[Clause]:
    """A set that is not allowed lacks an edge, said of the smallest such sets."""
    for mask in np.flatnonzero(minimal(~case.allowed)).tolist():
        if mask.bit_count() >= 3:
            yield tuple(-edges[pair] for pair in combinations(members(mask), 2))


def _required(case: Case, edges: dict[tuple[int, int], int]) -> Iterator[Clause]:
    """Edges that must be there; the empty clause for one that cannot."""
    for a, b in combinations(range(case.n), 2):
        if case.required[a] >> b & 1:
            yield (edges[a, b],) if (a, b) in edges else ()


def moebius_weights(integers: Integers, case: Case) -> dict[int, int]:
    """m(S) of the allowed sets of two or more variables, where it is not 0, by rising mask.

    >>> case = Case(np.ones(8, dtype=np.bool_), (0, 0, 0))
    >>> moebius_weights(np.array([0, 0, 0, 5, 0, 0, 0, 6]), case)
    {3: 5, 7: 1}
    """
    masks = np.flatnonzero(case.allowed).tolist()
    weights = {mask: int(integers[mask]) for mask in masks}
    for i in range(case.n):
        for mask in masks:
            if mask >> i & 1:
                weights[mask] -= weights[mask ^ 1 << i]
    return {mask: weight for mask, weight in weights.items() if weight and mask.bit_count() >= 2}


def _reward(instance: Instance, edges: dict[tuple[int, int], int], mask: int, weight: int) -> None:
    """A set that gains costs what it could gain when not complete; one that loses costs when complete."""
    inside = [edges[pair] for pair in combinations(members(mask), 2)]
    if len(inside) == 1:
        complete = inside[0]
    else:
        complete = instance.new(f"set {' '.join(map(str, members(mask)))}")
        if weight > 0:
            instance.clauses += [(-complete, edge) for edge in inside]
        else:
            instance.clauses.append((complete, *(-edge for edge in inside)))
    if weight > 0:
        instance.best += weight
    instance.costs[complete if weight > 0 else -complete] = abs(weight)


@dataclass(frozen=True)
class Core:
    """Literals of which not all can be true, and the weight that is taken from their costs."""

    weight: int
    literals: Clause

    def __str__(self) -> str:
        """The line of the file."""
        return " ".join(map(str, (self.weight, *self.literals)))


def read_cores(text: Sequence[str]) -> list[Core]:
    """The steps in a file."""
    return [Core(weight, tuple(literals)) for _, (weight, *literals) in number_lines(text, "cores.txt")]


class Accounts:
    """What the literals still cost, what is paid for sure, and the clauses that count false literals."""

    def __init__(self, instance: Instance) -> None:
        self.costs = dict(instance.costs)
        self.paid: float = 0
        """A whole number, or infinity when there is no solution at all."""
        self.variables = instance.variables
        self.meanings: list[str] = []
        self.clauses: list[Clause] = []

    def take(self, core: Core, name: str) -> list[int]:
        """Account for a core; returns the new literals, "fewer than t of them are false" for t = 2, 3, ….

        >>> accounts = Accounts(Instance(2, costs={1: 5, -2: 3}))
        >>> accounts.take(Core(3, (1, -2)), "core 1"), accounts.paid, accounts.costs
        ([-4], 3, {1: 2, -2: 0, -4: 3})
        >>> accounts.clauses
        [(-2, 3), (1, 3), (1, -2, 4)]
        """
        if core.weight <= 0 or len(set(core.literals)) != len(core.literals):
            raise Failed(f"{name} has a weight of {core.weight}, or a literal twice")
        for literal in core.literals:
            cost = self.costs.get(literal, 0)
            if cost < core.weight:
                raise Failed(f"{name} takes {core.weight} from the literal {literal}, which costs {cost}")
            self.costs[literal] = cost - core.weight
        if not core.literals:
            self.paid = float("inf")
            return []
        self.paid += core.weight
        first = self.variables + 1
        further = [-counter for counter in self._count_false(core.literals)[1:]]
        if further:
            self.meanings.append(f"{first} to {self.variables} count the false literals of {name}")
        for literal in further:
            self.costs[literal] = core.weight
        return further

    def _count_false(self, literals: Clause) -> list[int]:
        """Literals that are true if at least 1, 2, … of these are false."""
        if len(literals) == 1:
            return [-literals[0]]
        middle = len(literals) // 2
        left, right = self._count_false(literals[:middle]), self._count_false(literals[middle:])
        both = list(range(self.variables + 1, self.variables + 1 + len(literals)))
        self.variables += len(literals)
        for i in range(len(left) + 1):
            for j in range(len(right) + 1):
                if i + j:
                    some = [-left[i - 1]] if i else []
                    others = [-right[j - 1]] if j else []
                    self.clauses.append((*some, *others, both[i + j - 1]))
        return both


@dataclass(frozen=True)
class Contradiction:
    """The clauses of instance.cnf, which contradict each other if and only if all the cores are cores."""

    variables: int
    clauses: list[Clause]
    meanings: list[str]

    def lines(self) -> Iterator[str]:
        """The file, in DIMACS form."""
        yield from (f"c {meaning}" for meaning in self.meanings)
        yield f"p cnf {self.variables} {len(self.clauses)}"
        yield from (" ".join(map(str, (*clause, 0))) for clause in self.clauses)


def contradiction(instance: Instance, cores: Sequence[Core]) -> tuple[Contradiction, float]:
    """The clauses that say "one of these is no core", and what every solution costs if all are."""
    accounts = Accounts(instance)
    for number, core in enumerate(cores, start=1):
        accounts.take(core, f"core {number}")
    first = accounts.variables + 1
    selectors = list(range(first, first + len(cores)))
    chosen = [
        (-selector, literal)
        for selector, core in zip(selectors, cores, strict=True)
        for literal in core.literals
    ]
    meanings = [f"{number} {meaning}" for number, meaning in enumerate(instance.meanings, start=1)]
    if cores:
        accounts.meanings.append(f"{first} to {selectors[-1]} choose a core whose literals are all true")
    clauses = [*instance.clauses, *accounts.clauses, *chosen, tuple(selectors)]
    variables = accounts.variables + len(cores)
    return Contradiction(variables, clauses, meanings + accounts.meanings), accounts.paid
