"""Trees on paper, from left to right: no two links cross and no two boxes meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

Point = tuple[float, float]
Size = tuple[float, float]
Neighbours = Sequence[Sequence[tuple[int, int]]]
"""For each node the nodes it is linked to, each with the number of the link."""

MARGIN = 16.0
BETWEEN_COLUMNS = 30.0
BETWEEN_ROWS = 14.0
BETWEEN_TREES = 26.0
WIDEST_ROW = 900.0


@dataclass(frozen=True)
class Placed:
    """The centres of nodes and of the middles of links, the links, and the size of the whole."""

    nodes: list[Point]
    middles: list[Point]
    routes: list[tuple[Point, ...]]
    """A link is straight to its second point, bends to the third and is straight to the last."""
    size: Size


def place_forest(sizes: Sequence[Size], links: Sequence[tuple[int, int]], middles: Sequence[Size]) -> Placed:
    """Place nodes of these sizes, linked in trees, with a box in the middle of each link.

    Each tree grows from its centre to the right, one below the other; nodes without links stand in rows at
    the bottom.

    >>> placed = place_forest([(40, 20)] * 3, [(0, 1)], [(20, 20)])
    >>> placed.nodes[0][0] < placed.middles[0][0] < placed.nodes[1][0]
    True
    """
    neighbours: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for number, (a, b) in enumerate(links):
        neighbours[a].append((b, number))
        neighbours[b].append((a, number))
    nowhere = (0.0, 0.0)
    placed = Placed([nowhere] * len(sizes), [nowhere] * len(links), [()] * len(links), nowhere)
    bottom, right = MARGIN, 0.0
    for root in _centres(neighbours):
        width, height = _place_tree(_walk(neighbours, root), sizes, middles, placed, bottom)
        bottom += height + BETWEEN_TREES
        right = max(right, width)
    left, shelf = MARGIN, 0.0
    for node, (width, height) in enumerate(sizes):
        if neighbours[node]:
            continue
        if left > MARGIN and left + width > max(right, WIDEST_ROW):
            left, bottom, shelf = MARGIN, bottom + shelf + BETWEEN_ROWS, 0.0
        placed.nodes[node] = (left + width / 2, bottom + height / 2)
        left += width + BETWEEN_ROWS
        right = max(right, left - BETWEEN_ROWS)
        shelf = max(shelf, height)
    bottom += shelf or -BETWEEN_TREES
    return Placed(placed.nodes, placed.middles, placed.routes, (right + MARGIN, bottom + MARGIN))


class _Step(NamedTuple):
    """A node as it is reached from the root of its tree."""

    node: int
    parent: int
    link: int
    depth: int


def _walk(neighbours: Neighbours, root: int) -> list[_Step]:
    """The nodes of a tree in the order of their distance from the root."""
    steps = [_Step(root, -1, -1, 0)]
    for step in steps:
        near = neighbours[step.node]
        steps += [_Step(node, step.node, link, step.depth + 1) for node, link in near if node != step.parent]
    return steps


def _centres(neighbours: Neighbours) -> list[int]:
    """Of each tree of two nodes or more, the largest first, the middle of a longest path."""
    seen: set[int] = set()
    trees: list[tuple[int, int, int]] = []
    for start, near in enumerate(neighbours):
        if near and start not in seen:
            steps = _walk(neighbours, _walk(neighbours, start)[-1].node)
            seen.update(step.node for step in steps)
            parents = {step.node: step.parent for step in steps}
            path = [steps[-1].node]
            while parents[path[-1]] >= 0:
                path.append(parents[path[-1]])
            trees.append((-len(steps), len(trees), path[(len(path) - 1) // 2]))
    return [centre for _, _, centre in sorted(trees)]


def _place_tree(
    steps: list[_Step], sizes: Sequence[Size], middles: Sequence[Size], placed: Placed, top: float
) -> Size:
    """Give everything in a tree its place, below ``top``; returns the right end and the height."""
    inside = {step.node: -BETWEEN_ROWS for step in steps}
    """Of each node, the height of all its branches."""
    branch = {}
    for step in reversed(steps):
        height = max(sizes[step.node][1], inside[step.node])
        branch[step.node] = max(height, middles[step.link][1]) if step.parent >= 0 else height
        if step.parent >= 0:
            inside[step.parent] += branch[step.node] + BETWEEN_ROWS
    columns = _columns(steps, sizes, middles)
    free = {-1: top}
    """Of each node, where its next branch begins."""
    for node, parent, link, depth in steps:
        y = free[parent] + branch[node] / 2
        free[parent] += branch[node] + BETWEEN_ROWS
        free[node] = y - inside[node] / 2
        left = columns[depth][0]
        placed.nodes[node] = (left + sizes[node][0] / 2, y)
        if parent >= 0:
            column, bend, middle = columns[depth - 1]
            before = placed.nodes[parent][1]
            placed.middles[link] = (middle, y)
            start = (column + sizes[parent][0], before)
            placed.routes[link] = (start, (bend, before), (bend + BETWEEN_COLUMNS, y), (left, y))
    right = max(placed.nodes[step.node][0] + sizes[step.node][0] / 2 for step in steps)
    return right, branch[steps[0].node]


def _columns(
    steps: list[_Step], sizes: Sequence[Size], middles: Sequence[Size]
) -> list[tuple[float, float, float]]:
    """Where the nodes of each depth begin and end, and the centre of the middles that follow them."""
    columns: list[tuple[float, float, float]] = []
    left = MARGIN
    for depth in range(steps[-1].depth + 1):
        end = left + max(sizes[step.node][0] for step in steps if step.depth == depth)
        middle = max((middles[step.link][0] for step in steps if step.depth == depth + 1), default=0.0)
        columns.append((left, end, end + BETWEEN_COLUMNS + middle / 2))
        left = end + 2 * BETWEEN_COLUMNS + middle
    return columns
