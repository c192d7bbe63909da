"""What every picture needs: matplotlib, a sheet measured in pixels, texts, and a file at the end."""

from __future__ import annotations

import io
import os
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chordlearn.errors import InputError
from chordlearn.network.scenes import FONT_SIZE, INK, LINE_HEIGHT, Box, estimated_width
from chordlearn.network.tree_layout import Size
from chordlearn.report.outputs import check_picture
from chordlearn.system.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PIXELS_PER_INCH = 96.0
POINTS_PER_PIXEL = 72.0 / PIXELS_PER_INCH
DOTS_PER_INCH = 160
# Who made it, but not the dates and random ids that would make two equal pictures differ.
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": "chordlearn"},
    "svg": {"Creator": "chordlearn", "Date": None},
    "pdf": {"Creator": "chordlearn", "CreationDate": None},
}


def need_matplotlib() -> None:
    """Say how to get matplotlib if it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError(
            "Pictures need matplotlib; install it with: pip install 'chordlearn[plot]'."
        ) from None


def colormap(name: str) -> Any:
    """A colormap of matplotlib by its name."""
    need_matplotlib()
    import matplotlib

    try:
        return matplotlib.colormaps[name]
    except KeyError:
        raise InputError(f"There is no colormap {name!r}; use one of matplotlib, such as Blues.") from None


def new_figure(width: float, height: float) -> Figure:
    """A figure of this many pixels, tied to no global state."""
    need_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH), dpi=DOTS_PER_INCH)


def new_sheet(size: Size) -> tuple[Figure, Axes]:
    """A white sheet without axes whose coordinates are pixels, y downwards."""
    width, height = size
    figure = new_figure(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.set_axis_off()
    return figure, axes


def in_letters(size: Size, font_size: float) -> Size:
    """A size in inches as pixels of a sheet whose letters have their usual size."""
    scale = PIXELS_PER_INCH * FONT_SIZE * POINTS_PER_PIXEL / font_size
    return size[0] * scale, size[1] * scale


def scale_figure(figure: Figure, size: Size | None, font_size: float | None) -> None:
    """Scale a figure so that its names have a size in points, or that it fits into inches."""
    import numpy as np
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    width, height = figure.get_size_inches()
    scale = (font_size or 0.0) / (FONT_SIZE * POINTS_PER_PIXEL)
    if size is not None and (font_size is None or scale * max(width / size[0], height / size[1]) > 1 + 1e-9):
        scale = min(size[0] / width, size[1] / height)
    figure.set_size_inches(width * scale, height * scale)
    for artist in figure.findobj():
        if isinstance(artist, Text):
            artist.set_fontsize(float(artist.get_fontsize()) * scale)
        elif isinstance(artist, Patch | Line2D):
            artist.set_linewidth(artist.get_linewidth() * scale)
        elif isinstance(artist, LineCollection):
            artist.set_linewidth((np.asarray(artist.get_linewidth()) * scale).tolist())


@cache
def text_width(text: str) -> float:
    """The width of a text in the font of the pictures; an estimate for what the font lacks."""
    need_matplotlib()
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        width, _, _ = TextToPath().get_text_width_height_descent(text, FontProperties(size=FONT_SIZE), False)
    return max(float(width), estimated_width(text) * 0.75)


def write_lines(axes: Axes, box: Box, **style: Any) -> None:
    """Write the lines of a box around its centre."""
    look: dict[str, Any] = {"fontsize": FONT_SIZE * POINTS_PER_PIXEL, "color": INK, "zorder": 5, **style}
    top = box.y - LINE_HEIGHT * (len(box.lines) - 1) / 2
    for i, line in enumerate(box.lines):
        axes.text(
            box.x,
            top + i * LINE_HEIGHT,
            line,
            ha="center",
            va="center_baseline",
            # Dollar signs in names are dollar signs.
            parse_math=False,
            **look,
        )


def save_picture(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a picture as PNG, SVG or PDF, by the suffix; the same picture gives the same file.

    >>> import tempfile
    >>> from chordlearn.network.chordal import ChordalNetwork
    >>> from chordlearn.report.pictures import draw_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_picture(draw_graph(ChordalNetwork.from_cliques("abc", ["ab", "c"])), f"{folder}/graph.svg")
    """
    target = Path(path)
    check_picture(target)
    kind = target.suffix.lower()[1:]
    content = io.BytesIO()
    import matplotlib

    with warnings.catch_warnings(), matplotlib.rc_context({"svg.hashsalt": "chordlearn"}):
        # A letter that no font has is drawn as an empty box; a warning would add nothing.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(content, format=kind, facecolor="white", metadata=METADATA[kind])
    write_whole(target, content.getvalue())
