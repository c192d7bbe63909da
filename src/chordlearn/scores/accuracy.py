"""By how much a computed score may differ from the number that its formula defines.

The formulas are sums of terms. Each term is a sum of a few parts, a part a product with one logarithm. The
bound counts the roundings of every part and of the sum, each at most one unit of roundoff (2⁻⁵³) of what is
rounded; logarithms of the C library are taken to be right within two units in the last place. The page
`docs/background/numbers.md` has the derivation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from chordlearn.data.dataset import Dataset
from chordlearn.scores.functions import AIC, BIC, QNML, BDeu, CustomScore, Dirichlet, ScoreFunction

UNIT_ROUNDOFF = 2.0**-53
PER_PART = 8
"""Roundings of one part of a term: its logarithm, its factors, and its place in the term's sum."""
BLOCK, LANES, SMALL = 128, 4, 32
"""Terms are added in blocks of 128 in four lanes, and counts below 32 of rows that stay alone apart."""
HEAD = 16
"""So many factors of a rising factorial at most are multiplied; the rest is Stirling's formula."""
EXACT_NML_CELLS = 1 << 20


@dataclass(frozen=True)
class Accuracy:
    """Bounds the errors of the scores of a data set by a score function."""

    function: ScoreFunction
    rows: float
    distinct: int
    """Distinct rows; no set has more cells that occur."""
    arities: tuple[int, ...]
    are_fractions: bool = False
    """Whether counts need not be whole."""

    def of_set(self, mask: int) -> float:
        """The score of this set is off by no more than this."""
        if mask == 0 or self.rows == 0:
            return 0.0
        sizes = []
        while mask:
            sizes.append(self.arities[(mask & -mask).bit_length() - 1])
            mask &= mask - 1
        cells = math.prod(sizes)
        pairs = len(sizes) * (len(sizes) - 1) / 2
        edges = abs(self.function.edge_prior) * pairs
        return UNIT_ROUNDOFF * (self._roundings(cells) + PER_PART * edges)

    def of_network(self, cliques: Iterable[int], separators: Iterable[int]) -> float:
        """The score of a network, were its sum not rounded, is off by no more than this."""
        return math.fsum(self.of_set(mask) for mask in (*cliques, *separators))

    def _roundings(self, cells: int) -> float:
        """The error of the score of a set with so many cells, in units of roundoff."""
        occupied = min(cells, self.distinct)
        # Products of arities are exact up to 2⁵³, and have at most one rounding per factor beyond.
        inexact = math.log2(cells) if cells > 2**53 else 0.0
        match self.function:
            case BDeu(ess=ess):
                return _dirichlet(self.rows, occupied, ess / cells, ess, inexact, self.are_fractions)
            case Dirichlet(alpha=alpha):
                return _dirichlet(
                    self.rows, occupied, alpha, alpha * float(cells), inexact, self.are_fractions
                )
            case BIC():
                penalty = 0.5 * abs(math.log(self.rows)) * (cells - 1)
            case AIC():
                penalty = float(cells - 1)
            case QNML():
                return _likelihood(self.rows, occupied) + _normaliser(self.rows, cells)
            case _:
                raise TypeError(f"nothing is known of the score function {self.function.name}")
        return _likelihood(self.rows, occupied) + (PER_PART + inexact) * penalty


def accuracy_of(dataset: Dataset, function: ScoreFunction) -> Accuracy | None:
    """The accuracy of the scores of a data set; None for a user's own function, of which nothing is known.

    >>> from chordlearn.data import read
    >>> accuracy_of(read("heart"), BDeu()).of_set(0b111111) < 1e-9
    True
    """
    if isinstance(function, CustomScore):
        return None
    return Accuracy(function, dataset.rows, len(dataset.weights), dataset.arities, dataset.unit < 1)


def error_bound(dataset: Dataset, function: ScoreFunction, variables: Iterable[str]) -> float:
    """By how much the computed score of a set of variables may differ from its exact value.

    >>> from chordlearn.data import read
    >>> error_bound(read("heart"), BDeu(), ["smoke", "family"]) < 1e-10
    True
    """
    accuracy = accuracy_of(dataset, function)
    if accuracy is None:
        return math.inf
    return accuracy.of_set(sum(1 << dataset.index(name) for name in set(variables)))


def _sum(terms: int, size: float, size_of_small: float) -> float:
    """Adding up terms whose absolute values sum to ``size``, of which those of small counts come apart."""
    return (min(terms, BLOCK) / LANES + 6) * size + SMALL * min(size, size_of_small)


def _dirichlet(
    rows: float, occupied: int, per_cell: float, all_cells: float, inexact: float, are_fractions: bool
) -> float:
    """Σ log Γ(a+nⱼ)/Γ(a) over the cells that occur, less the same for all rows at once."""
    log_rows = abs(math.log(rows))
    head = min(HEAD * occupied, rows)
    heads = occupied * abs(math.log(per_cell)) + head * (math.log(HEAD) + log_rows + 1)
    spread = rows * math.log(occupied) + min(occupied * per_cell, rows * math.log1p(per_cell))
    size = heads + rows + spread
    small = occupied * (abs(math.log(per_cell)) + SMALL * (log_rows + 2))
    terms = PER_PART * size + 2 * HEAD * min(occupied, rows) + (12 + inexact) * rows
    whole = abs(math.log(all_cells)) + HEAD * (math.log(HEAD) + log_rows + 1) + rows
    whole += min(all_cells, rows * math.log1p(all_cells))
    constant = PER_PART * whole + 2 * HEAD + (12 + inexact) * rows
    if are_fractions:
        # Logarithms of gamma functions, raised by up to 16 steps, of arguments that were rounded as often.
        raised = abs(math.log(per_cell)) + HEAD * (8 + log_rows + math.log1p(rows + per_cell))
        size += occupied * raised
        terms += (occupied + 1) * (PER_PART * raised + 64 * HEAD)
    return terms + constant + _sum(occupied, size, small) + 8 * whole


def _likelihood(rows: float, occupied: int) -> float:
    """Σ nⱼ log(nⱼ/N) over the cells that occur."""
    size = rows * math.log(occupied)
    return PER_PART * size + _sum(occupied, size, occupied * SMALL * math.log(max(rows, 2)))


def _normaliser(rows: float, cells: int) -> float:
    """log C(N, k), by its recurrence or, with very many cells, by the formula that takes its place."""
    if cells < 2:
        return 0.0
    if cells > EXACT_NML_CELLS:
        share = cells / rows
        excess = 2 / share / (1 + math.sqrt(1 + 4 / share))
        parts = rows * (abs(math.log(share)) + (share + 2) * math.log1p(excess) + 1)
        return 2 * PER_PART * (parts + abs(math.log(1 + excess + 2 / share)))
    # C(N, 2) is the first ratio of neighbours and the largest; an error in one ratio is smaller in the next.
    largest = 1.26 * math.sqrt(rows) + 2
    return largest * (16 * math.sqrt(rows) + 3 * cells) + PER_PART * cells * math.log(largest)
