"""What is in a picture of the graph or of the junction tree and where it goes, whoever draws it.

Lengths are in pixels of a screen (96 to the inch); y grows downwards.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from chordlearn.graphs import edges_of
from chordlearn.network.layout import layout, push_apart
from chordlearn.network.tree_layout import Point, Size, place_forest

if TYPE_CHECKING:
    from chordlearn.network.chordal import ChordalNetwork

TextWidth = Callable[[str], float]
Strengths = Mapping[tuple[str, str], float]

# Colours after Okabe and Ito, which readers with any colour vision can distinguish; dashes are a second sign.
CLIQUE_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
DASHES = ((), (7, 3), (2, 2), (9, 3, 2, 3), (4, 4), (12, 4))
LACKING = (5, 4)
"""Dashes of an edge that the network lacks."""
INK = "#1b1f24"
QUIET = "#6b7480"
EDGE_COLOUR = "#55606e"
FONT_SIZE = 13.0
LINE_HEIGHT = 16.0
PADDING = 8.0
AREA_MARGIN = 9.0
SMALLEST_AREA = 3
CORNER_POINTS = 32
FILLING_ROUNDS = 8
THINNEST, ALIKE, THICKEST = 1.2, 1.6, 5.0
LONGEST_LINE, MOST_LINES = 18, 3
NARROW, LETTER, CAPITAL = 5.2, 8.0, 9.7


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
class Shape:
    """Something that is drawn, over what comes before it."""

    kind: Literal["area", "edge", "variable", "link", "clique", "separator"]
    """An area is tinted and lies behind a clique of three or more; a link joins two cliques of the tree."""
    number: int
    """Of the clique, edge, variable or separator in the network."""
    names: tuple[str, ...]
    points: tuple[Point, ...] = ()
    """The outline of an area, the ends of an edge, the points of a link."""
    box: Box | None = None
    colour: int = 0
    """Of areas and cliques."""
    width: float = ALIKE
    """Of the line of an edge."""
    isolated: bool = False
    """Whether a variable has no neighbours."""
    dashed: bool = False
    """Whether the network lacks the edge."""


@dataclass(frozen=True)
class Scene:
    """A picture."""

    size: Size
    shapes: tuple[Shape, ...]

    def of_kind(self, *kinds: str) -> list[Shape]:
        """The shapes of these kinds."""
        return [shape for shape in self.shapes if shape.kind in kinds]


def estimated_width(text: str) -> float:
    """About the width of a text in a wide sans-serif font of the pictures' size.

    >>> estimated_width("HREKG") > estimated_width("hrekg") > estimated_width("ill")
    True
    """
    return sum(
        NARROW if c in "iljtfr.,:;'|! " else CAPITAL if c.isupper() else LETTER * cells(c) for c in text
    )


def graph_scene(
    network: ChordalNetwork, strengths: Strengths | None = None, width_of: TextWidth = estimated_width
) -> Scene:
    """The graph: areas of cliques, the largest first, edges, variables.

    Edges that have a strength and are not in the network are dashed.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> scene = graph_scene(ChordalNetwork.from_cliques("abcd", ["abc", "d"]))
    >>> [shape.kind for shape in scene.shapes]
    ['area', 'edge', 'edge', 'edge', 'variable', 'variable', 'variable', 'variable']
    """
    names = network.variables
    texts = [broken(name) for name in names]
    sizes = [_size(lines, width_of) for lines in texts]
    points, size = layout(network.graph, sizes)
    boxes = {
        name: Box(*point, *size, lines)
        for name, point, size, lines in zip(names, points, sizes, texts, strict=True)
    }
    widths = line_widths(network, strengths)
    areas = [
        Shape("area", i, clique, rounded_hull([boxes[name] for name in clique], AREA_MARGIN), colour=colour)
        for i, (clique, colour) in enumerate(zip(network.cliques, clique_colours(network.masks), strict=True))
        if len(clique) >= SMALLEST_AREA
    ]
    edges = [
        Shape("edge", i, (names[a], names[b]), (points[a], points[b]), width=widths[names[a], names[b]])
        for i, (a, b) in enumerate(edges_of(network.graph))
    ]
    places = dict(zip(names, points, strict=True))
    lacking = [
        Shape("edge", i, edge, (places[edge[0]], places[edge[1]]), width=width, dashed=True)
        for i, (edge, width) in enumerate(widths.items())
        if i >= len(edges)
    ]
    variables = [
        Shape("variable", i, (name,), box=boxes[name], isolated=not near)
        for i, (name, near) in enumerate(zip(names, network.graph, strict=True))
    ]
    behind = sorted(areas, key=lambda area: -_surface(area.points))
    return Scene(size, (*behind, *lacking, *edges, *variables))


def filling(scene: Scene, size: Size) -> Scene:
    """The scene of a graph on a sheet of this size: variables move, boxes stay as large as they are.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> filling(graph_scene(ChordalNetwork.from_cliques("abc", ["abc"])), (300.0, 200.0)).size
    (300.0, 200.0)
    """
    import numpy as np

    boxes = {shape.names[0]: shape.box for shape in scene.shapes if shape.box is not None}
    points = np.array([(box.x, box.y) for box in boxes.values()])
    sizes = np.array([(box.width, box.height) for box in boxes.values()])
    room = sizes.max(axis=0) / 2 + AREA_MARGIN + 4
    for _ in range(FILLING_ROUNDS):
        low, reach = points.min(axis=0), np.ptp(points, axis=0)
        share = np.where(reach > 0, (points - low) / np.where(reach > 0, reach, 1.0), 0.5)
        points = room + share * np.maximum(0.0, np.array(size) - 2 * room)
        spread = points.copy()
        push_apart(spread, sizes)
        points, before = spread, points
    places = {
        name: replace(box, x=float(x), y=float(y))
        for (name, box), (x, y) in zip(boxes.items(), before, strict=True)
    }

    def again(shape: Shape) -> Shape:
        if shape.kind == "variable":
            return replace(shape, box=places[shape.names[0]])
        held = [places[name] for name in shape.names]
        if shape.kind == "edge":
            return replace(shape, points=tuple((box.x, box.y) for box in held))
        return replace(shape, points=rounded_hull(held, AREA_MARGIN))

    return Scene(size, tuple(map(again, scene.shapes)))


def tree_scene(network: ChordalNetwork, width_of: TextWidth = estimated_width) -> Scene:
    """The junction tree, or the forest if the graph is not connected: links, cliques, separators.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> scene = tree_scene(ChordalNetwork.from_cliques("abc", ["ab", "bc"]))
    >>> [(shape.kind, shape.names) for shape in scene.shapes[1:]]
    [('clique', ('a', 'b')), ('clique', ('b', 'c')), ('separator', ('b',))]
    """
    tree = network.junction_tree
    separators = [edge.separator for edge in tree]
    texts = [tuple(map(shortened, names)) for names in (*network.cliques, *separators)]
    sizes = [_size(lines, width_of) for lines in texts]
    count = len(network.cliques)
    placed = place_forest(sizes[:count], [edge.cliques for edge in tree], sizes[count:])
    centres = (*placed.nodes, *placed.middles)
    boxes = [Box(*point, *size, lines) for point, size, lines in zip(centres, sizes, texts, strict=True)]
    colours = clique_colours(network.masks)
    links = [Shape("link", i, (), route) for i, route in enumerate(placed.routes)]
    cliques = [
        Shape("clique", i, names, box=boxes[i], colour=colours[i]) for i, names in enumerate(network.cliques)
    ]
    middles = [Shape("separator", i, names, box=boxes[count + i]) for i, names in enumerate(separators)]
    return Scene(placed.size, (*links, *cliques, *middles))


def clique_colours(masks: Sequence[int]) -> tuple[int, ...]:
    """A number of a colour for each clique, such that cliques that share a variable differ where possible.

    >>> clique_colours([0b011, 0b110, 0b1000])
    (0, 1, 0)
    """
    chosen: list[int] = []
    for i, mask in enumerate(masks):
        used = [chosen[j] for j in range(i) if masks[j] & mask]
        chosen.append(min(range(len(CLIQUE_COLOURS)), key=lambda colour: (used.count(colour), colour)))
    return tuple(chosen)


def line_widths(network: ChordalNetwork, strengths: Strengths | None) -> dict[tuple[str, str], float]:
    """How thick the line of each edge is, the network's own first; all alike if nothing is known of them."""
    if not strengths:
        return dict.fromkeys(network.edges, ALIKE)
    largest = max(strengths.values()) or 1.0
    joined = set(network.edges)
    lacking = [edge for edge in strengths if edge not in joined and edge[::-1] not in joined]
    return {
        edge: THINNEST + (THICKEST - THINNEST) * math.sqrt(max(0.0, strengths.get(edge, 0.0)) / largest)
        for edge in (*network.edges, *lacking)
    }


def rounded_hull(boxes: Sequence[Box], margin: float) -> tuple[Point, ...]:
    """The convex outline around some boxes, with round corners.

    >>> outline = rounded_hull([Box(0, 0, 2, 2, ("a",))], 1.0)
    >>> max(x for x, _ in outline)
    2.0
    """
    turns = [2 * math.pi * step / CORNER_POINTS for step in range(CORNER_POINTS)]
    points = sorted(
        {
            (x + margin * math.cos(turn), y + margin * math.sin(turn))
            for box in boxes
            for x, y in box.corners
            for turn in turns
        }
    )
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


def printable(name: str) -> str:
    """The name without characters that have no shape, which XML and fonts refuse.

    >>> printable("a\\tb")
    'a�b'
    """
    return "".join(letter if letter.isprintable() else "�" for letter in name) or "�"


def cells(text: str) -> int:
    """How many columns a text takes, where East Asian letters take two.

    >>> cells("abc"), cells("年齢")
    (3, 4)
    """
    wide = [unicodedata.east_asian_width(letter) in "WF" for letter in text]
    return len(text) + sum(wide) - sum(bool(unicodedata.combining(letter)) for letter in text)


def shortened(name: str, longest: int = 28) -> str:
    """The name on one line, with its middle left out if it is too long.

    >>> shortened("adoption-of-the-budget-resolution", 20)
    'adoption-o…esolution'
    """
    text = printable(name)
    if cells(text) <= longest:
        return text
    head, tail = "", ""
    while cells(head) + cells(tail) < longest - 2:
        tail = text[len(text) - len(tail) - 1] + tail if len(head) > len(tail) else tail
        head = text[: len(head) + 1]
    return f"{head}…{tail}"


def broken(name: str) -> tuple[str, ...]:
    """The name in lines, broken after a space, a hyphen, an underscore, a dot or a slash.

    >>> broken("adoption-of-the-budget-resolution")
    ('adoption-of-the-', 'budget-resolution')
    >>> broken("smoke")
    ('smoke',)
    """
    lines = [""]
    for piece in re.findall(r"[^\s\-_./]*[\s\-_./]*", printable(name)):
        if lines[-1] and cells(lines[-1]) + cells(piece.rstrip()) > LONGEST_LINE:
            lines.append("")
        lines[-1] += piece
    lines = [line.strip() for line in lines]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], "…" + lines[-1]]
    return tuple(shortened(line, LONGEST_LINE) for line in lines)
