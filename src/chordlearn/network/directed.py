"""The network as a directed one: each variable given its earlier neighbours in a perfect order.

The earlier neighbours of a variable are complete, so that they lie in one clique with it, and no
independence is gained or lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chordlearn.errors import InputError
from chordlearn.graphs import members, search_order
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.forest import Table


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
