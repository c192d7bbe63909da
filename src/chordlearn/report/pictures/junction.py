"""The junction tree: round boxes are cliques, small square ones are separators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chordlearn.network import ChordalNetwork
from chordlearn.report.palette import CLIQUE_COLOURS, DASHES, INK, QUIET
from chordlearn.report.pictures.canvas import need_matplotlib, new_sheet, text_width, write_lines
from chordlearn.report.scenes import tree_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
