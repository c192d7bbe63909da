import itertools

import networkx as nx
from hypothesis import given, settings

from chordlearn.graphs import (
    by_members,
    clique_graph,
    components,
    has_running_intersection,
    is_acyclic,
    is_balanced,
    is_chordal,
    junction_forest,
    labels,
    maximal_cliques,
    number_of_junction_trees,
    separators,
    unbalanced,
)
from graphs.chordal_graphs import all_graphs, chordal_graphs


def acyclic_subsets(cliques):
    edges = clique_graph(cliques)
    for size in range(len(cliques)):
        for chosen in itertools.combinations(edges, size):
            if is_acyclic(len(cliques), chosen):
                yield chosen


def weight(cliques, edges):
    return sum(label.bit_count() for label in labels(cliques, edges))


def running_intersection_by_paths(cliques, edges):
    forest = nx.empty_graph(len(cliques))
    forest.add_edges_from(edges)
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
    balanced = 0
    for edges in subsets:
        is_heaviest = len(edges) == spanning and weight(cliques, edges) == heaviest
        assert is_balanced(cliques, edges) == is_heaviest
        assert has_running_intersection(cliques, edges) == is_heaviest
        balanced += is_heaviest
    assert number_of_junction_trees(cliques) == balanced


def test_the_theorem_both_ways_and_the_count_on_every_graph_of_five_vertices():
    for n in range(1, 6):
        for graph in filter(is_chordal, all_graphs(n)):
            assert_theorem(graph)


@settings(deadline=None, max_examples=40)
@given(chordal_graphs(max_n=7))
def test_the_theorem_both_ways_and_the_count_on_random_graphs(graph):
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
    assert is_acyclic(len(cliques), forest)
    assert unbalanced(cliques, forest) == []
    assert running_intersection_by_paths(cliques, forest)
    assert separators(cliques) == tuple(sorted(labels(cliques, forest), key=by_members))
    expected = sorted(by_members(cliques[i] & cliques[j]) for i, j in best.edges)
    assert list(map(by_members, separators(cliques))) == expected


@settings(deadline=None, max_examples=30)
@given(chordal_graphs(max_n=6))
def test_running_intersection_against_its_definition(graph):
    cliques = maximal_cliques(graph)
    for edges in itertools.islice(acyclic_subsets(cliques), 300):
        assert has_running_intersection(cliques, edges) == running_intersection_by_paths(cliques, edges)


def test_the_junction_trees_of_a_star_are_counted_exactly():
    star = [1 | 1 << i for i in range(1, 41)]
    assert number_of_junction_trees(star) == 40**38


def test_cycles_among_cliques_are_seen():
    cliques = [0b0011, 0b0101, 0b1001]
    triangle = [(0, 1), (0, 2), (1, 2)]
    assert not is_acyclic(3, triangle)
    assert not has_running_intersection(cliques, triangle)
    assert unbalanced(cliques, triangle) == [0]
