"""The junction forest of a network with its tables as conditional distributions, root first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
