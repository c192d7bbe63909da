"""The graph and the junction tree: boxes, lines, tinted areas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chordlearn.network import ChordalNetwork
from chordlearn.report.palette import CLIQUE_COLOURS, DASHES, EDGE, INK, QUIET
from chordlearn.report.pictures.canvas import (
    POINTS_PER_PIXEL,
    need_matplotlib,
    new_sheet,
    text_width,
    write_lines,
)
from chordlearn.report.scenes import Box, graph_scene, tree_scene
from chordlearn.report.strengths import line_widths

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_graph(network: ChordalNetwork, strengths: Mapping[tuple[str, str], float] | None = None) -> Figure:
    """Draw the graph; the stronger an edge, the thicker its line.

    >>> from chordlearn.network import ChordalNetwork
    >>> figure = draw_graph(ChordalNetwork.from_cliques("abcd", ["abc", "cd"]), {("a", "b"): 0.2})
    >>> len(figure.axes)
    1
    """
    need_matplotlib()
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Polygon

    scene = graph_scene(network, text_width)
    figure, axes = new_sheet(scene.size)
    for area in scene.areas:
        colour = CLIQUE_COLOURS[area.colour]
        axes.add_patch(
            Polygon(
                area.outline,
                facecolor=to_rgba(colour, 0.13),
                edgecolor=to_rgba(colour, 0.75),
                linestyle=(0, DASHES[area.colour]) if DASHES[area.colour] else "solid",
                linewidth=1.1,
            )
        )
    widths = line_widths(network, strengths)
    for a, b in scene.edges:
        start, end = scene.boxes[a], scene.boxes[b]
        axes.plot(
            [start.x, end.x],
            [start.y, end.y],
            color=EDGE,
            linewidth=widths[network.variables[a], network.variables[b]] * POINTS_PER_PIXEL,
            solid_capstyle="round",
            zorder=2,
        )
    for box, near in zip(scene.boxes, network.graph, strict=True):
        draw_box(axes, box, isolated=not near)
    return figure


def draw_box(axes: Axes, box: Box, *, isolated: bool) -> None:
    """A variable; one without neighbours has a dashed frame."""
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (box.x - box.width / 2, box.y - box.height / 2),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=8",
            facecolor="#f3f4f6" if isolated else "white",
            edgecolor=QUIET if isolated else INK,
            linestyle=(0, (3, 2)) if isolated else "solid",
            linewidth=0.9,
            zorder=4,
        )
    )
    write_lines(axes, box)


def draw_junction_tree(network: ChordalNetwork) -> Figure:
    """Draw the junction tree, or the forest if the graph is not connected.

    >>> from chordlearn.network import ChordalNetwork
    >>> figure = draw_junction_tree(ChordalNetwork.from_cliques("abcd", ["abc", "cd"]))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['a', 'b', 'c', 'c', 'd', 'c']
    """
    need_matplotlib()
    from matplotlib.colors import to_rgba
    from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
    from matplotlib.path import Path

    scene = tree_scene(network, text_width)
    figure, axes = new_sheet(scene.size)
    for start, bend, bent, end in scene.routes:
        halfway = (bend[0] + bent[0]) / 2
        points = [start, bend, (halfway, bend[1]), (halfway, bent[1]), bent, end]
        codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        axes.add_patch(
            PathPatch(Path(points, codes), facecolor="none", edgecolor=QUIET, linewidth=1.2, zorder=1)
        )
    for box, colour in zip(scene.boxes, scene.colours, strict=True):
        frame = (box.x - box.width / 2, box.y - box.height / 2), box.width, box.height
        style = "round,pad=0,rounding_size=10"
        axes.add_patch(FancyBboxPatch(*frame, boxstyle=style, facecolor="white", linewidth=0, zorder=2))
        axes.add_patch(
            FancyBboxPatch(
                *frame,
                boxstyle=style,
                facecolor=to_rgba(CLIQUE_COLOURS[colour], 0.13),
                edgecolor=CLIQUE_COLOURS[colour],
                linestyle=(0, DASHES[colour]) if DASHES[colour] else "solid",
                linewidth=1.3,
                zorder=3,
            )
        )
        write_lines(axes, box)
    for middle in scene.separators:
        axes.add_patch(
            Rectangle(
                (middle.x - middle.width / 2, middle.y - middle.height / 2),
                middle.width,
                middle.height,
                facecolor="white",
                edgecolor=INK,
                linewidth=0.8,
                zorder=3,
            )
        )
        write_lines(axes, middle, style="italic")
    return figure
