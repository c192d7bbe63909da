"""The graph and the junction tree with matplotlib's pen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.scenes import (
    CLIQUE_COLOURS,
    DASHES,
    EDGE_COLOUR,
    INK,
    LACKING,
    QUIET,
    Scene,
    Shape,
    Strengths,
    filling,
    graph_scene,
    tree_scene,
)
from chordlearn.network.tree_layout import Size
from chordlearn.report.pictures.canvas import POINTS_PER_PIXEL, colormap, new_sheet, text_width, write_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch


MOST_LABELS = 60
PALEST = 0.25
"""Of a colormap, so that weak edges show on paper."""


def draw_graph(
    network: ChordalNetwork,
    strengths: Strengths | None = None,
    *,
    labelled: bool = False,
    tinted: bool = True,
    colours: str | None = None,
    size: Size | None = None,
) -> Figure:
    """Draw the graph; the stronger an edge, the thicker its line, and what has no strength is left out.

    Labelled edges say how strong they are. ``size`` is in pixels, which the graph is drawn apart or together
    to fill.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> figure = draw_graph(ChordalNetwork.from_cliques("abcd", ["abc", "cd"]), {("a", "b"): 0.2})
    >>> len(figure.axes)
    1
    """
    scene = graph_scene(network, strengths, text_width)
    if size is not None:
        scene = filling(scene, size)
    numbers = {frozenset(edge): number for edge, number in (strengths or {}).items()}
    lacking = set() if strengths is None else {frozenset(edge) for edge in network.edges} - numbers.keys()
    kept = [
        shape for shape in scene.shapes if not _lacks(shape, lacking) and (tinted or shape.kind != "area")
    ]
    figure = _draw(Scene(scene.size, tuple(kept)))
    if strengths:
        edges = [
            (shape, patch)
            for shape, patch in zip(kept, figure.axes[0].patches, strict=True)
            if shape.kind == "edge"
        ]
        if colours is not None:
            colour_of, largest = colormap(colours), max(numbers.values()) or 1.0
            for edge, patch in edges:
                share = max(0.0, numbers[frozenset(edge.names)]) / largest
                patch.set_edgecolor(colour_of(PALEST + (1 - PALEST) * share))
        if labelled and len(edges) <= MOST_LABELS:
            for edge, _ in edges:
                (x1, y1), (x2, y2) = edge.points
                frame = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 0.8}
                look: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "bbox": frame}
                number = f"{numbers[frozenset(edge.names)]:.2f}"
                figure.axes[0].text((x1 + x2) / 2, (y1 + y2) / 2, number, fontsize=7, zorder=1e4, **look)
    return figure


def _lacks(shape: Shape, lacking: set[frozenset[str]]) -> bool:
    return shape.kind in ("edge", "area") and any(edge <= set(shape.names) for edge in lacking)


def draw_junction_tree(network: ChordalNetwork) -> Figure:
    """Draw the junction tree, or the forest if the graph is not connected.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> figure = draw_junction_tree(ChordalNetwork.from_cliques("abcd", ["abc", "cd"]))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['a', 'b', 'c', 'c', 'd', 'c']
    """
    return _draw(tree_scene(network, text_width))


def _draw(scene: Scene) -> Figure:
    figure, axes = new_sheet(scene.size)
    for order, shape in enumerate(scene.shapes, start=1):
        axes.add_patch(_patch(shape)).set_zorder(order)
        if shape.box is not None:
            style = "italic" if shape.kind == "separator" else "normal"
            write_lines(axes, shape.box, style=style, zorder=order)
    return figure


def _patch(shape: Shape) -> Patch:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path

    tint, dashes = CLIQUE_COLOURS[shape.colour], DASHES[shape.colour]
    tinted: dict[str, Any] = {
        "facecolor": to_rgba(tint, 0.13),
        "linestyle": (0, dashes) if dashes else "solid",
    }
    if shape.kind == "area":
        return Polygon(shape.points, edgecolor=to_rgba(tint, 0.75), linewidth=1.1, **tinted)
    if shape.kind == "edge":
        width = shape.width * POINTS_PER_PIXEL
        style: Any = (0, LACKING) if shape.dashed else "solid"
        return PathPatch(Path(shape.points), edgecolor=EDGE_COLOUR, linewidth=width, linestyle=style)
    if shape.kind == "link":
        start, bend, bent, end = shape.points
        halfway = (bend[0] + bent[0]) / 2
        points = [start, bend, (halfway, bend[1]), (halfway, bent[1]), bent, end]
        codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        return PathPatch(Path(points, codes), facecolor="none", edgecolor=QUIET, linewidth=1.2)
    box = shape.box
    look: dict[str, Any] = {"facecolor": "white", "edgecolor": INK, "linewidth": 0.8}
    assert box is not None
    if shape.kind == "clique":
        light = tuple(1 - 0.13 * (1 - part) for part in to_rgba(tint)[:3])
        look = {**tinted, "facecolor": light, "edgecolor": tint, "linewidth": 1.3}
    elif shape.isolated:
        look |= {"facecolor": "#f3f4f6", "edgecolor": QUIET, "linestyle": (0, (3, 2))}
    radius = {"variable": 8, "clique": 10}.get(shape.kind)
    frame = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
    corner = (box.x - box.width / 2, box.y - box.height / 2)
    return FancyBboxPatch(corner, box.width, box.height, boxstyle=frame, **look)
