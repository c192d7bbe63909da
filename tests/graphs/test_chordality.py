import itertools
import random
import time

import networkx as nx
from hypothesis import given, settings

from chordlearn.graphs import (
    blocks,
    by_members,
    chordless_cycle,
    components,
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    is_chordal,
    is_complete,
    junction_forest,
    mask_of,
    maximal_cliques,
    members,
    perfect_elimination_order,
    separators,
    shortest_path,
)
from graphs.chordal_graphs import all_graphs, any_graphs, chordal_graphs

quick = settings(deadline=None, max_examples=80)


def as_networkx(graph):
    reference = nx.empty_graph(len(graph))
    reference.add_edges_from(edges_of(graph))
    return reference


def assert_perfect(graph, order):
    assert sorted(order) == list(range(len(graph)))
    left = (1 << len(graph)) - 1
    for vertex in order:
        left ^= 1 << vertex
        assert is_complete(graph, graph[vertex] & left)


def assert_chordless(graph, cycle):
    assert len(cycle) >= 4
    assert len(set(cycle)) == len(cycle)
    for i, j in itertools.combinations(range(len(cycle)), 2):
        consecutive = j - i in (1, len(cycle) - 1)
        assert bool(graph[cycle[i]] >> cycle[j] & 1) == consecutive


@quick
@given(any_graphs())
def test_any_graph_is_told_chordal_or_shown_not_to_be(graph):
    order, cycle = perfect_elimination_order(graph), chordless_cycle(graph)
    assert (order is None) == (cycle is not None)
    if cycle is None:
        assert_perfect(graph, order)
    else:
        assert_chordless(graph, cycle)
        assert not is_chordal(graph)


@quick
@given(chordal_graphs())
def test_chordal_graphs_against_networkx(graph):
    reference = as_networkx(graph)
    assert is_chordal(graph)
    assert nx.is_chordal(reference)
    cliques = maximal_cliques(graph)
    assert sorted(map(by_members, cliques)) == sorted(tuple(sorted(c)) for c in nx.find_cliques(reference))
    assert list(cliques) == sorted(cliques, key=by_members)
    assert graph_from_cliques(len(graph), cliques) == graph
    assert graph_from_edges(len(graph), edges_of(graph)) == graph
    found = {frozenset(members(part)) for part in components(graph)}
    assert found == set(map(frozenset, nx.connected_components(reference)))


@quick
@given(any_graphs(max_n=7))
def test_shortest_paths_against_networkx(graph):
    reference = as_networkx(graph)
    everything = (1 << len(graph)) - 1
    for a, b in itertools.combinations(range(len(graph)), 2):
        path = shortest_path(graph, a, b, everything)
        if path is None:
            assert not nx.has_path(reference, a, b)
        else:
            assert path[0] == a
            assert path[-1] == b
            assert len(path) == nx.shortest_path_length(reference, a, b) + 1
            assert nx.is_path(reference, path)


def test_the_number_of_chordal_graphs_is_known():
    assert [sum(map(is_chordal, all_graphs(n))) for n in range(6)] == [1, 1, 2, 8, 61, 822]


def test_a_graph_that_is_not_chordal_has_no_cliques_here():
    square = graph_from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    try:
        maximal_cliques(square)
    except ValueError as error:
        assert "not chordal" in str(error)
    else:
        raise AssertionError("accepted a square")


def test_five_hundred_vertices_are_quick():
    chance = random.Random(7)
    n = 500
    families = [1]
    for vertex in range(1, n):
        family = list(members(chance.choice(families)))
        joined = chance.sample(family, min(len(family), chance.randint(0, 12)))
        families.append(mask_of(joined) | 1 << vertex)
    graph = graph_from_cliques(n, families)
    started = time.process_time()
    cliques = maximal_cliques(graph)
    forest = junction_forest(cliques)
    assert graph_from_cliques(n, cliques) == graph
    assert len(forest) == len(cliques) - len(components(graph))
    assert len(separators(cliques)) == len(forest)
    assert is_chordal(graph_from_cliques(n, [(1 << n) - 1]))
    cycle = graph_from_edges(n, [(i, (i + 1) % n) for i in range(n)])
    assert len(chordless_cycle(cycle) or ()) == n
    assert time.process_time() - started < 5


@quick
@given(any_graphs())
def test_blocks_are_the_biconnected_components(graph):
    expected = sorted(mask_of(part) for part in nx.biconnected_components(as_networkx(graph)))
    assert blocks(graph) == expected
