"""Random and exhaustive graphs for the tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hypothesis import strategies as st

from chordlearn.graphs import graph_from_edges


@st.composite
def chordal_graphs(draw: st.DrawFn, max_n: int = 9) -> tuple[int, ...]:
    """Each new vertex is joined to a subset of some earlier vertex's family; then names are shuffled."""
    n = draw(st.integers(1, max_n))
    families = [1]
    edges = []
    for vertex in range(1, n):
        family = families[draw(st.integers(0, vertex - 1))]
        joined = family & draw(st.integers(0, (1 << vertex) - 1))
        edges += [(u, vertex) for u in range(vertex) if joined >> u & 1]
        families.append(joined | 1 << vertex)
    name = draw(st.permutations(range(n)))
    return graph_from_edges(n, [(name[a], name[b]) for a, b in edges])


@st.composite
def any_graphs(draw: st.DrawFn, max_n: int = 8) -> tuple[int, ...]:
    n = draw(st.integers(0, max_n))
    pairs = list(itertools.combinations(range(n), 2))
    return graph_from_edges(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def all_graphs(n: int) -> Iterator[tuple[int, ...]]:
    pairs = list(itertools.combinations(range(n), 2))
    for chosen in range(1 << len(pairs)):
        yield graph_from_edges(n, [pair for i, pair in enumerate(pairs) if chosen >> i & 1])
