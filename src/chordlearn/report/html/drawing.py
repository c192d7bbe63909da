"""The graph and the junction tree as SVG that a script can bring to life.

Every element says in a data attribute which variable, edge, clique or separator it shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from chordlearn.network import ChordalNetwork
from chordlearn.report.html.sections import text
from chordlearn.report.palette import DASHES
from chordlearn.report.scenes import LINE_HEIGHT, Box, Point, graph_scene, tree_scene
from chordlearn.report.strengths import Strengths, line_widths

LARGEST_SCALE = 1.35
ROOM = 840.0
"""Pixels; a drawing that needs less is enlarged."""


def graph_svg(network: ChordalNetwork, strengths: Strengths | None) -> str:
    """The graph: areas of cliques, edges, variables.

    >>> svg = graph_svg(ChordalNetwork.from_cliques(["a<b", "c"], [["a<b", "c"]]), None)
    >>> svg.count('class="variable"'), "a&lt;b" in svg, "a<b" in svg
    (2, True, False)
    """
    scene = graph_scene(network)
    widths = line_widths(network, strengths)
    parts = [_opening("graph", "The network", scene.size)]
    for area in scene.areas:
        members = ", ".join(network.cliques[area.clique])
        parts.append(
            f'<path class="area colour-{area.colour}" data-clique="{area.clique}" tabindex="0" role="button" '
            f'aria-label="clique {text(members)}" d="{_outline(area.outline)}"{_dashes(area.colour)}/>'
        )
    for number, (a, b) in enumerate(scene.edges):
        (start, end), names = (scene.boxes[a], scene.boxes[b]), (network.variables[a], network.variables[b])
        ends = f'x1="{start.x:.1f}" y1="{start.y:.1f}" x2="{end.x:.1f}" y2="{end.y:.1f}"'
        parts.append(
            f'<g class="edge" data-edge="{number}"><line class="reach" {ends}/>'
            f'<line {ends} stroke-width="{widths[names]:.2f}"/></g>'
        )
    for i, (box, near) in enumerate(zip(scene.boxes, network.graph, strict=True)):
        alone = "" if near else " isolated"
        parts.append(
            f'<g class="variable{alone}" data-variable="{i}" tabindex="0" role="button" '
            f'aria-label="variable {text(network.variables[i])}">{_frame(box, 8)}{_words(box)}</g>'
        )
    return "".join([*parts, "</svg>"])


def tree_svg(network: ChordalNetwork) -> str:
    """The junction tree: cliques are round boxes, separators square ones.

    >>> tree_svg(ChordalNetwork.from_cliques("abc", ["ab", "bc"])).count('class="separator"')
    1
    """
    scene = tree_scene(network)
    parts = [_opening("tree", "The junction tree", scene.size)]
    for start, bend, bent, end in scene.routes:
        half = (bend[0] + bent[0]) / 2
        parts.append(
            f'<path class="link" d="M{_at(start)}L{_at(bend)}C{_at((half, bend[1]))} {_at((half, bent[1]))} '
            f'{_at(bent)}L{_at(end)}"/>'
        )
    for i, (box, colour) in enumerate(zip(scene.boxes, scene.colours, strict=True)):
        parts.append(
            f'<g class="clique colour-{colour}" data-clique="{i}" tabindex="0" role="button" '
            f'aria-label="clique {text(", ".join(network.cliques[i]))}">'
            f"{_frame(box, 10, _dashes(colour))}{_words(box)}</g>"
        )
    for i, (box, edge) in enumerate(zip(scene.separators, network.junction_tree, strict=True)):
        parts.append(
            f'<g class="separator" data-separator="{i}">'
            f"<title>separator {text(', '.join(edge.separator))}</title>{_frame(box, 0)}{_words(box)}</g>"
        )
    return "".join([*parts, "</svg>"])


def _opening(name: str, title: str, size: tuple[float, float]) -> str:
    width, height = size
    scale = max(1.0, min(LARGEST_SCALE, ROOM / width))
    return (
        f'<svg id="{name}" class="drawing" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width * scale:.0f}" height="{height * scale:.0f}" role="group" aria-label="{title}">'
    )


def _frame(box: Box, radius: int, more: str = "") -> str:
    return (
        f'<rect x="{box.x - box.width / 2:.1f}" y="{box.y - box.height / 2:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{radius}"{more}/>'
    )


def _words(box: Box) -> str:
    first = box.y - LINE_HEIGHT * (len(box.lines) - 1) / 2 + 4.5
    return "".join(
        f'<text x="{box.x:.1f}" y="{first + i * LINE_HEIGHT:.1f}">{text(line)}</text>'
        for i, line in enumerate(box.lines)
    )


def _dashes(colour: int) -> str:
    return f' stroke-dasharray="{" ".join(map(str, DASHES[colour]))}"' if DASHES[colour] else ""


def _outline(points: Sequence[Point]) -> str:
    return "M" + "L".join(map(_at, points)) + "Z"


def _at(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"
