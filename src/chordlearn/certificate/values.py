"""The score of a set of variables, computed afresh from exact counts.

These formulas are written a second time on purpose: an error in the scores that a network was learned from
cannot repeat itself here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from chordlearn.certificate.document import is_number
from chordlearn.certificate.normaliser import log_normaliser
from chordlearn.certificate.report import Failed
from chordlearn.data.dataset import Dataset

Value = Callable[[frozenset[str]], float]
"""v of a set of variable names."""

Formula = Callable[[list[int], int, int], float]
"""v from the positive counts, their sum and the number of joint states."""

PARAMETERS = {"bdeu": ("ess",), "dirichlet": ("alpha",), "bic": (), "aic": (), "qnml": ()}
STIRLING_FROM = 1e6


def value_from_data(dataset: Dataset, name: str, parameters: Mapping[str, Any]) -> Value:
    """v for the score function of this name and these parameters on a data set; remembers its values."""
    formula = _formula(name, parameters)
    edge_prior = float(parameters.get("edge_prior", 0.0))
    columns = dict(zip(dataset.variables, dataset.codes.T.tolist(), strict=True))
    arities = {
        variable: len(labels) for variable, labels in zip(dataset.variables, dataset.states, strict=True)
    }
    weights: list[int] = dataset.weights.tolist()
    total = sum(weights)
    known: dict[frozenset[str], float] = {frozenset(): 0.0}

    def value(names: frozenset[str]) -> float:
        if names not in known:
            counts: Counter[tuple[int, ...]] = Counter()
            for cell, weight in zip(
                zip(*(columns[name] for name in sorted(names)), strict=True), weights, strict=True
            ):
                counts[cell] += weight
            cells = math.prod(arities[name] for name in names)
            pairs = len(names) * (len(names) - 1) // 2
            known[names] = formula(list(counts.values()), total, cells) + edge_prior * pairs
        return known[names]

    return value


def _formula(name: str, parameters: Mapping[str, Any]) -> Formula:
    needed = PARAMETERS[name]
    for parameter in needed:
        if parameter not in parameters:
            raise Failed(f"the score function {name} has no parameter {parameter!r}")
    for parameter, given in parameters.items():
        if parameter not in (*needed, "edge_prior"):
            raise Failed(f"the score function {name} knows no parameter {parameter!r}")
        if not is_number(given) or (parameter != "edge_prior" and given <= 0):
            raise Failed(f"the parameter {parameter} of the score function is {given!r}")
    if name == "bdeu":
        ess = float(parameters["ess"])
        return lambda counts, total, cells: _dirichlet(counts, total, ess / cells, ess)
    if name == "dirichlet":
        alpha = float(parameters["alpha"])
        return lambda counts, total, cells: _dirichlet(counts, total, alpha, alpha * cells)
    if name == "bic":
        return lambda counts, total, cells: _likelihood(counts, total) - 0.5 * math.log(total) * (cells - 1)
    if name == "aic":
        return lambda counts, total, cells: _likelihood(counts, total) - (cells - 1)
    return lambda counts, total, cells: _likelihood(counts, total) - log_normaliser(total, cells)


def _likelihood(counts: Iterable[int], total: int) -> float:
    """The largest log-likelihood of the counts."""
    return math.fsum(count * math.log(count / total) for count in counts)


def _dirichlet(counts: Iterable[int], total: int, per_cell: float, all_cells: float) -> float:
    """The log marginal likelihood of the counts under a symmetric Dirichlet prior."""
    how_often = Counter(counts)
    cells = math.fsum(times * _log_rising(per_cell, count) for count, times in how_often.items())
    return cells - _log_rising(all_cells, total)


def _log_rising(start: float, steps: int) -> float:
    """log Γ(start + steps) − log Γ(start) = log(start) + log(start + 1) + …, without cancellation."""
    if steps <= 64:
        return math.fsum(math.log(start + i) for i in range(steps))
    if start < STIRLING_FROM:
        return math.lgamma(start + steps) - math.lgamma(start)
    end = start + steps
    return math.fsum(
        (
            steps * math.log(start),
            (end - 0.5) * math.log1p(steps / start),
            -steps,
            1 / (12 * end) - 1 / (12 * start),
        )
    )
