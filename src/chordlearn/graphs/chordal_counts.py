"""How many chordal graphs there are, and how probable edges are before there are data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import comb
from typing import TypeVar

from chordlearn.errors import InputError

Number = TypeVar("Number", int, Decimal)


@dataclass(frozen=True)
class EdgePrior:
    """What log odds of edges mean as a prior: a chordal graph with m edges weighs exp(m log odds)."""

    edge_probability: float
    """Of every edge, before there are data; they are all alike."""
    expected_edges: float
    log_total: float
    """The logarithm of the sum of the weights: less it, the log evidence is that of the model class."""


def edge_prior(n: int, log_odds: float = 0.0, max_clique: int | None = None) -> EdgePrior:
    """The prior probability of an edge among chordal graphs on n vertices.

    The log odds are those of an edge that may come and go by itself. Being chordal, and large cliques, change
    what they come to, so that even odds do not make every second edge.

    >>> found = edge_prior(10)
    >>> round(found.edge_probability, 4), round(found.expected_edges, 2)
    (0.4419, 19.89)
    >>> round(edge_prior(10, -3.0).edge_probability, 4)
    0.0471
    """
    largest = _checked(n, max_clique)
    if n < 2:
        return EdgePrior(0.0, 0.0, 0.0)
    with localcontext() as context:
        # What subtraction cancels has no more digits than there are graphs of one size.
        context.prec = 60 + 3 * n
        weights = [(Decimal(log_odds) * comb(k, 2)).exp() for k in range(n + 1)]
        graphs = _sums(n, largest, weights)
        total = graphs[0, n]
        joined = weights[2] * graphs[2, n - 2] / total if largest > 1 else Decimal(0)
        return EdgePrior(float(joined), float(joined * comb(n, 2)), float(total.ln()))


def count_chordal_graphs(n: int, max_clique: int | None = None) -> int:
    """The number of chordal graphs on n labelled vertices, exactly.

    With ``max_clique`` only graphs count that have no larger clique. It takes about n³ additions and
    multiplications of whole numbers.

    >>> [count_chordal_graphs(n) for n in range(1, 7)]
    [1, 2, 8, 61, 822, 18154]
    >>> count_chordal_graphs(4, max_clique=2)  # the forests
    38
    """
    return _sums(n, _checked(n, max_clique), [1] * (n + 1))[0, n]


def _checked(n: int, max_clique: int | None) -> int:
    """The largest clique."""
    if n < 0:
        raise InputError(f"The number of vertices must be 0 or more, not {n}.")
    if max_clique is not None and max_clique < 1:
        raise InputError(f"The largest clique must have at least 1 vertex, not {max_clique}.")
    return n if max_clique is None else min(n, max_clique)


def _sums(n: int, largest: int, weights: Sequence[Number]) -> dict[tuple[int, int], Number]:
    """Of a complete set of c vertices and u others: the sum over all graphs, less the weight of the set.

    Complete sets of k vertices weigh ``weights[k]``; a graph weighs what its cliques do, divided by what its
    separators do.
    """
    one, zero = weights[0], weights[0] - weights[0]
    graphs = {(c, 0): one for c in range(largest + 1)}
    # The others hang together and touch every vertex of the set; they hang together.
    touching: dict[tuple[int, int], Number] = {}
    hanging: dict[tuple[int, int], Number] = {}
    for u in range(1, n + 1):
        sizes = range(min(largest, n - u) + 1)
        for c in sizes:
            # Of a component, those that see the whole set form a connected chordal graph, whose cliques
            # have the alternating sum 1: each graph counts once per component that touches the whole set.
            components = sum(
                (-1) ** (t + 1) * comb(u, t) * weights[c + t] * graphs[c + t, u - t]
                for t in range(1, min(u, largest - c) + 1)
            )
            # Whole numbers weigh 1 each.
            alone = components if weights[c] == 1 else components / weights[c]
            touching[c, u] = alone - sum(comb(u, x) * touching[c, x] * graphs[c, u - x] for x in range(1, u))
        for c in sizes:
            hanging[c, u] = sum((comb(c, s) * touching[s, u] for s in range(c + 1)), zero)
            graphs[c, u] = sum(
                (comb(u - 1, x - 1) * hanging[c, x] * graphs[c, u - x] for x in range(1, u + 1)), zero
            )
    return graphs
