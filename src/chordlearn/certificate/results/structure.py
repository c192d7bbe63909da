"""Graph checks on sets of names, written without the package's own graph theory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from chordlearn.certificate.results.document import Document
from chordlearn.certificate.results.report import Failed

Clique = frozenset[str]
Neighbours = dict[str, set[str]]


def shown(names: Iterable[str]) -> str:
    """A set of names for a sentence."""
    return "{" + ", ".join(sorted(names)) + "}"


def as_sets(lists: Sequence[Sequence[str]], variables: Collection[str], kind: str) -> list[Clique]:
    """Lists of names as sets; refuses unknown, repeated and no names."""
    for names in lists:
        for name in names:
            if name not in variables:
                raise Failed(f"the {kind} {shown(names)} names {name!r}, which is no variable")
        if not names:
            raise Failed(f"a {kind} is empty")
        if len(set(names)) != len(names):
            raise Failed(f"the {kind} {shown(names)} names a variable twice")
    return [frozenset(names) for names in lists]


def check_coverage(document: Document) -> str:
    """Every variable is in a clique."""
    covered = {name for clique in document["cliques"] for name in clique}
    for name in document["variables"]:
        if name not in covered:
            raise Failed(f"the variable {name!r} is in no clique")
    return "every variable is in a clique"


def pairs_within(cliques: Iterable[Collection[str]]) -> set[Clique]:
    """All edges inside the cliques."""
    return {frozenset((a, b)) for clique in cliques for a in clique for b in clique if a != b}


def check_edges(document: Document) -> str:
    """The edges are the pairs inside the cliques, each once."""
    edges = as_sets(document["edges"], document["variables"], "edge")
    for edge, times in Counter(edges).items():
        if times > 1:
            raise Failed(f"the edge {shown(edge)} is listed {times} times")
    within = pairs_within(document["cliques"])
    for edge in sorted(within - set(edges), key=sorted):
        raise Failed(f"the pair {shown(edge)} is in a clique but not among the edges")
    for edge in sorted(set(edges) - within, key=sorted):
        raise Failed(f"the edge {shown(edge)} is in no clique")
    return f"the {len(edges)} edges are the pairs inside the cliques"


def neighbours_of(variables: Iterable[str], edges: Iterable[Collection[str]]) -> Neighbours:
    """Who is adjacent to whom."""
    neighbours: Neighbours = {name: set() for name in variables}
    for edge in edges:
        a, b = edge
        neighbours[a].add(b)
        neighbours[b].add(a)
    return neighbours


def cliques_by_elimination(neighbours: Neighbours) -> set[Clique] | None:
    """The maximal cliques of a chordal graph, or None if the graph is not chordal.

    Takes away one vertex after the other whose neighbours are complete; a chordal graph always has one.
    """
    left = {name: set(near) for name, near in neighbours.items()}
    families: set[Clique] = set()
    waiting = set(left)
    while left:
        simplicial = next((name for name in sorted(waiting) if _is_simplicial(left, name)), None)
        if simplicial is None:
            return None
        near = left.pop(simplicial)
        family = frozenset((*near, simplicial))
        if not any(family < other for other in families):
            families.add(family)
        for name in near:
            left[name].discard(simplicial)
        waiting = set(left)
    return families


def _is_simplicial(neighbours: Neighbours, name: str) -> bool:
    near = neighbours[name]
    return all(near - neighbours[other] == {other} for other in near)


def check_chordal(document: Document) -> str:
    """The edges form a chordal graph."""
    edges = as_sets(document["edges"], document["variables"], "edge")
    if cliques_by_elimination(neighbours_of(document["variables"], edges)) is None:
        raise Failed("the graph is not chordal: taking away simplicial variables gets stuck")
    return "simplicial variables can be taken away until none is left"


def check_maximal(document: Document) -> str:
    """The cliques are exactly the maximal cliques of the graph."""
    edges = as_sets(document["edges"], document["variables"], "edge")
    check_clique_list(document["variables"], document["cliques"], edges)
    return f"the {len(document['cliques'])} cliques are the maximal cliques of the graph"


def check_clique_list(
    variables: Sequence[str], lists: Sequence[Sequence[str]], edges: Iterable[Clique]
) -> list[Clique]:
    """The lists are the maximal cliques of the chordal graph with these edges, each once."""
    cliques = as_sets(lists, variables, "clique")
    for clique, times in Counter(cliques).items():
        if times > 1:
            raise Failed(f"the clique {shown(clique)} is listed {times} times")
    maximal = cliques_by_elimination(neighbours_of(variables, edges))
    if maximal is None:
        raise Failed("the graph is not chordal")
    for clique in sorted(set(cliques) - maximal, key=sorted):
        raise Failed(f"{shown(clique)} is not a maximal clique of the graph")
    for clique in sorted(maximal - set(cliques), key=sorted):
        raise Failed(f"the graph has a maximal clique {shown(clique)} that is not listed")
    return cliques


def check_tree(document: Document) -> str:
    """The junction tree has no cycle and its separators are the intersections of its neighbours."""
    joined = list(range(len(document["cliques"])))
    for edge in document["junction_tree"]:
        i, j = edge["cliques"]
        if joined[i] == joined[j]:
            raise Failed(f"the junction tree has a cycle through the cliques {i} and {j}")
        old, new = joined[j], joined[i]
        joined = [new if mark == old else mark for mark in joined]
        shared = set(document["cliques"][i]) & set(document["cliques"][j])
        if not shared:
            raise Failed(f"the junction tree joins the cliques {i} and {j}, which share nothing")
        if sorted(edge["separator"]) != sorted(shared):
            raise Failed(
                f"the cliques {i} and {j} share {shown(shared)}, "
                f"but the junction tree says {shown(edge['separator'])}"
            )
    return f"{len(document['junction_tree'])} edges without a cycle, labelled with what the cliques share"


def check_separators(document: Document) -> str:
    """The separators are the labels of the junction tree, each as often."""
    listed = Counter(as_sets(document["separators"], document["variables"], "separator"))
    in_tree = Counter(frozenset(edge["separator"]) for edge in document["junction_tree"])
    for separator in sorted({*listed, *in_tree}, key=sorted):
        if listed[separator] != in_tree[separator]:
            raise Failed(
                f"the separator {shown(separator)} is listed {listed[separator]} times "
                f"but stands {in_tree[separator]} times in the junction tree"
            )
    return "the separators are the labels of the junction tree"


def check_balance(document: Document) -> str:
    """Every variable is in one more clique than separator."""
    for name in document["variables"]:
        cliques = sum(name in clique for clique in document["cliques"])
        separators = sum(name in separator for separator in document["separators"])
        if cliques != separators + 1:
            raise Failed(f"the variable {name!r} is in {cliques} cliques and {separators} separators")
    return "every variable is in one more clique than separator"


def check_running_intersection(document: Document) -> str:
    """The cliques that contain a variable hang together in the junction tree."""
    for name in document["variables"]:
        homes = {i for i, clique in enumerate(document["cliques"]) if name in clique}
        reached = set(sorted(homes)[:1])
        grown = True
        while grown:
            around = {
                other
                for i, j in (edge["cliques"] for edge in document["junction_tree"])
                for one, other in ((i, j), (j, i))
                if one in reached and other in homes
            }
            grown = not around <= reached
            reached |= around
        if reached != homes:
            raise Failed(f"the cliques that contain {name!r} do not hang together in the junction tree")
    return "the cliques that contain a variable hang together"
