"""Pictures of the graph, the same every time: where vertices go on paper, SVG, and text for terminals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chordlearn.graphs import Graph, components, members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.float64]


Size = tuple[float, float]
Point = tuple[float, float]

EDGE_LENGTH = 105.0
MARGIN = 18.0
LARGEST_ROW = 900.0
GAP = 12.0
CLOSE_ENOUGH = 0.01
CLEARANCE = 6.0
ROOM_FOR_EDGES = 26.0
PAPER_PER_BOX = 4.0
SMALLEST_SHRINK = 0.4
FEW, MANY = 6, 100
STARTS = 4
ROUNDS = 80
CLEARING_ROUNDS = 60


def layout(graph: Graph, sizes: Sequence[Size]) -> tuple[list[Point], Size]:
    """The centre of each vertex's box (width, height) and the size of the whole picture.

    Each connected component is laid out so that distances on paper follow distances in the graph; components
    stand side by side, and vertices without edges stand in rows below.

    >>> points, (width, height) = layout((2, 1, 0), [(40, 20)] * 3)
    >>> len(points), points[2][1] > points[0][1], points[2][1] > points[1][1]
    (3, True, True)
    """
    parts = components(graph)
    blocks = [_component(graph, list(members(part)), sizes) for part in parts if part.bit_count() > 1]
    alone = [_single(next(members(part)), sizes) for part in parts if part.bit_count() == 1]
    blocks.sort(key=lambda block: -len(block[0]))
    row_limit = max([LARGEST_ROW, *(width for _, (width, _) in blocks)])
    points: list[Point] = [(0.0, 0.0)] * len(graph)
    width, height = _shelve(blocks, points, 0.0, row_limit)
    below, height = _shelve(alone, points, height, max(width, min(row_limit, 420.0)))
    return points, (max(width, below), height)


Block = tuple[dict[int, Point], Size]


def _single(vertex: int, sizes: Sequence[Size]) -> Block:
    width, height = sizes[vertex]
    return {vertex: (width / 2 + MARGIN / 2, height / 2 + MARGIN / 2)}, (width + MARGIN, height + MARGIN)


def _shelve(blocks: list[Block], points: list[Point], top: float, limit: float) -> Size:
    """Put blocks in rows no wider than the limit, below ``top``; gives the width and the new bottom."""
    left = widest = 0.0
    bottom = top
    for placed, (width, height) in blocks:
        if left > 0 and left + width > limit:
            left, top = 0.0, bottom
        for vertex, (x, y) in placed.items():
            points[vertex] = (left + x, top + y)
        left += width
        widest = max(widest, left)
        bottom = max(bottom, top + height)
    return widest, bottom


def _component(graph: Graph, vertices: list[int], sizes: Sequence[Size]) -> Block:
    import numpy as np

    distances = _distances(graph, vertices)
    boxes = np.array([sizes[vertex] for vertex in vertices], dtype=np.float64)
    tries = [
        _least_stress(start, distances)
        for start in _starts(len(vertices))[: STARTS if len(vertices) <= 100 else 1]
    ]
    best = min(tries, key=lambda points: round(_stress(points, distances), 6))
    roomier = 1 + len(vertices) / 120
    points = _lying_flat(best) * (EDGE_LENGTH * roomier) * np.array([1.25, 1.0])
    push_apart(points, boxes)
    if len(vertices) > FEW:
        points = _drawn_together(points, boxes)
    if FEW < len(vertices) <= MANY:
        points = _clear_of_edges(points, boxes, np.argwhere(np.triu(distances == 1)))
    points -= (points - boxes / 2).min(axis=0) - MARGIN
    width, height = (points + boxes / 2).max(axis=0) + MARGIN
    placed = {vertex: (float(x), float(y)) for vertex, (x, y) in zip(vertices, points, strict=True)}
    return placed, (float(width), float(height))


def _distances(graph: Graph, vertices: list[int]) -> Points:
    """Numbers of edges between any two vertices of a connected component."""
    import numpy as np

    position = {vertex: i for i, vertex in enumerate(vertices)}
    distances = np.zeros((len(vertices), len(vertices)))
    for i, vertex in enumerate(vertices):
        reached = layer = 1 << vertex
        steps = 0
        while layer:
            for other in members(layer):
                distances[i, position[other]] = steps
            around = 0
            for other in members(layer):
                around |= graph[other]
            layer = around & ~reached
            reached |= layer
            steps += 1
    return distances


def _starts(n: int) -> list[Points]:
    """A circle and some seeded random clouds: one of them leads to a layout with little stress."""
    import numpy as np

    angles = 2 * np.pi * np.arange(n) / n
    starts = [np.column_stack([np.cos(angles), np.sin(angles)]) * n / 6]
    for seed in range(1, STARTS):
        chance = random.Random(seed)
        starts.append(np.array([[chance.uniform(-2, 2), chance.uniform(-2, 2)] for _ in range(n)]))
    return starts


def _least_stress(points: Points, distances: Points) -> Points:
    """Move each vertex in turn to where its target distances, near ones first, agree best."""
    import numpy as np

    n = len(points)
    weights = 1.0 / (distances + np.eye(n)) ** 2
    np.fill_diagonal(weights, 0.0)
    for _ in range(min(ROUNDS, 10_000 // n)):
        for i in range(n):
            apart = points[i] - points
            length = np.sqrt((apart**2).sum(axis=1))
            length[length < 1e-9] = 1e-9
            target = points + apart * (distances[i] / length)[:, None]
            points[i] = weights[i] @ target / weights[i].sum()
    return points


def _stress(points: Points, distances: Points) -> float:
    import numpy as np

    apart = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    weights = 1.0 / (distances + np.eye(len(points))) ** 2
    return float((weights * (apart - distances) ** 2).sum())


def _lying_flat(points: Points) -> Points:
    """Turn the picture so that its longest direction is horizontal: labels are wide, and so are screens."""
    import numpy as np

    centred = points - points.mean(axis=0)
    (xx, xy), (_, yy) = centred.T @ centred
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned: Points = centred @ turn
    return turned


def push_apart(points: Points, boxes: Points) -> None:
    """Separate overlapping boxes along the direction that needs less, for as long as patience allows."""
    xs, ys = points[:, 0].tolist(), points[:, 1].tolist()
    half_widths, half_heights = (boxes[:, 0] / 2).tolist(), (boxes[:, 1] / 2).tolist()
    for _ in range(_passes(len(xs))):
        moved = False
        for i in range(len(xs)):
            for j in range(i):
                over_y = half_heights[i] + half_heights[j] + GAP - abs(ys[i] - ys[j])
                if over_y <= CLOSE_ENOUGH:
                    continue
                over_x = half_widths[i] + half_widths[j] + GAP - abs(xs[i] - xs[j])
                if over_x <= CLOSE_ENOUGH:
                    continue
                moved = True
                along, over = (xs, over_x) if over_x < over_y else (ys, over_y)
                shift = over / 2 if along[i] >= along[j] else -over / 2
                along[i] += shift
                along[j] -= shift
        if not moved:
            break
    points[:, 0], points[:, 1] = xs, ys


def _drawn_together(points: Points, boxes: Points) -> Points:
    """Shrink a picture that is mostly empty, in which labels would be lost."""
    import numpy as np

    needed = float((boxes + ROOM_FOR_EDGES).prod(axis=1).sum()) * PAPER_PER_BOX
    taken = float(np.ptp(points, axis=0).prod())
    shrunk: Points = points * min(1.0, max(SMALLEST_SHRINK, (needed / max(taken, 1.0)) ** 0.5))
    push_apart(shrunk, boxes)
    return shrunk


def _clear_of_edges(points: Points, boxes: Points, edges: NDArray[np.int64]) -> Points:
    """Push boxes off the edges that would run behind them; keeps the best of what was tried."""
    best, fewest = points, len(_covered(points, boxes, edges))
    points = points.copy()
    for _ in range(CLEARING_ROUNDS):
        if not fewest:
            break
        for vertex, dx, dy in _covered(points, boxes, edges):
            points[vertex] += (dx, dy)
        push_apart(points, boxes)
        covered = len(_covered(points, boxes, edges))
        if covered < fewest:
            best, fewest = points.copy(), covered
    return best


def _covered(points: Points, boxes: Points, edges: NDArray[np.int64]) -> list[tuple[int, float, float]]:
    """The boxes that lie on another's edge, each with a step that takes it off."""
    import numpy as np

    found = []
    start, along = points[edges[:, 0]], points[edges[:, 1]] - points[edges[:, 0]]
    length = np.maximum(np.sqrt((along**2).sum(axis=1)), 1e-9)
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
    for vertex in range(len(points)):
        towards = points[vertex] - start
        aside = (towards * normal).sum(axis=1)
        share = (towards * along).sum(axis=1) / length**2
        reach = (np.abs(normal) * boxes[vertex]).sum(axis=1) / 2 + CLEARANCE
        foreign = (edges != vertex).all(axis=1)
        for edge in np.flatnonzero(foreign & (share > 0.04) & (share < 0.96) & (np.abs(aside) < reach)):
            step = (reach[edge] - abs(aside[edge]) + 3.0) * (1.0 if aside[edge] >= 0 else -1.0)
            found.append((vertex, float(step * normal[edge, 0]), float(step * normal[edge, 1])))
    return found


def _passes(n: int) -> int:
    """Fewer rounds for large graphs, which nobody reads label by label."""
    return max(4, min(300, 1_500_000 // (n * n)))
