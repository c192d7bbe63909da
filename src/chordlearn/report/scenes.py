"""Where everything goes in a picture of the graph and of the junction tree, whoever draws it.

Lengths are in pixels of a screen (96 to the inch); y grows downwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chordlearn.graphs import edges_of
from chordlearn.network.layout import layout
from chordlearn.report.labels import broken, cells, shortened
from chordlearn.report.palette import clique_colours
from chordlearn.report.trees import Forest, Route, place_forest

if TYPE_CHECKING:
    from chordlearn.network import ChordalNetwork

Point = tuple[float, float]
Size = tuple[float, float]
TextWidth = Callable[[str], float]

FONT_SIZE = 13.0
LINE_HEIGHT = 16.0
PADDING = 8.0
AREA_MARGIN = 9.0
SMALLEST_AREA = 3
CORNER_POINTS = 8
NARROW, LETTER, CAPITAL = 5.2, 8.0, 9.7


def estimated_width(text: str) -> float:
    """About the width of a text in a wide sans-serif font of the pictures' size.

    >>> estimated_width("HREKG") > estimated_width("hrekg") > estimated_width("ill")
    True
    """
    return sum(
        NARROW if c in "iljtfr.,:;'|! " else CAPITAL if c.isupper() else LETTER * cells(c) for c in text
    )


@dataclass(frozen=True)
class Box:
    """A text in lines with a frame around it."""

    x: float
    y: float
    """The centre."""
    width: float
    height: float
    lines: tuple[str, ...]

    @property
    def corners(self) -> tuple[Point, ...]:
        """The four corners."""
        across, down = self.width / 2, self.height / 2
        return tuple((self.x + i * across, self.y + j * down) for i in (-1, 1) for j in (-1, 1))


@dataclass(frozen=True)
class Area:
    """The tinted area behind the variables of a clique."""

    clique: int
    colour: int
    outline: tuple[Point, ...]


@dataclass(frozen=True)
class GraphScene:
    """The graph on paper."""

    size: Size
    boxes: tuple[Box, ...]
    """A box for each variable."""
    edges: tuple[tuple[int, int], ...]
    areas: tuple[Area, ...]
    """One for each clique of three or more, the largest first; an edge shows a clique of two."""


@dataclass(frozen=True)
class TreeScene:
    """The junction tree on paper."""

    size: Size
    boxes: tuple[Box, ...]
    """A box for each clique."""
    colours: tuple[int, ...]
    separators: tuple[Box, ...]
    """A box for each edge of the junction tree."""
    links: tuple[tuple[int, int], ...]
    """The cliques at the two ends of each separator."""
    routes: tuple[Route, ...]
    """The line of each link, which runs behind the separator."""


def graph_scene(network: ChordalNetwork, width_of: TextWidth = estimated_width) -> GraphScene:
    """Lay out the graph.

    >>> from chordlearn.network import ChordalNetwork
    >>> scene = graph_scene(ChordalNetwork.from_cliques("abcd", ["abc", "d"]))
    >>> len(scene.boxes), scene.edges, [area.clique for area in scene.areas]
    (4, ((0, 1), (0, 2), (1, 2)), [0])
    """
    texts = [broken(name) for name in network.variables]
    sizes = [_size(lines, width_of) for lines in texts]
    points, (width, height) = layout(network.graph, sizes)
    boxes = tuple(Box(x, y, *size, lines) for (x, y), size, lines in zip(points, sizes, texts, strict=True))
    colours = clique_colours(network.masks)
    areas = [
        Area(
            i,
            colours[i],
            rounded_hull([boxes[network.variables.index(name)] for name in clique], AREA_MARGIN),
        )
        for i, clique in enumerate(network.cliques)
        if len(clique) >= SMALLEST_AREA
    ]
    areas.sort(key=lambda area: -_surface(area.outline))
    return GraphScene((width, height), boxes, tuple(edges_of(network.graph)), tuple(areas))


def tree_scene(network: ChordalNetwork, width_of: TextWidth = estimated_width) -> TreeScene:
    """Lay out the junction tree.

    >>> from chordlearn.network import ChordalNetwork
    >>> scene = tree_scene(ChordalNetwork.from_cliques("abc", ["ab", "bc"]))
    >>> [box.lines for box in scene.boxes], [box.lines for box in scene.separators]
    ([('a', 'b'), ('b', 'c')], [('b',)])
    """
    texts = [tuple(shortened(name) for name in clique) for clique in network.cliques]
    between = [tuple(shortened(name) for name in edge.separator) for edge in network.junction_tree]
    links = tuple(edge.cliques for edge in network.junction_tree)
    sizes = [_size(lines, width_of) for lines in texts]
    middles = [_size(lines, width_of) for lines in between]
    placed = place_forest(Forest(sizes, links, middles))
    return TreeScene(
        placed.size,
        tuple(Box(*place, *box, lines) for place, box, lines in zip(placed.nodes, sizes, texts, strict=True)),
        clique_colours(network.masks),
        tuple(
            Box(*place, *box, lines)
            for place, box, lines in zip(placed.middles, middles, between, strict=True)
        ),
        links,
        tuple(placed.routes),
    )


def rounded_hull(boxes: Sequence[Box], margin: float) -> tuple[Point, ...]:
    """The convex outline around some boxes, with round corners.

    >>> outline = rounded_hull([Box(0, 0, 2, 2, ("a",))], 1.0)
    >>> max(x for x, _ in outline)
    2.0
    """
    around = [
        (
            x + margin * math.cos(2 * math.pi * step / (4 * CORNER_POINTS)),
            y + margin * math.sin(2 * math.pi * step / (4 * CORNER_POINTS)),
        )
        for box in boxes
        for x, y in box.corners
        for step in range(4 * CORNER_POINTS)
    ]
    points = sorted(set(around))
    return (*_half_hull(points), *_half_hull(points[::-1]))


def _half_hull(points: Sequence[Point]) -> list[Point]:
    hull: list[Point] = []
    for x, y in points:
        while len(hull) >= 2:
            (ax, ay), (bx, by) = hull[-2], hull[-1]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull[:-1]


def _surface(outline: Sequence[Point]) -> float:
    following = [*outline[1:], outline[0]]
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(outline, following, strict=True))) / 2


def _size(lines: Sequence[str], width_of: TextWidth) -> Size:
    widest = max((width_of(line) for line in lines), default=0.0)
    return max(widest, 14.0) + 2 * PADDING, LINE_HEIGHT * len(lines) + PADDING + 2
