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

from chordlearn.certificate.proofs.lines import check_set, numbers_in
from chordlearn.certificate.proofs.set_values import Values
from chordlearn.certificate.proofs.sets import Numbering
from chordlearn.certificate.results.report import Failed

Integers = NDArray[np.int64]
"""u by number; 0 for sets that may not be complete."""

LARGEST = 1 << 49
"""Of an integer score: sums over all variables then stay far inside 64 bits."""


def interactions(values: Values, sets: Numbering) -> Values:
    """v′ by number, each rounded once; −∞ for sets that may not be complete.

    >>> from chordlearn.certificate.proofs.sets import AllSets
    >>> interactions(np.array([0.0, -1, -2, -2.5]), AllSets(2))
    array([0. , 0. , 0. , 0.5])
    """
    less = [-value for value in _singles(values, sets)]
    found = np.full(len(values), -np.inf)
    for number in np.flatnonzero(np.isfinite(values)).tolist():
        found[number] = math.fsum((float(values[number]), *(less[i] for i in sets.members(number))))
    return found


def independent_score(values: Values, sets: Numbering) -> float:
    """The score of the network without edges."""
    return math.fsum(_singles(values, sets))


def _singles(values: Values, sets: Numbering) -> list[float]:
    return [float(values[sets.number([i])]) for i in range(sets.n)]


def largest_error(integers: Integers, values: Values, sets: Numbering, factor: float) -> float:
    """How far an integer score may be from what it stands for, as a score."""
    allowed = np.isfinite(values)
    exact = interactions(values, sets)[allowed]
    rounding = float(np.abs(exact).max()) * 2.0**-52
    with np.errstate(over="ignore"):
        return float(np.abs(exact - integers[allowed] / factor).max()) + rounding


def threshold(
    score: float, values: Values, sets: Numbering, tolerance: float, factor: float, error: float
) -> int:
    """The largest integer score that proves nothing scores more than the tolerance above the score."""
    independent = independent_score(values, sets)
    room = score + tolerance - independent - max(0, 2 * sets.n - 3) * error
    # A rounding error of the sums in `room`, which have few terms, is less than this part of them.
    sums = abs(score) + abs(independent) + tolerance
    highest = (room - sums * 2.0**-50) * factor
    if not math.isfinite(highest):
        raise Failed(f"with the factor {factor:g} the scores are beyond all numbers")
    return math.floor(highest)


def lines(integers: Integers, sets: Numbering, allowed: NDArray[np.bool_]) -> Iterator[str]:
    """The file of integer scores: a number, then the variables of the set; sets of two or more."""
    for number in np.flatnonzero(allowed).tolist():
        variables = sets.members(number)
        if len(variables) >= 2:
            yield f"{integers[number]} {' '.join(map(str, variables))}\n"


def read(text: Sequence[str], values: Values, sets: Numbering) -> Integers:
    """The integer scores in a file: exactly one for each set of two or more that may be complete."""
    integers = np.zeros(len(values), dtype=np.int64)
    known = np.zeros(len(values), dtype=np.bool_)
    for line_number, line in enumerate(text, start=1):
        where = f"line {line_number} of scores.txt"
        score, *variables = numbers_in(line, where)
        check_set(variables, sets.n, where)
        number = sets.number(variables) if 2 <= len(variables) <= sets.largest else 0
        if not number or known[number] or not np.isfinite(values[number]):
            raise Failed(f"{where} is about a set that is not allowed or stands twice")
        if abs(score) > LARGEST:
            raise Failed(f"{where} has the number {score}, which is too large")
        known[number], integers[number] = True, score
    for number in np.flatnonzero(np.isfinite(values) & ~known).tolist():
        variables = sets.members(number)
        if len(variables) >= 2:
            raise Failed(f"scores.txt lacks the set of the variables {', '.join(map(str, variables))}")
    return integers
