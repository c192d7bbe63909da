"""Whether two variables are independent given others: the likelihood-ratio test of statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.dataset import Dataset
from chordlearn.system.json import JsonMixin

TERMS = 10_000
"""Of the series and of the continued fraction below; both need some multiple of the root of the freedom."""


@dataclass(frozen=True)
class IndependenceTest(JsonMixin):
    """The G² of conditional independence."""

    g_squared: float
    """Twice the log-likelihood that is lost by taking the two for independent given the others."""
    degrees_of_freedom: int
    """Of the states that occur: in each stratum, those of one less one times those of the other less one."""
    p_value: float
    """How probable so large a G² is if they are independent, by the chi-square distribution."""


def independence_test(data: Dataset, a: str, b: str, given: Sequence[str] = ()) -> IndependenceTest:
    """Test whether a and b are independent given others.

    The rows with the same states of the others are a stratum. Degrees of freedom are adjusted for empty
    cells: states that do not occur in a stratum do not count in it.

    >>> import chordlearn as cl
    >>> found = independence_test(cl.read("heart"), "smoke", "mental", ["phys"])
    >>> round(found.g_squared, 3), found.degrees_of_freedom, round(found.p_value, 3)
    (5.988, 2, 0.05)
    """
    chosen = data.select([a, b, *given])
    codes, counts = chosen.codes.astype(np.int64), chosen.weights.astype(np.float64)
    stratum = np.unique(codes[:, 2:], axis=0, return_inverse=True)[1].ravel()
    of_a, of_b = (_numbered(stratum, codes[:, column]) for column in (0, 1))
    cells = _numbered(stratum, codes[:, 0], codes[:, 1])
    n, n_a, n_b, n_s = (np.bincount(place, weights=counts) for place in (cells, of_a, of_b, stratum))
    g_squared = 2 * math.fsum(_entropy_terms(n)) + 2 * math.fsum(_entropy_terms(n_s))
    g_squared -= 2 * math.fsum(_entropy_terms(n_a)) + 2 * math.fsum(_entropy_terms(n_b))
    freedom = int((_kinds(stratum, of_a) - 1) @ (_kinds(stratum, of_b) - 1))
    g_squared = max(0.0, g_squared)
    return IndependenceTest(g_squared, freedom, chi_square_tail(g_squared, freedom))


def _numbered(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each combination of values."""
    found: NDArray[np.int64] = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()
    return found


def _entropy_terms(counts: NDArray[Any]) -> NDArray[np.float64]:
    terms: NDArray[np.float64] = counts[counts > 0] * np.log(counts[counts > 0])
    return terms


def _kinds(stratum: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many different places each stratum has."""
    pairs = np.unique(np.stack([stratum, place]), axis=1)
    return np.bincount(pairs[0])


def chi_square_tail(x: float, freedom: int) -> float:
    """The probability that a chi-square variable with so many degrees of freedom exceeds x.

    >>> round(chi_square_tail(3.841459, 1), 6), chi_square_tail(5.0, 0)
    (0.05, 1.0)
    """
    if freedom == 0 or x <= 0:
        return 1.0
    a, z = freedom / 2, x / 2
    front = math.exp(a * math.log(z) - z - math.lgamma(a))
    if z < a + 1:
        # The series of the lower incomplete gamma function.
        term = total = 1 / a
        for k in range(1, TERMS):
            term *= z / (a + k)
            total += term
            if term < total * 1e-17:
                break
        return max(0.0, 1 - front * total)
    # The continued fraction of the upper one, after Lentz.
    b = z + 1 - a
    c, d = math.inf, 1 / b
    fraction = d
    for k in range(1, TERMS):
        step = k * (a - k)
        b += 2
        d = 1 / (b + step * d)
        c = b + step / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return min(1.0, front * fraction)
