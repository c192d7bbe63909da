"""Weights that are fractions of observations.

They are multiples of a power of two, their unit, and sum to fewer than 2⁵³ units. So every sum of them is
exact, in whatever order it is made, and a table of fractions is one of whole counts of units.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]
"""Whole numbers in 64 bits, or doubles that are multiples of a unit below 1."""

MOST_UNITS = 2.0**52
"""What weights sum to at most, in units."""


def finest_unit(total: float, most: float = MOST_UNITS) -> float:
    """The smallest power of two, at most 1, of which there are no more than ``most`` in a total.

    >>> finest_unit(3.0, 16), finest_unit(1e20)
    (0.25, 1.0)
    """
    exponent = math.ceil(math.log2(total / most))
    return 2.0 ** min(0, exponent)


def of_units(units: NDArray[np.integer], unit: float) -> Weights:
    """The weights of so many units; whole ones as whole numbers.

    >>> of_units(np.array([2, 4]), 0.5), of_units(np.array([2, 3]), 0.5)
    (array([1, 2]), array([1. , 1.5]))
    """
    weights: Weights = units * unit if unit < 1 else units.astype(np.int64)
    if unit < 1 and not (weights % 1).any():
        weights = weights.astype(np.int64)
    weights.setflags(write=False)
    return weights


def in_units(weights: Weights, unit: float) -> NDArray[np.int64]:
    """How many units weights are.

    >>> in_units(np.array([1.0, 1.5]), 0.5)
    array([2, 3])
    """
    return np.ascontiguousarray(weights / unit if unit < 1 else weights, np.int64)


def rounded(weights: NDArray[np.float64], most: float = MOST_UNITS) -> Weights:
    """Any positive numbers as weights: each to the nearest multiple of the finest unit of their sum.

    >>> rounded(np.array([1.0, 2.0])), rounded(np.array([0.3, 2.0]), 16)
    (array([1, 2]), array([0.25, 2.  ]))
    """
    unit = finest_unit(math.fsum(weights.tolist()), most)
    return of_units(np.rint(weights / unit).astype(np.int64), unit)


def unit_of(weights: Weights) -> float:
    """The largest power of two, at most 1, of which all weights are multiples.

    >>> unit_of(np.array([1, 2])), unit_of(np.array([0.75, 2.0]))
    (1.0, 0.25)
    """
    if weights.dtype.kind != "f" or not weights.size:
        return 1.0
    mantissas, exponents = np.frexp(weights)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64)) + exponents - 53
    return float(2.0 ** min(0.0, lowest.min()))


def plain(number: float) -> int | float:
    """A whole number as one.

    >>> plain(2.0), plain(2.5)
    (2, 2.5)
    """
    return int(number) if float(number).is_integer() else float(number)
