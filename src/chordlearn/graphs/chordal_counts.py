"""How many chordal graphs there are."""

from __future__ import annotations

from math import comb

from chordlearn.errors import InputError


def count_chordal_graphs(n: int, max_clique: int | None = None) -> int:
    """The number of chordal graphs on n labelled vertices, exactly.

    With ``max_clique`` only graphs count that have no larger clique. It takes about n³ additions and
    multiplications of whole numbers.

    >>> [count_chordal_graphs(n) for n in range(1, 7)]
    [1, 2, 8, 61, 822, 18154]
    >>> count_chordal_graphs(4, max_clique=2)  # the forests
    38
    """
    if n < 0:
        raise InputError(f"The number of vertices must be 0 or more, not {n}.")
    if max_clique is not None and max_clique < 1:
        raise InputError(f"The largest clique must have at least 1 vertex, not {max_clique}.")
    largest = n if max_clique is None else min(n, max_clique)
    # Of a complete set of c vertices and u others: all graphs; those in which the others hang together and
    # touch every vertex of the set; those in which they hang together.
    graphs = {(c, 0): 1 for c in range(largest + 1)}
    touching: dict[tuple[int, int], int] = {}
    hanging: dict[tuple[int, int], int] = {}
    for u in range(1, n + 1):
        sizes = range(min(largest, n - u) + 1)
        for c in sizes:
            # Of a component, those that see the whole set form a connected chordal graph, whose cliques
            # have the alternating sum 1: each graph counts once per component that touches the whole set.
            components = sum(
                (-1) ** (t + 1) * comb(u, t) * graphs[c + t, u - t] for t in range(1, min(u, largest - c) + 1)
            )
            not_alone = sum(comb(u, x) * touching[c, x] * graphs[c, u - x] for x in range(1, u))
            touching[c, u] = components - not_alone
        for c in sizes:
            hanging[c, u] = sum(comb(c, s) * touching[s, u] for s in range(c + 1))
            graphs[c, u] = sum(comb(u - 1, x - 1) * hanging[c, x] * graphs[c, u - x] for x in range(1, u + 1))
    return graphs[0, n]
