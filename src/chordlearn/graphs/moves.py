"""The score of a chordal graph, and single-edge steps from one chordal graph to another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from chordlearn.graphs.adjacency import Graph, is_complete, reachable


def score_of(cliques: Iterable[int], separators: Iterable[int], value: Callable[[int], float]) -> float:
    """Σ v(cliques) − Σ v(separators), rounded once; −∞ if a clique's value is −∞.

    >>> score_of([0b011, 0b110], [0b010], lambda mask: -float(mask.bit_count()))
    -3.0
    """
    gains = [float(value(clique)) for clique in cliques]
    if -math.inf in gains:
        return -math.inf
    return math.fsum(gains + [-float(value(separator)) for separator in separators])


def can_add(graph: Graph, a: int, b: int) -> bool:
    """Whether a chordal graph stays chordal with the missing edge ab: common neighbours separate a from b.

    >>> can_add((2, 5, 2), 0, 2), can_add((0b0010, 0b0101, 0b1010, 0b0100), 0, 3)
    (True, False)
    """
    if a == b or graph[a] >> b & 1:
        return False
    everything = (1 << len(graph)) - 1
    return not reachable(graph, 1 << a, everything & ~(graph[a] & graph[b])) >> b & 1


def can_remove(graph: Graph, a: int, b: int) -> bool:
    """Whether a chordal graph stays chordal without its edge ab: common neighbours are complete.

    >>> can_remove((6, 5, 3), 0, 1), can_remove((0b1110, 0b0101, 0b1011, 0b0101), 0, 2)
    (True, False)
    """
    return bool(graph[a] >> b & 1) and is_complete(graph, graph[a] & graph[b])


def toggled(graph: Graph, a: int, b: int) -> tuple[int, ...]:
    """The graph with the edge ab added if it was missing, else removed.

    >>> toggled((2, 5, 2), 0, 2)
    (6, 5, 3)
    """
    changed = list(graph)
    changed[a] ^= 1 << b
    changed[b] ^= 1 << a
    return tuple(changed)


def score_change(graph: Graph, a: int, b: int, value: Callable[[int], float]) -> float:
    """By how much a legal toggle of the edge ab changes the score; ``value`` gives v of a mask.

    >>> score_change((0, 0), 0, 1, [0.0, -3.0, -4.0, -5.0].__getitem__)
    2.0
    """
    common = graph[a] & graph[b]
    with_a, with_b = common | 1 << a, common | 1 << b
    gain = value(with_a | with_b) + value(common) - value(with_a) - value(with_b)
    return -gain if graph[a] >> b & 1 else gain
