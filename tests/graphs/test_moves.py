import itertools
import math
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.graphs import (
    can_add,
    can_remove,
    is_chordal,
    maximal_cliques,
    score_change,
    score_of,
    separators,
    toggled,
)
from graphs.chordal_graphs import all_graphs, chordal_graphs


def assert_moves(graph, value):
    def score(of):
        cliques = maximal_cliques(of)
        return score_of(cliques, separators(cliques), value)

    for a, b in itertools.combinations(range(len(graph)), 2):
        after = toggled(graph, a, b)
        legal = can_add(graph, a, b) or can_remove(graph, a, b)
        assert legal == is_chordal(after)
        assert toggled(after, b, a) == graph
        if legal:
            assert can_add(graph, a, b) != can_remove(graph, a, b)
            assert math.isclose(score_change(graph, a, b, value), score(after) - score(graph), abs_tol=1e-9)


def test_legal_moves_and_score_changes_on_every_graph_of_four_vertices():
    chance = random.Random(1)
    values = [0.0] + [chance.uniform(-100, 0) for _ in range(15)]
    for n in range(1, 5):
        for graph in filter(is_chordal, all_graphs(n)):
            assert_moves(graph, values.__getitem__)


@settings(deadline=None, max_examples=40)
@given(chordal_graphs(max_n=8), st.integers(0, 1000))
def test_legal_moves_and_score_changes_on_random_graphs(graph, seed):
    chance = random.Random(seed)
    values = [0.0] + [chance.uniform(-100, 0) for _ in range((1 << len(graph)) - 1)]
    assert_moves(graph, values.__getitem__)


def test_a_vertex_has_no_edge_to_itself():
    assert not can_add((0, 0), 1, 1)
    assert not can_remove((0, 0), 1, 1)


def test_scores_are_summed_without_rounding_and_know_minus_infinity():
    assert score_of([1, 2, 4], [0, 0], {0: 1e16, 1: 1e16, 2: 1.0, 4: 1e16}.__getitem__) == 1.0
    assert score_of([1, 3], [1], {1: -1.0, 3: -math.inf}.__getitem__) == -math.inf
    assert score_of([1], [1], lambda mask: -math.inf) == -math.inf
