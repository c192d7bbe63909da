"""Trees on paper, from left to right: no two links cross and no two boxes meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Point = tuple[float, float]
Size = tuple[float, float]
Route = tuple[Point, Point, Point, Point]
"""A link: straight from the first point to the second, in a bend to the third, straight to the last."""

MARGIN = 16.0
BETWEEN_COLUMNS = 30.0
BETWEEN_ROWS = 14.0
BETWEEN_TREES = 26.0
WIDEST_ROW = 900.0


@dataclass(frozen=True)
class Forest:
    """The boxes of the nodes, which nodes are linked, and the box in the middle of each link."""

    sizes: Sequence[Size]
    links: Sequence[tuple[int, int]]
    middles: Sequence[Size]

    def neighbours(self) -> list[list[tuple[int, int]]]:
        """For each node the nodes it is linked to, each with the number of the link."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.sizes]
        for number, (a, b) in enumerate(self.links):
            found[a].append((b, number))
            found[b].append((a, number))
        return found


@dataclass(frozen=True)
class Placed:
    """Where everything stands."""

    nodes: list[Point]
    middles: list[Point]
    routes: list[Route]
    """Through the middle of each link, which hides a part of it."""
    size: Size


def place_forest(forest: Forest) -> Placed:
    """The centres of the nodes and of the middles of links, and the size of the whole.

    Each tree grows from its centre to the right, one below the other; nodes without links stand in rows at
    the bottom.

    >>> placed = place_forest(Forest([(40, 20)] * 3, [(0, 1)], [(20, 20)]))
    >>> placed.nodes[0][0] < placed.middles[0][0] < placed.nodes[1][0]
    True
    """
    neighbours = forest.neighbours()
    nothing = (0.0, 0.0)
    nodes, middles = [nothing] * len(forest.sizes), [nothing] * len(forest.links)
    placed = Placed(nodes, middles, [(nothing, nothing, nothing, nothing)] * len(forest.links), nothing)
    bottom, right = MARGIN, 0.0
    for tree in _trees(neighbours):
        if len(tree) > 1:
            width, height = _Tree(forest, neighbours, tree, placed).place(bottom)
            bottom += height + BETWEEN_TREES
            right = max(right, width)
    left = MARGIN
    shelf = 0.0
    for node, near in enumerate(neighbours):
        if near:
            continue
        width, height = forest.sizes[node]
        if left > MARGIN and left + width > max(right, WIDEST_ROW):
            left, bottom, shelf = MARGIN, bottom + shelf + BETWEEN_ROWS, 0.0
        nodes[node] = (left + width / 2, bottom + height / 2)
        left += width + BETWEEN_ROWS
        right = max(right, left - BETWEEN_ROWS)
        shelf = max(shelf, height)
    bottom = bottom + shelf if shelf else bottom - BETWEEN_TREES
    return replace(placed, size=(right + MARGIN, bottom + MARGIN))


def _trees(neighbours: Sequence[Sequence[tuple[int, int]]]) -> list[list[int]]:
    seen: set[int] = set()
    trees = []
    for start in range(len(neighbours)):
        if start in seen:
            continue
        order = _walk(neighbours, start)
        seen.update(order)
        trees.append(order)
    return sorted(trees, key=len, reverse=True)


def _walk(neighbours: Sequence[Sequence[tuple[int, int]]], start: int) -> list[int]:
    """The nodes of a tree in the order of their distance from the start."""
    order, seen = [start], {start}
    for node in order:
        for other, _ in neighbours[node]:
            if other not in seen:
                seen.add(other)
                order.append(other)
    return order


class _Tree:
    """One tree while it is being placed."""

    def __init__(
        self,
        forest: Forest,
        neighbours: Sequence[Sequence[tuple[int, int]]],
        tree: Sequence[int],
        placed: Placed,
    ) -> None:
        self._forest = forest
        self._nodes = placed.nodes
        self._middles = placed.middles
        self._routes = placed.routes
        self._root = _centre(neighbours, tree)
        self._children: dict[int, list[tuple[int, int]]] = {}
        self._depth = {self._root: 0}
        self._order = _walk(neighbours, self._root)
        for node in self._order:
            self._children[node] = [pair for pair in neighbours[node] if pair[0] not in self._depth]
            for child, _ in self._children[node]:
                self._depth[child] = self._depth[node] + 1
        self._heights: dict[int, float] = {}
        for node in reversed(self._order):
            below = sum(self._branch(child, link) for child, link in self._children[node])
            below += BETWEEN_ROWS * max(0, len(self._children[node]) - 1)
            self._heights[node] = max(forest.sizes[node][1], below)

    def place(self, top: float) -> Size:
        """Give everything its place, below ``top``; returns the right end and the height."""
        columns = self._columns()
        tops = {self._root: top}
        for node in self._order:
            width, _ = self._forest.sizes[node]
            column, bend, middle = columns[self._depth[node]]
            self._nodes[node] = (column + width / 2, tops[node] + self._heights[node] / 2)
            inside = sum(self._branch(child, link) for child, link in self._children[node])
            inside += BETWEEN_ROWS * max(0, len(self._children[node]) - 1)
            down = tops[node] + (self._heights[node] - inside) / 2
            for child, link in self._children[node]:
                room = self._branch(child, link)
                tops[child] = down + (room - self._heights[child]) / 2
                y = down + room / 2
                self._middles[link] = (middle, y)
                start = (column + width, self._nodes[node][1])
                bent = (bend + BETWEEN_COLUMNS, y)
                self._routes[link] = (start, (bend, start[1]), bent, (columns[self._depth[child]][0], y))
                down += room + BETWEEN_ROWS
        right = max(self._nodes[node][0] + self._forest.sizes[node][0] / 2 for node in self._order)
        return right, self._heights[self._root]

    def _branch(self, child: int, link: int) -> float:
        return max(self._heights[child], self._forest.middles[link][1])

    def _columns(self) -> list[tuple[float, float, float]]:
        """Where the nodes of each depth begin and end, and the centre of the middles that follow them."""
        columns: list[tuple[float, float, float]] = []
        left = MARGIN
        for depth in range(max(self._depth.values()) + 1):
            here = [node for node in self._order if self._depth[node] == depth]
            widest = max(self._forest.sizes[node][0] for node in here)
            links = [link for node in here for _, link in self._children[node]]
            middle = max((self._forest.middles[link][0] for link in links), default=0.0)
            centre = left + widest + BETWEEN_COLUMNS + middle / 2
            columns.append((left, left + widest, centre))
            left = centre + middle / 2 + BETWEEN_COLUMNS
        return columns


def _centre(neighbours: Sequence[Sequence[tuple[int, int]]], tree: Sequence[int]) -> int:
    """The node from which the farthest node is nearest: the middle of a longest path."""
    far = _walk(neighbours, tree[0])[-1]
    before: dict[int, int] = {}
    order = [far]
    for node in order:
        for other, _ in neighbours[node]:
            if other != before.get(node):
                before[other] = node
                order.append(other)
    path = [order[-1]]
    while path[-1] in before:
        path.append(before[path[-1]])
    return path[(len(path) - 1) // 2]
