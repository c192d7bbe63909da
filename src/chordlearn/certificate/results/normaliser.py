"""The normaliser of the multinomial NML distribution."""

from __future__ import annotations

import math
from functools import lru_cache

EXACT_CELLS = 1 << 20
MANY = 1_000_000
NEGLIGIBLE = 1e-25


@lru_cache(maxsize=4096)
def log_normaliser(total: int, cells: int) -> float:
    """log C(N, k): the sum over all samples of N observations in k cells of their largest likelihoods.

    Up to 2²⁰ cells by the recurrence C(N, k + 2) = C(N, k + 1) + N/k · C(N, k), followed as the ratio of
    neighbours so that nothing overflows; beyond, by the approximation of Szpankowski and Weinberger.

    >>> round(math.exp(log_normaliser(2, 2)), 12), log_normaliser(5, 1)
    (2.5, 0.0)
    """
    if cells == 1 or total == 0:
        return 0.0
    if cells > EXACT_CELLS:
        return _approximation(total, cells)
    logarithm = _log_two_cells(total)
    ratio = math.exp(logarithm)
    steps = [logarithm]
    for k in range(1, cells - 1):
        growth = total / (k * ratio)
        steps.append(math.log1p(growth))
        ratio = 1.0 + growth
    return math.fsum(steps)


@lru_cache(maxsize=64)
def _log_two_cells(total: int) -> float:
    """log C(N, 2) = log(1 + Q(N)) with Ramanujan's Q(N) = Σ N (N − 1) … (N − k + 1) / Nᵏ over k ≥ 1.

    Its terms fall off after some √N of them; for large N its expansion in 1/√N is as exact as numbers are.
    """
    if total >= MANY:
        root = math.sqrt(math.pi / (2 * total))
        return math.log(math.fsum((2 / 3, root * total, root / 12, -4 / (135 * total), root / (288 * total))))
    terms = [1.0, 1.0]
    while terms[-1] > NEGLIGIBLE:
        terms.append(terms[-1] * (1 - (len(terms) - 1) / total))
    return math.log(math.fsum(terms))


def _approximation(total: int, cells: int) -> float:
    a = cells / total
    # c − 1 apart, for with many cells to a row it is far smaller than c.
    above_one = 2 / a / (math.sqrt(1 + 4 / a) + 1)
    c = 1 + above_one
    per_row = math.fsum((math.log(a), (a + 2) * math.log1p(above_one), -1 / c))
    return total * per_row - 0.5 * math.log(c + 2 / a)
