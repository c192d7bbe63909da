"""The score of a set of variables, computed afresh from exact counts.

These formulas are written a second time on purpose: an error in the scores that a network was learned from
cannot repeat itself here.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from chordlearn.certificate.results.document import is_number
from chordlearn.certificate.results.report import Failed
from chordlearn.data.dataset import Dataset

Value = Callable[[frozenset[str]], float]
"""v of a set of variable names."""

PARAMETERS = {"bdeu": ("ess",), "dirichlet": ("alpha",), "bic": (), "aic": (), "qnml": ()}
FACTORS = 64
"""Of a product whose logarithm is summed term by term."""
EXACT_CELLS = 1 << 20
MANY = 1_000_000
NEGLIGIBLE = 1e-25


@dataclass(frozen=True)
class Formula:
    """v of a set: a term for each joint state that occurs, and what depends on their number alone."""

    term: Callable[[float, float], float]
    """Of a positive count and the number of joint states."""
    rest: Callable[[int], float]
    """Of the number of joint states."""
    edge_prior: float = 0.0

    def value(self, counts: Mapping[float, int], cells: int, variables: int) -> float:
        """v, given how often each positive count occurs, the number of joint states and of variables."""
        try:
            terms = math.fsum(times * self.term(count, cells) for count, times in counts.items())
            value = terms + self.rest(cells) + self.edge_prior * math.comb(variables, 2)
        except (ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise Failed("with these parameters the score of a set is beyond all numbers")
        return value


def value_from_data(dataset: Dataset, name: str, parameters: Mapping[str, Any]) -> Value:
    """v for the score function of this name and these parameters on a data set; remembers its values."""
    # Sums of fractions are exact, because they are multiples of a power of two.
    weights: list[float] = dataset.weights.tolist()
    formula = score_formula(name, parameters, sum(weights))
    columns = dict(zip(dataset.variables, dataset.codes.T.tolist(), strict=True))
    arities = {
        variable: len(labels) for variable, labels in zip(dataset.variables, dataset.states, strict=True)
    }
    known: dict[frozenset[str], float] = {frozenset(): 0.0}

    def value(names: frozenset[str]) -> float:
        if names not in known:
            counts: dict[tuple[int, ...], float] = defaultdict(int)
            for cell, weight in zip(
                zip(*(columns[name] for name in sorted(names)), strict=True), weights, strict=True
            ):
                counts[cell] += weight
            cells = math.prod(arities[name] for name in names)
            known[names] = formula.value(Counter(counts.values()), cells, len(names))
        return known[names]

    return value


def score_formula(name: str, parameters: Mapping[str, Any], total: float) -> Formula:
    """The formula of the score function of this name and these parameters for so many observations.

    >>> score_formula("aic", {}, 4).value({2: 2}, 2, 1) == 4 * math.log(0.5) - 1
    True
    """
    needed = PARAMETERS[name]
    for parameter in needed:
        if parameter not in parameters:
            raise Failed(f"the score function {name} has no parameter {parameter!r}")
    for parameter, given in parameters.items():
        if parameter not in (*needed, "edge_prior"):
            raise Failed(f"the score function {name} knows no parameter {parameter!r}")
        if not is_number(given) or (parameter != "edge_prior" and given <= 0):
            raise Failed(f"the parameter {parameter} of the score function is {given!r}")
    edge_prior = float(parameters.get("edge_prior", 0.0))
    if name == "bdeu":
        ess = float(parameters["ess"])
        return Formula(
            lambda count, cells: _log_rising(ess / cells, count, total),
            lambda cells: -_log_rising(ess, total, total),
            edge_prior,
        )
    if name == "dirichlet":
        alpha = float(parameters["alpha"])
        return Formula(
            lambda count, cells: _log_rising(alpha, count, total),
            lambda cells: -_log_rising(alpha * cells, total, total),
            edge_prior,
        )
    return Formula(
        lambda count, cells: count * _log_ratio(count, 0.0, total),
        lambda cells: -_penalty(name, total, cells),
        edge_prior,
    )


def _penalty(name: str, total: float, cells: int) -> float:
    """What a score takes from the largest log-likelihood."""
    if name == "qnml":
        if total != int(total):
            raise Failed("the score qnml is not defined for weights that do not sum to a whole number")
        return log_normaliser(int(total), cells)
    return (0.5 * math.log(total) if name == "bic" else 1.0) * (cells - 1)


@lru_cache(maxsize=1 << 16)
def _log_rising(start: float, steps: float, total: float) -> float:
    """log(start) + log(start + 1) + …, that many terms, each of them less log(total) − 1.

    What is taken off adds up to the same for the cells as for all observations. Without it the terms would be
    larger than the likelihood, and so would be their rounding errors.
    """
    if steps != int(steps):
        return _log_gamma_ratio(start, steps, total)
    few = int(min(steps, FACTORS))
    parts = [_log_ratio(i, start, total) + 1 for i in range(few)]
    if steps > few:
        # A difference of Stirling's formulas, whose large parts cancel on paper.
        low, high, left = start + few, start + steps, steps - few
        parts += [(low - 0.5) * math.log1p(left / low), left * _log_ratio(steps, start, total)]
        parts += [_stirling_rest(high), -_stirling_rest(low)]
    return math.fsum(parts)


def _log_gamma_ratio(start: float, steps: float, total: float) -> float:
    """The same for steps that are not whole, so that it is log Γ(start + steps) − log Γ(start) less as much.

    Both arguments are raised until Stirling's formula is as exact as numbers are.
    """
    low = start + FACTORS
    parts = [math.log(start + i) - math.log(start + steps + i) for i in range(FACTORS)]
    parts += [(low - 0.5) * math.log1p(steps / low), steps * _log_ratio(steps, low, total)]
    parts += [_stirling_rest(low + steps), -_stirling_rest(low)]
    return math.fsum(parts)


def _log_ratio(count: float, more: float, total: float) -> float:
    """log((count + more) / total), with all its digits also where that is nearly one."""
    if 2 * count < total:
        return math.log((count + more) / total)
    return math.log1p((count - total + more) / total)


def _stirling_rest(x: float) -> float:
    """log Γ(x) less (x − ½) log x − x + ½ log 2π, for x from 64 on."""
    y = 1 / x
    return y / 12 - y**3 / 360 + y**5 / 1260


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
