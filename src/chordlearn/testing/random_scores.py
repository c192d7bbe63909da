"""Score tables of many kinds, each there because some solver may stumble over it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chordlearn.scores import ScoreTable

Values = NDArray[np.float64]
MakeValues = Callable[[int, np.random.Generator], Values]


def scores_like_data(n: int, rng: np.random.Generator) -> Values:
    """Scores as data would give them: every variable costs, sets are worth a little more or less.

    >>> scores_like_data(2, np.random.default_rng(0)).round(1)
    array([  0. , -20.9, -31.9, -51.8])
    """
    masks = np.arange(1 << n, dtype=np.uint32)
    sizes = np.bitwise_count(masks)
    singles = sum(np.where(masks >> i & 1, rng.uniform(-40, -10), 0.0) for i in range(n))
    extra = rng.normal(0.6, 2.0, 1 << n) * (sizes - 1) - 0.3 * (sizes - 1) ** 2
    values = np.asarray(singles + np.where(sizes >= 2, extra, 0.0), dtype=np.float64)
    values[0] = 0.0
    return values


def with_gaps(values: Values, rng: np.random.Generator, share: float) -> Values:
    """The scores, but some sets of two or more variables may not be complete.

    >>> with_gaps(np.zeros(4), np.random.default_rng(0), 1.0)
    array([  0.,   0.,   0., -inf])
    """
    gaps = np.bitwise_count(np.arange(len(values), dtype=np.uint32)) >= 2
    return np.where(gaps & (rng.random(len(values)) < share), -np.inf, values)


def _sizes(n: int) -> NDArray[np.int64]:
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32)).astype(np.int64)


def _gaussian(n: int, rng: np.random.Generator) -> Values:
    return rng.normal(scale=10, size=1 << n)


def _walk(n: int, rng: np.random.Generator) -> Values:
    return np.cumsum(rng.normal(size=1 << n))


def _equal(n: int, rng: np.random.Generator) -> Values:
    return np.full(1 << n, float(rng.integers(-2, 3)))


def _by_size(n: int, rng: np.random.Generator) -> Values:
    return rng.integers(-4, 5, size=n + 1).astype(float)[_sizes(n)]


def _integer(n: int, rng: np.random.Generator) -> Values:
    return rng.integers(-3, 4, size=1 << n).astype(float)


def _nearly_equal(n: int, rng: np.random.Generator) -> Values:
    """Ties that differ around and below the tolerance, on scores of any size."""
    base = _by_size(n, rng) * float(10 ** rng.integers(0, 5))
    return base + rng.normal(scale=10 ** rng.uniform(-11, -5), size=1 << n)


def _impossible(n: int, rng: np.random.Generator) -> Values:
    return with_gaps(scores_like_data(n, rng), rng, float(rng.uniform(0.05, 0.6)))


def _huge(n: int, rng: np.random.Generator) -> Values:
    return scores_like_data(n, rng) * float(10 ** rng.uniform(3, 11))


def _tiny(n: int, rng: np.random.Generator) -> Values:
    return scores_like_data(n, rng) * float(10 ** rng.uniform(-13, -3))


def _all_magnitudes(n: int, rng: np.random.Generator) -> Values:
    return rng.normal(size=1 << n) * 10.0 ** rng.uniform(-8, 6, size=1 << n)


def _cancelling(n: int, rng: np.random.Generator) -> Values:
    """Single variables score millions of either sign; what matters is the small rest."""
    singles = rng.normal(size=n) * 10.0 ** rng.uniform(4, 9)
    masks = np.arange(1 << n, dtype=np.uint32)
    large = sum((np.where(masks >> i & 1, singles[i], 0.0) for i in range(n)), np.zeros(1 << n))
    return large + scores_like_data(n, rng)


KINDS: dict[str, MakeValues] = {
    "like data": scores_like_data,
    "Gaussian": _gaussian,
    "random walk": _walk,
    "all equal": _equal,
    "equal by size": _by_size,
    "integer": _integer,
    "nearly equal": _nearly_equal,
    "impossible sets": _impossible,
    "huge": _huge,
    "tiny": _tiny,
    "of all magnitudes": _all_magnitudes,
    "cancelling": _cancelling,
}


def random_scores(n: int, kind: str, rng: np.random.Generator) -> ScoreTable:
    """A score table with n variables; now and then it knows small sets only.

    >>> random_scores(3, "integer", np.random.default_rng(1)).values
    array([ 0.,  0.,  2.,  3., -3., -2.,  2.,  3.])
    """
    values = np.array(KINDS[kind](n, rng), dtype=np.float64)
    values[0] = 0.0
    max_size = n
    if n > 2 and rng.random() < 0.1:
        max_size = int(rng.integers(2, n))
        values[_sizes(n) > max_size] = -np.inf
    values.setflags(write=False)
    return ScoreTable(tuple(f"x{i}" for i in range(n)), values, max_size)
