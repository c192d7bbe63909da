"""The scores of all allowed sets: computed afresh from counts or looked up, and as whole numbers.

In whole numbers there is one integer problem in which every further step is exact. The integer score u(S) of
a set stands for factor · v′(S), where v′(S) = v(S) − Σ v({i}) is 0 for single variables. A network has at
most n − 1 cliques and n − 2 separators of two or more variables; hence its score exceeds
Σ v({i}) + (Σ u(cliques) − Σ u(separators)) / factor by at most (2n − 3) · error, where no v′ is further than
the error from what its integer says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.certificate.proofs.claim import check_set, number_lines
from chordlearn.certificate.proofs.sets import (
    Flags,
    mask_of,
    members,
    number_of_variables,
    sizes,
    spread_upwards,
)
from chordlearn.certificate.results.report import Failed
from chordlearn.certificate.results.values import score_formula
from chordlearn.data.dataset import Dataset

Values = NDArray[np.float64]
"""v by number; −∞ for the sets that may not be complete."""
Integers = NDArray[np.int64]
"""u by number; 0 for sets that may not be complete."""
LARGEST = 1 << 49
"""Of an integer score: sums over all variables then stay far inside 64 bits."""


def allowed_sets(variables: Sequence[str], constraints: Mapping[str, Any]) -> Flags:
    """The sets that are not too large and hold no forbidden edge.

    >>> allowed_sets(("a", "b"), {"max_clique": None, "forbidden": [["a", "b"]]}).tolist()
    [True, True, True, False]
    """
    largest = constraints["max_clique"]
    forbidden = sizes(len(variables)) > (len(variables) if largest is None else largest)
    for pair in indexed(variables, constraints["forbidden"]):
        forbidden[mask_of(pair)] = True
    spread_upwards(forbidden)
    return ~forbidden


def indexed(variables: Sequence[str], edges: Iterable[Sequence[str]]) -> list[tuple[int, int]]:
    """Edges as pairs of variable numbers, the lower first."""
    numbers = {name: i for i, name in enumerate(variables)}
    return [(min(pair), max(pair)) for pair in ((numbers[a], numbers[b]) for a, b in edges)]


def values_from_data(dataset: Dataset, name: str, parameters: Mapping[str, Any], allowed: Flags) -> Values:
    """v of every allowed set, from the counts in the data."""
    weights = dataset.weights
    formula = score_formula(name, parameters, dataset.rows)
    values = np.full(len(allowed), -np.inf)
    values[0] = 0.0

    def descend(inside: list[int], groups: NDArray[np.int64], number: int, cells: int) -> None:
        for i in range(inside[-1] + 1 if inside else 0, len(dataset.variables)):
            larger = [*inside, i]
            place = mask_of(larger)
            if not allowed[place]:
                continue
            arity = len(dataset.states[i])
            codes = groups * arity + dataset.codes[:, i]
            # Sums of fewer than 2⁵³ units are exact in floating point.
            counts = np.bincount(codes, weights, minlength=number * arity)
            filled = counts > 0
            how_often = Counter(counts[filled].astype(weights.dtype).tolist())
            values[place] = formula.value(how_often, cells * arity, len(larger))
            numbers = np.cumsum(filled) - 1
            descend(larger, numbers[codes], int(numbers[-1]) + 1, cells * arity)

    descend([], np.zeros(len(weights), dtype=np.int64), 1, 1)
    return values


def values_from_scores(
    scores: Callable[[Iterable[str]], float], variables: Sequence[str], allowed: Flags
) -> Values:
    """v of every allowed set as given; a set without a score, or with −∞, may not be complete.

    >>> given = {("a",): -1.0, ("b",): -2.0}
    >>> values_from_scores(lambda names: given[tuple(names)], "ab", np.ones(4, dtype=np.bool_))
    array([  0.,  -1.,  -2., -inf])
    """
    values = np.full(len(allowed), -np.inf)
    values[0] = 0.0
    for number in np.flatnonzero(allowed).tolist()[1:]:
        try:
            values[number] = scores([variables[i] for i in members(number)])
        except KeyError:
            continue
        if math.isnan(values[number]) or values[number] == math.inf:
            raise Failed(f"the score of a set is {values[number]}")
    impossible = np.isneginf(values)
    spread_upwards(impossible)
    values[impossible] = -np.inf
    return values


def score_of_network(values: Values, variables: Sequence[str], document: Mapping[str, Any]) -> float:
    """The score of the network in a result by these values."""
    numbers = {name: i for i, name in enumerate(variables)}
    terms = [
        sign * float(values[mask_of(numbers[name] for name in names)])
        for sign, field in ((1, "cliques"), (-1, "separators"))
        for names in document[field]
    ]
    return math.fsum(terms)


def interactions(values: Values) -> Values:
    """v′ by number, each rounded once; −∞ for sets that may not be complete.

    >>> interactions(np.array([0.0, -1, -2, -2.5]))
    array([0. , 0. , 0. , 0.5])
    """
    less = [-value for value in _singles(values)]
    found = np.full(len(values), -np.inf)
    for number in np.flatnonzero(np.isfinite(values)).tolist():
        found[number] = math.fsum((float(values[number]), *(less[i] for i in members(number))))
    return found


def independent_score(values: Values) -> float:
    """The score of the network without edges."""
    return math.fsum(_singles(values))


def _singles(values: Values) -> list[float]:
    return [float(values[1 << i]) for i in range(number_of_variables(values))]


def largest_error(integers: Integers, values: Values, factor: float) -> float:
    """How far an integer score may be from what it stands for, as a score."""
    allowed = np.isfinite(values)
    exact = interactions(values)[allowed]
    rounding = float(np.abs(exact).max()) * 2.0**-52
    with np.errstate(over="ignore"):
        return float(np.abs(exact - integers[allowed] / factor).max()) + rounding


def threshold(score: float, values: Values, tolerance: float, factor: float, error: float) -> int:
    """The largest integer score that proves nothing scores more than the tolerance above the score."""
    independent = independent_score(values)
    room = score + tolerance - independent - max(0, 2 * number_of_variables(values) - 3) * error
    # A rounding error of the sums in `room`, which have few terms, is less than this part of them.
    sums = abs(score) + abs(independent) + tolerance
    highest = (room - sums * 2.0**-50) * factor
    if not math.isfinite(highest):
        raise Failed(f"with the factor {factor:g} the scores are beyond all numbers")
    return math.floor(highest)


def integer_lines(integers: Integers, allowed: Flags) -> Iterator[str]:
    """The file of integer scores: a number, then the variables of the set; sets of two or more."""
    for number in np.flatnonzero(allowed).tolist():
        variables = members(number)
        if len(variables) >= 2:
            yield f"{integers[number]} {' '.join(map(str, variables))}\n"


def read_integers(text: Sequence[str], values: Values) -> Integers:
    """The integer scores in a file: exactly one for each set of two or more that may be complete."""
    integers = np.zeros(len(values), dtype=np.int64)
    known = np.zeros(len(values), dtype=np.bool_)
    for where, (score, *variables) in number_lines(text, "scores.txt"):
        check_set(variables, number_of_variables(values), where)
        number = mask_of(variables) if len(variables) >= 2 else 0
        if not number or known[number] or not np.isfinite(values[number]):
            raise Failed(f"{where} is about a set that is not allowed or stands twice")
        if abs(score) > LARGEST:
            raise Failed(f"{where} has the number {score}, which is too large")
        known[number], integers[number] = True, score
    for number in np.flatnonzero(np.isfinite(values) & ~known).tolist():
        variables = members(number)
        if len(variables) >= 2:
            raise Failed(f"scores.txt lacks the set of the variables {', '.join(map(str, variables))}")
    return integers
