"""How many chordal graphs there are, against published numbers and against all graphs."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques
from posterior.all_networks import random_powers, table_of

# Sequence A058862 of the On-Line Encyclopedia of Integer Sequences, from n = 1.
PUBLISHED = [
    1,
    2,
    8,
    61,
    822,
    18154,
    617675,
    30888596,
    2192816760,
    215488096587,
    28791414081916,
    5165908492061926,
    1234777416771739141,
    391374602835914994534,
    164188178238479142509452,
]


def test_the_published_numbers() -> None:
    assert [cl.count_chordal_graphs(n) for n in range(1, 16)] == PUBLISHED
    assert math.log(cl.count_chordal_graphs(20)) == pytest.approx(87.9, abs=0.05)
    assert math.log(cl.count_chordal_graphs(25)) == pytest.approx(129.9, abs=0.05)


@pytest.mark.parametrize("n", range(6))
def test_every_largest_clique_against_all_graphs(n: int) -> None:
    pairs = list(combinations(range(n), 2))
    largest = []
    for chosen in range(1 << len(pairs)):
        graph = graph_from_edges(n, [pair for i, pair in enumerate(pairs) if chosen >> i & 1])
        if is_chordal(graph):
            largest.append(max(map(int.bit_count, maximal_cliques(graph)), default=0))
    assert cl.count_chordal_graphs(n) == len(largest)
    for most in range(1, n + 2):
        assert cl.count_chordal_graphs(n, max_clique=most) == sum(size <= most for size in largest)


def test_trees_are_counted_as_cayley_says() -> None:
    assert cl.count_chordal_graphs(60, max_clique=1) == 1
    connected = {n: n ** (n - 2) for n in range(2, 13)} | {1: 1}
    forests = [1]
    for n in range(1, 13):
        forests.append(sum(math.comb(n - 1, k - 1) * connected[k] * forests[n - k] for k in range(1, n + 1)))
    assert [cl.count_chordal_graphs(n, max_clique=2) for n in range(13)] == forests


@pytest.mark.parametrize(
    ("n", "log_odds", "most"), [(4, -1.0, None), (5, 0.7, None), (5, -2.5, 3), (5, 0.0, 1)]
)
def test_the_prior_of_an_edge_against_all_graphs(n: int, log_odds: float, most: int | None) -> None:
    pairs = list(combinations(range(n), 2))
    total = joined = 0.0
    for chosen in range(1 << len(pairs)):
        graph = graph_from_edges(n, [pair for i, pair in enumerate(pairs) if chosen >> i & 1])
        if is_chordal(graph) and max(map(int.bit_count, maximal_cliques(graph))) <= (most or n):
            weight = math.exp(log_odds * chosen.bit_count())
            total += weight
            joined += weight * (chosen & 1)
    found = cl.edge_prior(n, log_odds, most)
    assert found.edge_probability == pytest.approx(joined / total, rel=1e-12)
    assert found.log_total == pytest.approx(math.log(total), rel=1e-12)
    assert found.expected_edges == pytest.approx(len(pairs) * found.edge_probability)


def test_a_posterior_states_its_prior() -> None:
    found = cl.posterior("heart", edge_prior=-2.0)
    assert found.prior == cl.edge_prior(6, -2.0)
    assert found.to_dict()["prior"]["expected_edges"] < 3
    assert cl.posterior("heart", require=[("smoke", "phys")]).prior is None
    assert cl.posterior(table_of(random_powers(4, 0, 2))).prior is None


@pytest.mark.parametrize("arguments", [(-1,), (3, 0)])
def test_what_cannot_be_counted(arguments: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="must"):
        cl.count_chordal_graphs(*arguments)
