"""A number for each pair of variables, as a triangle of tinted cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from chordlearn.errors import InputError
from chordlearn.report.labels import shortened
from chordlearn.report.palette import INK, QUIET
from chordlearn.report.pictures.canvas import POINTS_PER_PIXEL, need_matplotlib, new_figure, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_WITH_NUMBERS = 20
MOST_WITH_FULL_TEXT = 30
LONGEST_LABEL = 26
LONGEST_CAPTION_LINE = 22
FEW = 8
MARGIN = 14.0


def draw_heatmap(
    variables: Sequence[str],
    values: Mapping[tuple[str, str], float],
    label: str,
    *,
    largest: float | None = None,
) -> Figure:
    """Draw a number per pair of variables; a pair that has none stays empty.

    Parameters
    ----------
    variables
        In the order of rows and columns.
    values
        From a pair, in either order, to a number from 0 up: a strength, or a share of bootstrap samples.
    label
        What the numbers are; stands above the scale.
    largest
        The upper end of the scale; by default the largest value.

    Examples
    --------
    >>> figure = draw_heatmap("abc", {("a", "b"): 0.9, ("b", "c"): 0.2}, "share of samples", largest=1.0)
    >>> [text.get_text() for text in figure.axes[0].texts], figure.texts[0].get_text()
    (['.90', '.20'], 'share of samples')
    """
    need_matplotlib()
    import numpy as np

    place = {name: i for i, name in enumerate(variables)}
    n = len(place)
    if n < 2:
        raise InputError("A heatmap shows pairs, but there are fewer than two variables.")
    matrix = np.full((n, n), np.nan)
    for (a, b), value in values.items():
        matrix[max(place[a], place[b]), min(place[a], place[b])] = value
    top = largest if largest is not None else float(np.nanmax(matrix, initial=0.0)) or 1.0

    cell = 42.0 if n <= MOST_WITH_NUMBERS else 24.0 if n <= MOST_WITH_FULL_TEXT else 17.0
    font = 12.0 if n <= MOST_WITH_FULL_TEXT else 11.0
    texts = [shortened(name, LONGEST_LABEL) for name in variables]
    room = max(map(text_width, texts)) * font / 13.0 + 2 * MARGIN
    side = cell * n
    bar = 14.0
    caption = fill(label, LONGEST_CAPTION_LINE)
    above = MARGIN + 16.0 * (caption.count("\n") + 1)
    tall = min(max(0.4 * side, 110.0), 220.0)
    # Beside the lower triangle the upper one is free, and takes the scale unless it is too small.
    aside = 0.0 if n >= FEW else 60.0
    width = room + side + MARGIN + 60.0 + aside
    height = max(side + MARGIN, above + tall) + room
    figure = new_figure(width, height)
    axes = figure.add_axes((room / width, room / height, side / width, side / height))
    from matplotlib import colormaps

    colours = colormaps["cividis_r"]
    image = axes.imshow(matrix, cmap=colours, vmin=0.0, vmax=top, interpolation="nearest")
    axes.set_xticks(range(n), texts, rotation=90, fontsize=font * POINTS_PER_PIXEL, parse_math=False)
    axes.set_yticks(range(n), texts, fontsize=font * POINTS_PER_PIXEL, parse_math=False)
    axes.tick_params(length=0, colors=INK, pad=4)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for i in range(n + 1):
        axes.plot([-0.5, min(i, n - 1) + 0.5], [i - 0.5, i - 0.5], color="#dfe3e8", linewidth=0.6, zorder=1)
        axes.plot(
            [i - 0.5, i - 0.5], [max(i - 1, 0) - 0.5, n - 0.5], color="#dfe3e8", linewidth=0.6, zorder=1
        )
    if n <= MOST_WITH_NUMBERS:
        for i in range(n):
            for j in range(i):
                if not np.isnan(matrix[i, j]):
                    red, green, blue, _ = colours(matrix[i, j] / top)
                    dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
                    axes.text(
                        j,
                        i,
                        _number(float(matrix[i, j]), top),
                        ha="center",
                        va="center",
                        fontsize=10.0 * POINTS_PER_PIXEL,
                        color="white" if dark else INK,
                    )
    left = width - MARGIN - 46.0 - bar
    scale = figure.add_axes((left / width, 1.0 - (above + tall) / height, bar / width, tall / height))
    figure.colorbar(image, cax=scale)
    figure.text(
        1.0 - MARGIN / width,
        1.0 - (above - 6.0) / height,
        caption,
        ha="right",
        va="bottom",
        fontsize=font * POINTS_PER_PIXEL,
        color=INK,
        parse_math=False,
    )
    scale.tick_params(labelsize=10.0 * POINTS_PER_PIXEL, colors=QUIET)
    return figure


def _number(value: float, top: float) -> str:
    """As few digits as tell the cells apart, given the upper end of the scale.

    >>> _number(0.9, 1.0), _number(0.05, 1.0), _number(0.01234, 0.2), _number(12.3, 20.0), _number(1.0, 1.0)
    ('.90', '.05', '.012', '12', '1')
    """
    if value >= 10 or value == round(value):
        return f"{value:.0f}"
    return f"{value:.{2 if top >= 0.5 else 3}f}".removeprefix("0")
