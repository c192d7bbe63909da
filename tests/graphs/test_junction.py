import itertools
from collections import Counter

import networkx as nx
from hypothesis import given, settings

from chordlearn.graphs import (
    by_members,
    clique_graph,
    components,
    is_chordal,
    junction_forest,
    labels,
    maximal_cliques,
    members,
    separators,
)
from graphs.chordal_graphs import all_graphs, chordal_graphs


def acyclic_subsets(cliques):
    edges = clique_graph(cliques)
    for size in range(len(cliques)):
        for chosen in itertools.combinations(edges, size):
            if is_acyclic(cliques, chosen):
                yield chosen


def forest_of(cliques, edges):
    forest = nx.empty_graph(len(cliques))
    forest.add_edges_from(edges)
    return forest


def is_acyclic(cliques, edges):
    return nx.is_forest(forest_of(cliques, edges))


def is_balanced(cliques, edges):
    """Every vertex occurs in one more clique than edge label."""
    surplus = Counter(vertex for clique in cliques for vertex in members(clique))
    surplus.subtract(vertex for label in labels(cliques, edges) for vertex in members(label))
    return set(surplus.values()) == {1}


def weight(cliques, edges):
    return sum(label.bit_count() for label in labels(cliques, edges))


def running_intersection_by_paths(cliques, edges):
    forest = forest_of(cliques, edges)
    for i, j in itertools.combinations(range(len(cliques)), 2):
        shared = cliques[i] & cliques[j]
        if not nx.has_path(forest, i, j):
            if shared:
                return False
        elif any(shared & ~cliques[k] for k in nx.shortest_path(forest, i, j)):
            return False
    return True


def assert_theorem(graph):
    """Among acyclic sets of clique graph edges, balanced and heaviest spanning are the same."""
    cliques = maximal_cliques(graph)
    subsets = list(acyclic_subsets(cliques))
    spanning = len(cliques) - len(components(graph))
    heaviest = max(weight(cliques, edges) for edges in subsets if len(edges) == spanning)
    for edges in subsets:
        is_heaviest = len(edges) == spanning and weight(cliques, edges) == heaviest
        assert is_balanced(cliques, edges) == is_heaviest
        assert running_intersection_by_paths(cliques, edges) == is_heaviest


def test_the_theorem_both_ways_on_every_graph_of_five_vertices():
    for n in range(1, 6):
        for graph in filter(is_chordal, all_graphs(n)):
            assert_theorem(graph)


@settings(deadline=None, max_examples=40)
@given(chordal_graphs(max_n=7))
def test_the_theorem_both_ways_on_random_graphs(graph):
    if len(maximal_cliques(graph)) <= 6:
        assert_theorem(graph)


@settings(deadline=None, max_examples=60)
@given(chordal_graphs(max_n=10))
def test_the_junction_forest_is_right(graph):
    cliques = maximal_cliques(graph)
    forest = junction_forest(cliques)
    reference = nx.Graph()
    reference.add_nodes_from(range(len(cliques)))
    reference.add_weighted_edges_from(
        (i, j, (cliques[i] & cliques[j]).bit_count()) for i, j in clique_graph(cliques)
    )
    best = nx.maximum_spanning_tree(reference)
    assert weight(cliques, forest) == best.size(weight="weight")
    assert is_acyclic(cliques, forest)
    assert is_balanced(cliques, forest)
    assert running_intersection_by_paths(cliques, forest)
    assert separators(cliques) == tuple(sorted(labels(cliques, forest), key=by_members))
    expected = sorted(by_members(cliques[i] & cliques[j]) for i, j in best.edges)
    assert list(map(by_members, separators(cliques))) == expected
