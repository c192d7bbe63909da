"""The encoding `paper`: cliques and a balanced spanning tree of separators.

After "Learning Chordal Markov Networks by Constraint Satisfaction", section 4, one function per constraint,
with the item of its Definition 5 and the number of its equation. Constraints that follow from the others
can be left out; they help the search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from chordlearn.encodings.common import (
    add_edges,
    edge,
    edges_inside,
    forbid_sets,
    possible_graph,
    require_edges,
)
from chordlearn.encodings.meanings import Attached, Chosen, Level, Separator
from chordlearn.encodings.model import Model
from chordlearn.encodings.size import Budget, Size, joinable_pairs
from chordlearn.encodings.weights import independent_score, interaction_scores
from chordlearn.graphs import Graph, members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem

MOST_CYCLES = 100_000
"""Chordality is stated for short cycles first, and for no further length once there are so many."""


@dataclass(frozen=True)
class PaperOptions:
    """Which of the implied constraints to state, and how to weigh."""

    implicit_cliques: bool = True
    """Implied: item 2 (b), equation 5."""
    chordality: bool = True
    """Implied: item 3, equation 6."""
    at_most_n_cliques: bool = True
    """Implied: a chordal graph has at most as many cliques as vertices."""
    forbidden_sets: bool = True
    """Implied: no set that is not a candidate is complete."""
    balanced_pairs: bool = False
    """Implied: edges too occur in one more clique than separator. Not in the paper."""
    paper_levels: bool = False
    """Leaf levels up to ⌊n/2⌋ as in the paper, where a tree of at most n − 1 cliques needs fewer."""
    raw_scores: bool = False
    """Weigh with v as in the paper rather than with interaction scores."""


@dataclass(frozen=True)
class ImpliedOptions(PaperOptions):
    """The options of `paper-implied`."""

    balanced_pairs: bool = True


def encode(
    problem: Problem,
    candidates: Candidates,
    options: PaperOptions = PaperOptions(),
    budget: Budget | None = None,
) -> Model:
    """The model, constraint by constraint in the paper's order."""
    model = Model(problem.n, encoding="paper", budget=budget or Budget())
    for clique in candidates.masks.tolist():
        model.variable(Chosen(clique))
    add_edges(model, candidates)
    for first, second in joinable(candidates):
        model.variable(Separator(first, second))

    item_1_equation_2_node_coverage(model)
    item_2a_equation_3_antichain(model)
    equation_4_edges(model)
    if options.implicit_cliques:
        item_2b_equation_5_implicit_cliques(model)
    if options.chordality:
        item_3_equation_6_chordality(model)
    item_4_equation_7_spanning(model)
    item_4_balancing(model)
    item_4_acyclicity(model, highest_level(problem.n, paper=options.paper_levels))
    if options.at_most_n_cliques:
        at_most_n_cliques(model)
    if options.forbidden_sets:
        forbid_sets(model, problem, candidates)
    if options.balanced_pairs:
        balanced_pairs(model)
    require_edges(model, problem)
    equation_1_score(model, problem, candidates, raw=options.raw_scores)
    return model


def size(problem: Problem, candidates: Candidates, options: PaperOptions = PaperOptions()) -> Size:
    """What the tree takes: separators, and for each leaf level who is attached to whom."""
    pairs = joinable_pairs(problem, candidates)
    levels = highest_level(problem.n, paper=options.paper_levels)
    return Size(
        variables=candidates.after + pairs + 2 * pairs * levels,
        literals=2 * (2 + 1) * pairs + (3 + 1) * 2 * pairs * levels,
        terms=2 * pairs * (levels + 1),
    )


def joinable(candidates: Candidates) -> Iterator[tuple[int, int]]:
    """The pairs of candidates that a tree may join: they share something, neither holds the other."""
    for first, second in combinations(candidates.masks.tolist(), 2):
        shared = first & second
        if shared and shared != first and shared != second:
            yield first, second


def item_1_equation_2_node_coverage(model: Model) -> None:
    """Every vertex is in a chosen clique."""
    group = model.group("node coverage (item 1, equation 2)")
    containing = _chosen_containing(model)
    for vertex in range(model.n):
        if containing[vertex]:
            group.clause(*containing[vertex])
        else:
            model.contradict(group)


def item_2a_equation_3_antichain(model: Model) -> None:
    """No chosen clique contains another."""
    group = model.group("antichain (item 2a, equation 3)")
    for (small, x), (large, y) in combinations(_chosen(model), 2):
        if small & large == small:
            group.clause(-x, -y)


def equation_4_edges(model: Model) -> None:
    """An edge is there exactly when a chosen clique contains both ends."""
    group = model.group("edges of chosen cliques (equation 4)")
    containing: dict[int, list[int]] = {}
    for clique, x in _chosen(model):
        for e in edges_inside(model, clique):
            group.clause(-x, e)
            containing.setdefault(e, []).append(x)
    for e, cliques in containing.items():
        group.clause(-e, *cliques)


def item_2b_equation_5_implicit_cliques(model: Model) -> None:
    """No vertex is adjacent to all of a chosen clique."""
    group = model.group("implicit cliques (item 2b, equation 5; implied)")
    for clique, x in _chosen(model):
        for vertex in range(model.n):
            if not clique >> vertex & 1:
                across = [edge(model, vertex, other) for other in members(clique)]
                present = [-e for e in across if e is not None]
                if len(present) == len(across):
                    group.clause(-x, *present)


def item_3_equation_6_chordality(model: Model) -> None:
    """A cycle of four or more vertices has a chord."""
    group = model.group("chordality (item 3, equation 6; implied)")
    graph = possible_graph(model)
    for length in range(4, model.n + 1):
        for cycle in cycles(graph, length):
            sides = {frozenset(pair) for pair in zip(cycle, (*cycle[1:], cycle[0]), strict=True)}
            chords = [edge(model, a, b) for a, b in combinations(cycle, 2) if {a, b} not in sides]
            present = [chord for chord in chords if chord is not None]
            group.clause(*(-edges_inside(model, _mask(side))[0] for side in sides), *present)
        if group.clause_count > MOST_CYCLES:
            break


def cycles(graph: Graph, length: int) -> Iterator[tuple[int, ...]]:
    """The cycles of a length, each once: from its lowest vertex on, the second below the last.

    >>> list(cycles((0b1110, 0b1101, 0b1011, 0b0111), 4))
    [(0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3)]
    """

    def extend(path: list[int], free: int) -> Iterator[tuple[int, ...]]:
        if len(path) == length:
            if path[1] < path[-1] and graph[path[-1]] >> path[0] & 1:
                yield tuple(path)
            return
        for vertex in members(graph[path[-1]] & free):
            yield from extend([*path, vertex], free & ~(1 << vertex))

    for start in range(len(graph)):
        yield from extend([start], (1 << len(graph)) - (2 << start))


def item_4_equation_7_spanning(model: Model) -> None:
    """The tree joins chosen cliques only."""
    group = model.group("the tree joins chosen cliques (item 4, equation 7)")
    for separator, s in model.having(Separator):
        group.clause(-s, model.numbers[Chosen(separator.first)])
        group.clause(-s, model.numbers[Chosen(separator.second)])


def item_4_balancing(model: Model) -> None:
    """Every vertex occurs in one more chosen clique than separator."""
    group = model.group("balancing (item 4)")
    occurrences: list[list[tuple[int, int]]] = [[] for _ in range(model.n)]
    for clique, x in _chosen(model):
        for vertex in members(clique):
            occurrences[vertex].append((1, x))
    for separator, s in model.having(Separator):
        for vertex in members(separator.label):
            occurrences[vertex].append((-1, s))
    for terms in occurrences:
        group.compare(terms, "=", 1, most=max(1, model.n - 1))


def highest_level(n: int, *, paper: bool) -> int:
    """The leaf level that all cliques of a network of n vertices reach.

    The paper takes half the number of cliques. Cliques that hang together number n − 1 at most (n if n is
    1), and a tree of m nodes needs only ⌊(m − 1)/2⌋.

    >>> highest_level(8, paper=True), highest_level(8, paper=False)
    (4, 3)
    """
    return n // 2 if paper else (max(2, n) - 2) // 2


def item_4_acyclicity(model: Model, highest: int) -> None:
    """Taking off leaves again and again leaves nothing: every clique is a leaf of the highest level.

    A leaf of level 0 has at most one neighbour; of level k + 1, at most one that is no leaf of level k.
    """
    group = model.group("acyclicity by leaf levels (item 4)")
    joined: dict[int, list[tuple[int, int]]] = {clique: [] for clique, _ in _chosen(model)}
    for separator, s in model.having(Separator):
        joined[separator.first].append((separator.second, s))
        joined[separator.second].append((separator.first, s))
    several = {clique: pairs for clique, pairs in joined.items() if len(pairs) > 1}
    for level in range(highest + 1):
        for clique, pairs in several.items():
            if level == 0:
                hindrances = [s for _, s in pairs]
            else:
                hindrances = []
                for neighbour, s in pairs:
                    leaf = model.numbers.get(Level(neighbour, level - 1))
                    if leaf is not None:
                        attached = model.variable(Attached(clique, neighbour, level - 1))
                        group.clause(-s, leaf, attached)
                        hindrances.append(attached)
            reached = None if level == highest else model.variable(Level(clique, level))
            group.count(hindrances, "<=", 1, condition=reached)
            if level and reached is not None:
                group.clause(-model.numbers[Level(clique, level - 1)], reached)


def at_most_n_cliques(model: Model) -> None:
    """A chordal graph has at most as many maximal cliques as vertices."""
    model.group("at most n cliques (implied)").count([x for _, x in _chosen(model)], "<=", model.n)


def balanced_pairs(model: Model) -> None:
    """Every edge occurs in one more chosen clique than separator, every other pair in none."""
    group = model.group("balancing of edges (implied)")
    occurrences: dict[int, list[tuple[int, int]]] = {}
    for clique, x in _chosen(model):
        for e in edges_inside(model, clique):
            occurrences.setdefault(e, []).append((1, x))
    for separator, s in model.having(Separator):
        for e in edges_inside(model, separator.label):
            occurrences[e].append((-1, s))
    for e, terms in occurrences.items():
        group.compare([*terms, (-1, e)], "=", 0, most=max(1, model.n - 2))


def equation_1_score(model: Model, problem: Problem, candidates: Candidates, *, raw: bool) -> None:
    """Σ v(cliques) − Σ v(separators); with interaction scores, plus the score without any edge."""
    masks = candidates.masks.tolist()
    values = (
        dict(zip(masks, problem.score_sets(masks), strict=True))
        if raw
        else interaction_scores(problem, candidates)
    )
    model.constant = 0.0 if raw else independent_score(problem)
    for clique, x in _chosen(model):
        model.reward(x, values[clique])
    for separator, s in model.having(Separator):
        model.reward(s, -values[separator.label])


def _chosen(model: Model) -> Iterator[tuple[int, int]]:
    return ((chosen.clique, x) for chosen, x in model.having(Chosen))


def _chosen_containing(model: Model) -> list[list[int]]:
    containing: list[list[int]] = [[] for _ in range(model.n)]
    for clique, x in _chosen(model):
        for vertex in members(clique):
            containing[vertex].append(x)
    return containing


def _mask(vertices: frozenset[int]) -> int:
    return sum(1 << vertex for vertex in vertices)
