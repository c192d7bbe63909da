"""With counts up to 9·10¹⁵, what a result states covers its error, and the certificate agrees."""

from __future__ import annotations

from itertools import combinations, product

import mpmath
import numpy as np
import pytest

import chordlearn as cl
from chordlearn.data import Dataset
from chordlearn.graphs import separators
from chordlearn.scores import BIC, BDeu, Dirichlet, ScoreFunction
from scores.score_reference import counts
from scores.test_accuracy import DIGITS, with_many_digits

TABLES = {
    "one cell holds nearly all": lambda total: [total - 7, *[1] * 7],
    "two cells hold nearly all": lambda total: [total // 2, *[1] * 6, total - total // 2 - 6],
    "one cell and some": lambda total: [total - 7000, *[1000] * 7],
    "even": lambda total: [*[total // 9] * 7, total - 7 * (total // 9)],
}
ALL_NETWORKS = [edges for size in range(4) for edges in combinations([(0, 1), (0, 2), (1, 2)], size)]
"""With three variables every graph is chordal."""


def cliques_of(edges: tuple[tuple[int, int], ...]) -> list[int]:
    if len(edges) == 3:
        return [0b111]
    joined = [1 << a | 1 << b for a, b in edges]
    return joined + [1 << i for i in range(3) if not any(mask >> i & 1 for mask in joined)]


def exact_score(dataset: Dataset, function: ScoreFunction, cliques: list[int]) -> mpmath.mpf:
    def value(mask: int) -> mpmath.mpf:
        return with_many_digits(*counts(dataset, mask), mask.bit_count(), function) if mask else mpmath.mpf(0)

    return sum(map(value, cliques)) - sum(map(value, separators(tuple(cliques))))


@pytest.mark.parametrize("function", [BDeu(1.0), BDeu(0.3), Dirichlet(0.5), BIC()], ids=repr)
@pytest.mark.parametrize("total", [10**12, 10**14, 10**15, 9 * 10**15])
@pytest.mark.parametrize("table", TABLES)
def test_stated_tolerance_covers_the_error(function: ScoreFunction, total: int, table: str) -> None:
    cells = np.array(list(product(range(2), repeat=3)))
    columns = {name: cells[:, i] for i, name in enumerate("abc")}
    dataset = cl.read({**columns, "n": np.array(TABLES[table](total))}, counts="n")
    result = cl.learn(dataset, score=function)
    assert cl.verify(result, dataset).ok
    with mpmath.workdps(DIGITS):
        masks = [sum(1 << dataset.index(name) for name in clique) for clique in result.cliques]
        exact = exact_score(dataset, function, masks)
        assert abs(result.score - exact) <= result.details["score_error"]
        best = max(exact_score(dataset, function, cliques_of(edges)) for edges in ALL_NETWORKS)
        assert best - exact <= max(result.tolerance, result.gap)
    if result.status == "optimal":
        assert result.tolerance >= 2 * result.details["score_error"]
    else:
        assert result.stopped_by == "rounding"
        assert result.bound >= result.score + 2 * result.details["score_error"]
