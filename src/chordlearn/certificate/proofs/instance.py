"""The propositional instance: clauses that hold of every chordal graph of a case, and what it gains by them.

Variables, numbered in this order from 1:

- for each pair that may be adjacent, whether it is;
- for each pair i < j, whether i comes before j in a perfect order of the graph;
- for each larger set with a weight other than 0, whether it is complete.

A chordal graph scores Σ m(S) over its complete sets S of two or more variables, where
m(S) = Σ over the subsets T of S of (−1)^|S∖T| u(T).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from chordlearn.certificate.proofs.integers import Integers
from chordlearn.certificate.proofs.replay import Case
from chordlearn.certificate.proofs.sets import members, minimal_sets

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
    for mask in minimal_sets(~case.allowed):
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
