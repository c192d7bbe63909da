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
    graph_scene,
    tree_scene,
)
from chordlearn.report.pictures.canvas import POINTS_PER_PIXEL, new_sheet, text_width, write_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch


MOST_LABELS = 60


def draw_graph(
    network: ChordalNetwork, strengths: Strengths | None = None, *, labelled: bool = False
) -> Figure:
    """Draw the graph; the stronger an edge, the thicker its line, and labelled it says how strong it is.

    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> figure = draw_graph(ChordalNetwork.from_cliques("abcd", ["abc", "cd"]), {("a", "b"): 0.2})
    >>> len(figure.axes)
    1
    """
    scene = graph_scene(network, strengths, text_width)
    figure = _draw(scene)
    edges = [shape for shape in scene.shapes if shape.kind == "edge"]
    if labelled and strengths and len(edges) <= MOST_LABELS:
        for edge in edges:
            (x1, y1), (x2, y2) = edge.points
            a, b = edge.names
            share = strengths.get((a, b), strengths.get((b, a), 0.0))
            frame = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 0.8}
            look: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "bbox": frame}
            figure.axes[0].text((x1 + x2) / 2, (y1 + y2) / 2, f"{share:.2f}", fontsize=7, zorder=1e4, **look)
    return figure


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
