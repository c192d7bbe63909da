"""The score of a chordal graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable


def score_of(cliques: Iterable[int], separators: Iterable[int], value: Callable[[int], float]) -> float:
    """Σ v(cliques) − Σ v(separators), rounded once; −∞ if a clique's value is −∞.

    >>> score_of([0b011, 0b110], [0b010], lambda mask: -float(mask.bit_count()))
    -3.0
    """
    gains = [float(value(clique)) for clique in cliques]
    if -math.inf in gains:
        return -math.inf
    return math.fsum(gains + [-float(value(separator)) for separator in separators])
