"""Scores as whole numbers: one integer problem in which every further step is exact.

The integer score u(S) of a set stands for factor · v′(S), where v′(S) = v(S) − Σ v({i}) is 0 for single
variables. A network has at most n − 1 cliques and n − 2 separators of two or more variables; hence its score
exceeds Σ v({i}) + (Σ u(cliques) − Σ u(separators)) / factor by at most (2n − 3) · error, where no v′ is
further than the error from what its integer says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from chordlearn.certificate.report import Failed
from chordlearn.checking.lines import numbers_in
from chordlearn.checking.sets import members
from chordlearn.checking.values import Values

Integers = NDArray[np.int64]
"""u by mask; 0 for sets that may not be complete."""

LARGEST = 1 << 49
"""Of an integer score: sums over all variables then stay far inside 64 bits."""


def interactions(values: Values) -> Values:
    """v′ by mask, each rounded once; −∞ for sets that may not be complete.

    >>> interactions(np.array([0.0, -1, -2, -2.5]))
    array([0. , 0. , 0. , 0.5])
    """
    found = np.full(len(values), -np.inf)
    for mask in np.flatnonzero(np.isfinite(values)).tolist():
        singles = (-float(values[1 << i]) for i in members(mask))
        found[mask] = math.fsum((float(values[mask]), *singles))
    return found


def independent_score(values: Values) -> float:
    """The score of the network without edges."""
    n = len(values).bit_length() - 1
    return math.fsum(float(values[1 << i]) for i in range(n))


def largest_error(integers: Integers, values: Values, factor: float) -> float:
    """How far an integer score may be from what it stands for, as a score."""
    allowed = np.isfinite(values)
    exact = interactions(values)[allowed]
    rounding = float(np.abs(exact).max()) * 2.0**-52
    return float(np.abs(exact - integers[allowed] / factor).max()) + rounding


def threshold(score: float, values: Values, tolerance: float, factor: float, error: float) -> int:
    """The largest integer score that proves nothing scores more than the tolerance above the score."""
    n = len(values).bit_length() - 1
    room = score + tolerance - independent_score(values) - max(0, 2 * n - 3) * error
    # A rounding error of the sums in `room`, which have few terms, is less than this part of them.
    sums = abs(score) + abs(independent_score(values)) + tolerance
    return math.floor((room - sums * 2.0**-50) * factor)


def lines(integers: Integers, allowed: NDArray[np.bool_]) -> Iterator[str]:
    """The file of integer scores: a number, then the variables of the set; sets of two or more."""
    for mask in np.flatnonzero(allowed).tolist():
        if mask.bit_count() >= 2:
            yield f"{integers[mask]} {' '.join(map(str, members(mask)))}\n"


def read(text: Sequence[str], values: Values) -> Integers:
    """The integer scores in a file: exactly one for each set of two or more that may be complete."""
    integers = np.zeros(len(values), dtype=np.int64)
    known = np.zeros(len(values), dtype=np.bool_)
    for number, line in enumerate(text, start=1):
        score, *variables = numbers_in(line, f"line {number} of scores.txt")
        mask = 0
        for variable in variables:
            if not 0 <= variable < len(values).bit_length() - 1 or mask >> variable & 1:
                raise Failed(f"line {number} of scores.txt names no set of variables")
            mask |= 1 << variable
        if len(variables) < 2 or known[mask] or not np.isfinite(values[mask]):
            raise Failed(f"line {number} of scores.txt is about a set that is not allowed or stands twice")
        if abs(score) > LARGEST:
            raise Failed(f"line {number} of scores.txt has the number {score}, which is too large")
        known[mask], integers[mask] = True, score
    for mask in np.flatnonzero(np.isfinite(values) & ~known).tolist():
        if mask.bit_count() >= 2:
            raise Failed(f"scores.txt lacks the set of the variables {', '.join(map(str, members(mask)))}")
    return integers
