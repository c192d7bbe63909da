"""The learned structure as an object: a chordal graph over named variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chordlearn.errors import InputError
from chordlearn.graphs import (
    by_members,
    chordless_cycle,
    components,
    edges_of,
    graph_from_cliques,
    graph_from_edges,
    junction_forest,
    mask_of,
    maximal_cliques,
    members,
    separators,
)
from chordlearn.system.json import JsonMixin
from chordlearn.system.text import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

States = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class JunctionEdge(JsonMixin):
    """Two neighbouring cliques of a junction tree and what they share."""

    cliques: tuple[int, int]
    """Their positions in the list of cliques, the lower first."""
    separator: tuple[str, ...]


@dataclass(frozen=True)
class ChordalNetwork(JsonMixin):
    """A chordal graph over named variables, given by its maximal cliques.

    Build one with :meth:`from_cliques` or :meth:`from_edges`; the constructor trusts its input.

    >>> network = ChordalNetwork.from_edges("abcd", [("a", "b"), ("b", "c")])
    >>> network.cliques
    (('a', 'b'), ('b', 'c'), ('d',))
    >>> network.separators, network.treewidth, network.is_connected
    ((('b',),), 1, False)
    """

    variables: tuple[str, ...]
    states: States | None
    """The labels of each variable, or None when only scores are known."""
    cliques: tuple[tuple[str, ...], ...]
    """The maximal cliques, in the order of the variables."""

    @classmethod
    def from_edges(
        cls,
        variables: Iterable[str],
        edges: Iterable[tuple[str, str]],
        states: Iterable[Iterable[str]] | None = None,
    ) -> ChordalNetwork:
        """The network with these edges; refuses a graph that is not chordal.

        >>> ChordalNetwork.from_edges("abcd", ["ab", "bc", "cd", "da"])
        Traceback (most recent call last):
            ...
        chordlearn.errors.InputError: The graph is not chordal: the cycle a–b–c–d–a has no chord; add one.
        """
        names = _distinct(variables)
        index = {name: i for i, name in enumerate(names)}
        pairs = []
        for edge in edges:
            a, b = _indices(index, edge, "edge")
            pairs.append((a, b))
        cliques = _cliques_of(names, graph_from_edges(len(names), pairs))
        return cls.from_masks(names, cliques, states)

    @classmethod
    def from_cliques(
        cls,
        variables: Iterable[str],
        cliques: Iterable[Iterable[str]],
        states: Iterable[Iterable[str]] | None = None,
    ) -> ChordalNetwork:
        """The network with these maximal cliques; refuses sets that are not the ones of a chordal graph.

        >>> ChordalNetwork.from_cliques("abc", ["bc", "ab"]).edges
        (('a', 'b'), ('b', 'c'))
        """
        names = _distinct(variables)
        index = {name: i for i, name in enumerate(names)}
        masks = sorted((mask_of(_indices(index, clique, "clique")) for clique in cliques), key=by_members)
        covered = 0
        for mask in masks:
            covered |= mask
        for i, name in enumerate(names):
            if not covered >> i & 1:
                raise InputError(f"The variable {name!r} is in no clique; give it a clique of its own.")
        maximal = _cliques_of(names, graph_from_cliques(len(names), masks))
        if tuple(masks) != maximal:
            wrong = next(iter(set(maximal) ^ set(masks)), masks[0])
            clique = ", ".join(names[i] for i in members(wrong))
            raise InputError(
                f"The sets given are not the maximal cliques of their graph (see {{{clique}}}); "
                "give each maximal clique once."
            )
        return cls.from_masks(names, maximal, states)

    @classmethod
    def from_masks(
        cls, variables: Sequence[str], cliques: Iterable[int], states: Iterable[Iterable[str]] | None = None
    ) -> ChordalNetwork:
        """The network with these maximal cliques as bit masks, which are trusted; bit i is variable i.

        >>> ChordalNetwork.from_masks("ab", [0b10, 0b01]).cliques
        (('a',), ('b',))
        """
        ordered = sorted(cliques, key=by_members)
        return cls(
            tuple(variables),
            None if states is None else tuple(tuple(labels) for labels in states),
            tuple(tuple(variables[i] for i in members(mask)) for mask in ordered),
        )

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The cliques as bit masks; bit i stands for the i-th variable."""
        index = {name: i for i, name in enumerate(self.variables)}
        return tuple(mask_of(index[name] for name in clique) for clique in self.cliques)

    @cached_property
    def graph(self) -> tuple[int, ...]:
        """The neighbour mask of each variable, as :mod:`chordlearn.graphs` uses it."""
        return graph_from_cliques(len(self.variables), self.masks)

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges, in the order of the variables."""
        return tuple((self.variables[a], self.variables[b]) for a, b in edges_of(self.graph))

    @cached_property
    def separators(self) -> tuple[tuple[str, ...], ...]:
        """The separators, each as often as it occurs in a junction tree."""
        return tuple(self._names(mask) for mask in separators(self.masks))

    @cached_property
    def junction_tree(self) -> tuple[JunctionEdge, ...]:
        """The edges of a junction tree; of a forest, if the graph is not connected."""
        masks = self.masks
        return tuple(
            JunctionEdge((i, j), self._names(masks[i] & masks[j])) for i, j in junction_forest(masks)
        )

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The variables that hang together, component by component."""
        return tuple(self._names(part) for part in components(self.graph))

    @property
    def is_connected(self) -> bool:
        """Whether every variable can be reached from every other."""
        return len(components(self.graph)) <= 1

    @property
    def treewidth(self) -> int:
        """The size of the largest clique minus one."""
        return max((len(clique) for clique in self.cliques), default=0) - 1

    def neighbours(self, name: str) -> tuple[str, ...]:
        """The variables that share an edge with this one."""
        return self._names(self.graph[self.position(name)])

    def position(self, name: str) -> int:
        """The place of a variable, or an error that says which there are."""
        if name not in self.variables:
            raise InputError(_unknown(name, self.variables))
        return self.variables.index(name)

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """The adjacency matrix, in the order of the variables."""
        import numpy

        matrix = numpy.zeros((len(self.variables), len(self.variables)), dtype=numpy.bool_)
        for a, b in edges_of(self.graph):
            matrix[a, b] = matrix[b, a] = True
        return matrix

    def svg(self) -> str:
        """A drawing of the graph as SVG text."""
        from chordlearn.network.scenes import graph_scene
        from chordlearn.network.svg import svg_of

        return svg_of(graph_scene(self), f"Chordal network of {len(self.variables)} variables")

    def _names(self, mask: int) -> tuple[str, ...]:
        return tuple(self.variables[i] for i in members(mask))

    def __repr__(self) -> str:
        first = [" ".join(clique) for clique in self.cliques[:8]]
        more = [f"… {len(self.cliques) - 8} more"] if len(self.cliques) > 8 else []
        return shown(
            f"<ChordalNetwork: {len(self.variables)} variables, {len(self.edges)} edges, "
            f"cliques {' | '.join(first + more)}>"
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f'<div style="max-width:100%;overflow-x:auto">{self.svg()}</div>'

    def __getstate__(self) -> dict[str, Any]:
        # Derived values are computed again.
        return {"variables": self.variables, "states": self.states, "cliques": self.cliques}


def _distinct(variables: Iterable[str]) -> tuple[str, ...]:
    names = tuple(variables)
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(f"The variable {name!r} is named twice; give every variable its own name.")
    return names


def _unknown(name: object, variables: Iterable[str]) -> str:
    known = tuple(variables)
    listed = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
    return f"The network has no variable {name!r}; its variables are {listed}."


def _indices(index: dict[str, int], names: Iterable[str], kind: str) -> tuple[int, ...]:
    listed = tuple(names)
    for name in listed:
        if name not in index:
            raise InputError(_unknown(name, index))
    text = ", ".join(listed)
    if len(set(listed)) != len(listed):
        raise InputError(f"The {kind} {{{text}}} names a variable twice; name each once.")
    if kind == "edge" and len(listed) != 2:
        raise InputError(f"An edge joins two variables, but {{{text}}} names {len(listed)}.")
    return tuple(index[name] for name in listed)


def _cliques_of(names: Sequence[str], graph: Sequence[int]) -> tuple[int, ...]:
    cycle = chordless_cycle(graph)
    if cycle is not None:
        path = "–".join(names[i] for i in (*cycle, cycle[0]))
        raise InputError(f"The graph is not chordal: the cycle {path} has no chord; add one.")
    return maximal_cliques(graph)
