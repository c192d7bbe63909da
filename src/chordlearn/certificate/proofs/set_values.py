"""The scores of all allowed sets, computed afresh: from counts, or looked up in a score file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.certificate.proofs.sets import Flags, Numbering, containing, members, sizes, spread_upwards
from chordlearn.certificate.proofs.small_sets import SmallSets
from chordlearn.certificate.results.report import Failed
from chordlearn.certificate.results.values import score_formula
from chordlearn.data.dataset import Dataset

Values = NDArray[np.float64]
"""v by number; −∞ for the sets that may not be complete."""


def allowed_sets(variables: Sequence[str], constraints: Mapping[str, Any]) -> Flags:
    """The sets that are not too large and hold no forbidden edge.

    >>> allowed_sets(("a", "b"), {"max_clique": None, "forbidden": [["a", "b"]]}).tolist()
    [True, True, True, False]
    """
    n = len(variables)
    largest = constraints["max_clique"]
    allowed = sizes(n) <= (n if largest is None else largest)
    for pair in indexed(variables, constraints["forbidden"]):
        allowed &= ~containing(n, pair)
    return allowed


def allowed_small_sets(sets: SmallSets, variables: Sequence[str], constraints: Mapping[str, Any]) -> Flags:
    """The same among the small sets, none of which is too large."""
    forbidden = np.zeros(sets.count, dtype=np.bool_)
    for pair in indexed(variables, constraints["forbidden"]):
        if len(pair) <= sets.largest:
            forbidden[sets.number(pair)] = True
    sets.spread_upwards(forbidden)
    return ~forbidden


def indexed(variables: Sequence[str], edges: Iterable[Sequence[str]]) -> list[tuple[int, int]]:
    """Edges as pairs of variable numbers, the lower first."""
    numbers = {name: i for i, name in enumerate(variables)}
    return [(min(pair), max(pair)) for pair in ((numbers[a], numbers[b]) for a, b in edges)]


def values_from_data(
    dataset: Dataset, name: str, parameters: Mapping[str, Any], sets: Numbering, allowed: Flags
) -> Values:
    """v of every allowed set, from the counts in the data."""
    weights = dataset.weights
    formula = score_formula(name, parameters, int(weights.sum()))
    values = np.full(len(allowed), -np.inf)
    values[0] = 0.0

    def descend(inside: list[int], groups: NDArray[np.int64], number: int, cells: int) -> None:
        for i in range(inside[-1] + 1 if inside else 0, len(dataset.variables)):
            larger = [*inside, i]
            place = sets.number(larger)
            if not allowed[place]:
                continue
            arity = len(dataset.states[i])
            codes = groups * arity + dataset.codes[:, i]
            # Sums of whole numbers below 2⁵³ are exact in floating point.
            counts = np.bincount(codes, weights, minlength=number * arity)
            filled = counts > 0
            how_often = Counter(counts[filled].astype(np.int64).tolist())
            values[place] = formula.value(how_often, cells * arity, len(larger))
            if len(larger) < sets.largest:
                numbers = np.cumsum(filled) - 1
                descend(larger, numbers[codes], int(numbers[-1]) + 1, cells * arity)

    descend([], np.zeros(len(weights), dtype=np.int64), 1, 1)
    return values


def values_from_scores(
    scores: Callable[[Iterable[str]], float], variables: Sequence[str], allowed: Flags
) -> Values:
    """v of every allowed set as given; a set without a score, or with −∞, may not be complete.

    >>> given = {("a",): -1.0, ("b",): -2.0}
    >>> values_from_scores(lambda names: given[tuple(names)], ("a", "b"), np.ones(4, dtype=np.bool_))
    array([  0.,  -1.,  -2., -inf])
    """
    values = np.full(len(allowed), -np.inf)
    values[0] = 0.0
    for mask in np.flatnonzero(allowed).tolist()[1:]:
        try:
            values[mask] = scores([variables[i] for i in members(mask)])
        except KeyError:
            continue
        if math.isnan(values[mask]) or values[mask] == math.inf:
            raise Failed(f"the score of a set is {values[mask]}")
    impossible = np.isneginf(values)
    spread_upwards(impossible)
    values[impossible] = -np.inf
    return values


def score_of_network(
    values: Values, sets: Numbering, variables: Sequence[str], document: Mapping[str, Any]
) -> float:
    """The score of the network in a result by these values."""
    numbers = {name: i for i, name in enumerate(variables)}
    terms = [
        sign * float(values[sets.number(sorted(numbers[name] for name in names))])
        for sign, field in ((1, "cliques"), (-1, "separators"))
        for names in document[field]
    ]
    return math.fsum(terms)
