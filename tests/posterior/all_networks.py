"""All chordal networks on a few variables, with exact weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chordlearn as cl
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, separators
from chordlearn.problem.constraints import Constraints, allows
from chordlearn.scores import ScoreTable

Cliques = tuple[int, ...]


@cache
def chordal_networks(n: int) -> tuple[Cliques, ...]:
    """The cliques of every chordal graph on n vertices."""
    pairs = list(combinations(range(n), 2))
    found = []
    for chosen in range(1 << len(pairs)):
        graph = graph_from_edges(n, [pair for i, pair in enumerate(pairs) if chosen >> i & 1])
        if is_chordal(graph):
            found.append(maximal_cliques(graph))
    return tuple(found)


def random_powers(n: int, seed: int, spread: int) -> NDArray[np.int64]:
    """Whole numbers k(A) for all sets; a set weighs 2^k(A)."""
    powers = np.random.default_rng(seed).integers(-spread, spread + 1, 1 << n)
    powers[0] = 0
    return powers


def table_of(powers: NDArray[np.int64]) -> ScoreTable:
    """The scores of these weights."""
    n = len(powers).bit_length() - 1
    names = tuple("abcdefgh"[:n])
    return ScoreTable(names, powers.astype(np.float64) * math.log(2), max_size=n)


def shares(networks: Sequence[Cliques], powers: NDArray[np.int64]) -> tuple[Fraction, dict[Cliques, int]]:
    """The sum of the weights of networks, and each weight in units of the smallest."""
    of_network = {
        cliques: sum(int(powers[c]) for c in cliques) - sum(int(powers[s]) for s in separators(cliques))
        for cliques in networks
    }
    smallest = min(of_network.values())
    weights = {cliques: 1 << (power - smallest) for cliques, power in of_network.items()}
    return sum(weights.values()) * Fraction(2) ** smallest, weights


def allowed_shares(
    table: ScoreTable, powers: NDArray[np.int64], constraints: Constraints
) -> tuple[Fraction, dict[Cliques, int]]:
    """The same of all chordal networks that the constraints allow."""
    networks = chordal_networks(len(table.variables))
    return shares([c for c in networks if allows(constraints, table.variables, c)], powers)


def posterior_of(table: ScoreTable, constraints: Constraints, **options: Any) -> cl.Posterior:
    """The posterior over the networks that the constraints allow."""
    return cl.posterior(
        table,
        max_clique=constraints.max_clique,
        require=constraints.required,
        forbid=constraints.forbidden,
        **options,
    )


def probability(weights: Mapping[Cliques, int], holds: Callable[[Cliques], bool]) -> float:
    """The share of networks of which something holds."""
    return float(Fraction(sum(w for cliques, w in weights.items() if holds(cliques)), sum(weights.values())))


def contains(cliques: Cliques, mask: int) -> bool:
    """Whether a set is complete."""
    return any(mask & ~clique == 0 for clique in cliques)
