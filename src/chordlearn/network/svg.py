"""A scene as SVG, which looks the same alone as on a page whose style and script bring it to life."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from chordlearn.network.scenes import (
    CLIQUE_COLOURS,
    DASHES,
    EDGE_COLOUR,
    INK,
    LACKING,
    LINE_HEIGHT,
    QUIET,
    Box,
    Scene,
    Shape,
    printable,
)
from chordlearn.network.tree_layout import Point

LARGEST_SCALE = 1.35
ROOM = 840.0
"""Pixels; a drawing that needs less is enlarged."""
RADIUS = {"variable": 8, "clique": 10, "separator": 0}
CHOSEN = ("area", "variable", "clique")
"""What can be chosen with the keyboard."""


def svg_of(scene: Scene, title: str, name: str = "") -> str:
    """The scene as one SVG element.

    On a page it has a name, and every shape says in a data attribute which variable, edge, clique or
    separator it shows. Elsewhere the full names are tooltips.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> from chordlearn.network.scenes import graph_scene
    >>> svg = svg_of(graph_scene(ChordalNetwork.from_cliques(["a<b", "c"], [["a<b", "c"]])), "two", "graph")
    >>> svg.count('class="variable"'), "a&lt;b" in svg, "a<b" in svg
    (2, True, False)
    """
    width, height = scene.size
    scale = max(1.0, min(LARGEST_SCALE, ROOM / width))
    own = f'id="{name}" role="group"' if name else 'role="img"'
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {own} class="drawing" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width * scale:.0f}" '
            f'height="{height * scale:.0f}" aria-label="{escape(title)}" text-anchor="middle" font-size="13" '
            'font-family="Helvetica Neue, Arial, sans-serif">',
            *(_element(shape, on_page=bool(name)) for shape in scene.shapes),
            "</svg>",
        ]
    )


def _element(shape: Shape, *, on_page: bool) -> str:
    start = f'class="{_classes(shape)}"{_marks(shape) if on_page else ""}'
    if shape.kind == "area":
        colour = CLIQUE_COLOURS[shape.colour]
        look = f'fill="{colour}" fill-opacity=".13" stroke="{colour}"{_dashes(DASHES[shape.colour])}'
        outline = "L".join(map(_at, shape.points))
        return f'<path {start} d="M{outline}Z" {look}/>'
    if shape.kind == "link":
        return f'<path {start} d="{_bend(shape.points)}" fill="none" stroke="{QUIET}"/>'
    if shape.kind == "edge":
        (x1, y1), (x2, y2) = shape.points
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        dashes = _dashes(LACKING) if shape.dashed else ""
        reach = f'<line class="reach" {ends}/>' if on_page else ""
        look = f'stroke="{EDGE_COLOUR}" stroke-width="{shape.width:.2f}"{dashes}'
        return f"<g {start}>{reach}<line {ends} {look}/></g>"
    assert shape.box is not None
    tooltip = ""
    if shape.kind == "separator" or not on_page:
        tooltip = f"<title>{_about(shape)}</title>"
    return f"<g {start}>{tooltip}{_frame(shape, shape.box)}{_words(shape.box)}</g>"


def _classes(shape: Shape) -> str:
    colour = f" colour-{shape.colour}" if shape.kind in ("area", "clique") else ""
    return f"{shape.kind}{colour}{' isolated' if shape.isolated else ''}"


def _marks(shape: Shape) -> str:
    """What scripts and screen readers need to know about a shape."""
    if shape.kind == "link":
        return ""
    what = "clique" if shape.kind == "area" else shape.kind
    focus = f' tabindex="0" role="button" aria-label="{_about(shape)}"' if shape.kind in CHOSEN else ""
    return f' data-{what}="{shape.number}"{focus}'


def _about(shape: Shape) -> str:
    what = "clique" if shape.kind == "area" else shape.kind
    # The name of what can be chosen begins as what one reads.
    seen = f"{' '.join(shape.box.lines)}, " if shape.kind in CHOSEN and shape.box is not None else ""
    return escape(f"{seen}{what} {printable(', '.join(shape.names))}")


def _frame(shape: Shape, box: Box) -> str:
    dashes = DASHES[shape.colour] if shape.kind == "clique" else (4, 3) if shape.isolated else ()
    colour = CLIQUE_COLOURS[shape.colour] if shape.kind == "clique" else QUIET if shape.isolated else INK
    return (
        f'<rect x="{box.x - box.width / 2:.1f}" y="{box.y - box.height / 2:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{RADIUS[shape.kind]}" fill="white" '
        f'stroke="{colour}"{_dashes(dashes)}/>'
    )


def _words(box: Box) -> str:
    first = box.y - LINE_HEIGHT * (len(box.lines) - 1) / 2 + 4.5
    return " ".join(
        f'<text x="{box.x:.1f}" y="{first + i * LINE_HEIGHT:.1f}">{escape(line)}</text>'
        for i, line in enumerate(box.lines)
    )


def _dashes(lengths: Sequence[int]) -> str:
    return f' stroke-dasharray="{" ".join(map(str, lengths))}"' if lengths else ""


def _bend(points: Sequence[Point]) -> str:
    start, bend, bent, end = points
    half = (bend[0] + bent[0]) / 2
    curve = f"{_at((half, bend[1]))} {_at((half, bent[1]))} {_at(bent)}"
    return f"M{_at(start)}L{_at(bend)}C{curve}L{_at(end)}"


def _at(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"
