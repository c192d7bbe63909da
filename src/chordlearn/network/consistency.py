"""Whether what a file says beside its cliques is what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork, JunctionEdge

Names = Sequence[str]


def check_agreement(
    structure: ChordalNetwork,
    cliques: Sequence[Names],
    edges: Sequence[Names],
    separators: Sequence[Names],
    tree: Sequence[JunctionEdge],
) -> None:
    """Refuse edges, separators and a junction tree that are not those of the cliques, in whatever order.

    >>> network = ChordalNetwork.from_cliques("abc", ["ab", "bc"])
    >>> tree = [JunctionEdge((0, 1), ("b",))]
    >>> check_agreement(network, ["ab", "bc"], ["ab", "bc"], ["b"], tree)
    >>> check_agreement(network, ["ab", "bc"], ["ab", "ac"], ["b"], tree)
    Traceback (most recent call last):
        ...
    chordlearn.errors.InputError: The edges of the network are not those of its cliques; write the file again.
    """
    if _as_sets(edges) != _as_sets(structure.edges):
        raise _contradiction("edges")
    if _as_sets(separators) != _as_sets(structure.separators):
        raise _contradiction("separators")
    # A forest on the cliques whose labels are the separators has the largest weight that one can have.
    if not _is_forest(tree, cliques) or _as_sets(edge.separator for edge in tree) != _as_sets(separators):
        raise _contradiction("neighbours in the junction tree")


def _as_sets(lists: Iterable[Names]) -> list[list[str]]:
    return sorted(map(sorted, lists))


def _is_forest(tree: Iterable[JunctionEdge], cliques: Sequence[Names]) -> bool:
    """Whether the tree has no cycle and its labels are what its neighbours share."""
    leader = list(range(len(cliques)))

    def root(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for edge in tree:
        i, j = edge.cliques
        if root(i) == root(j) or set(edge.separator) != set(cliques[i]) & set(cliques[j]):
            return False
        leader[root(i)] = root(j)
    return True


def _contradiction(what: str) -> InputError:
    return InputError(f"The {what} of the network are not those of its cliques; write the file again.")
