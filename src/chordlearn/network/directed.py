"""The network as a directed one: each variable given its earlier neighbours in a perfect order.

The earlier neighbours of a variable are complete, so that they lie in one clique with it, and no
independence is gained or lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import InputError
from chordlearn.graphs import members, search_order
from chordlearn.network.chordal import ChordalNetwork


@dataclass(frozen=True, eq=False)
class Conditional:
    """P(variable | parents)."""

    variable: str
    parents: tuple[str, ...]
    table: Table
    """An axis for each parent, then one for the variable; even where the parents' state is impossible."""


def conditionals(structure: ChordalNetwork, tables: Sequence[Table]) -> tuple[Conditional, ...]:
    """One conditional distribution for each variable; parents come before their children.

    >>> import numpy as np
    >>> pair = ChordalNetwork.from_cliques("ab", ["ab"], [["0", "1"]] * 2)
    >>> second = conditionals(pair, [np.array([[0.4, 0.1], [0.25, 0.25]])])[1]
    >>> second.variable, second.parents, second.table.tolist()
    ('b', ('a',), [[0.8, 0.2], [0.5, 0.5]])
    """
    if structure.states is None:
        raise InputError("The network has no states; fit it to data first.")
    found = []
    before = 0
    for vertex in search_order(structure.graph):
        parents = structure.graph[vertex] & before
        before |= 1 << vertex
        names = tuple(structure.variables[i] for i in members(parents))
        home = next(i for i, mask in enumerate(structure.masks) if not (parents | 1 << vertex) & ~mask)
        joint = _arranged(tables[home], structure.cliques[home], (*names, structure.variables[vertex]))
        totals = joint.sum(axis=-1, keepdims=True)
        even = 1.0 / joint.shape[-1]
        table = np.where(totals > 0, joint / np.where(totals > 0, totals, 1.0), even)
        found.append(Conditional(structure.variables[vertex], names, table))
    return tuple(found)


def _arranged(table: Table, clique: Sequence[str], wanted: Sequence[str]) -> Table:
    """Summed onto the wanted variables, with the axes in their order."""
    kept = [name for name in clique if name in wanted]
    summed = np.asarray(table.sum(axis=tuple(i for i, name in enumerate(clique) if name not in wanted)))
    return summed.transpose([kept.index(name) for name in wanted])


Table = NDArray[np.float64]
Positions = tuple[int, ...]
"""Variables by their rising positions; the axes of a table are in this order."""


@dataclass(frozen=True, eq=False)
class Node:
    """A clique of the rooted forest."""

    clique: Positions
    parent: int | None
    """Its parent's place in the order of the forest; None for the root of a tree."""
    separator: Positions
    """What it shares with its parent; empty for a root."""
    log_table: Table
    """log P(clique | separator), −∞ where the separator's state is impossible."""

    @property
    def residual(self) -> Positions:
        """What the clique does not share with its parent."""
        return tuple(position for position in self.clique if position not in self.separator)


def rooted_forest(
    cliques: Sequence[Positions], edges: Sequence[tuple[int, int]], tables: Sequence[Table]
) -> tuple[Node, ...]:
    """Root each tree at its first clique; parents come before their children."""
    neighbours: list[list[int]] = [[] for _ in cliques]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    nodes: list[Node] = []
    place: dict[int, int] = {}
    for start in range(len(cliques)):
        waiting: list[tuple[int, int | None]] = [] if start in place else [(start, None)]
        while waiting:
            clique, parent = waiting.pop()
            place[clique] = len(nodes)
            shared = () if parent is None else tuple(p for p in cliques[clique] if p in cliques[parent])
            nodes.append(
                Node(
                    cliques[clique],
                    None if parent is None else place[parent],
                    shared,
                    _log_conditional(tables[clique], cliques[clique], shared),
                )
            )
            waiting += [(other, clique) for other in reversed(neighbours[clique]) if other not in place]
    return tuple(nodes)


def _log_conditional(table: Table, clique: Positions, separator: Positions) -> Table:
    residual = tuple(axis for axis, position in enumerate(clique) if position not in separator)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(table) - (np.log(table.sum(axis=residual, keepdims=True)) if separator else 0.0)
    return np.where(table > 0, logs, -np.inf)
