"""A number for each pair of variables, as a triangle of tinted cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from chordlearn.errors import InputError
from chordlearn.network.scenes import INK, QUIET, shortened
from chordlearn.report.pictures.canvas import (
    POINTS_PER_PIXEL,
    colormap,
    need_matplotlib,
    new_figure,
    text_width,
)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MOST_WITH_NUMBERS = 20
MOST_WITH_FULL_TEXT = 30
LONGEST_LABEL = 26
LONGEST_CAPTION_LINE = 22
FEW = 8
MARGIN = 14.0
BAR_WIDTH, BAR_ROOM = 14.0, 60.0
SMALL = 10.0 * POINTS_PER_PIXEL


def draw_heatmap(
    variables: Sequence[str],
    values: Mapping[tuple[str, str], float],
    label: str,
    *,
    largest: float | None = None,
    colours: str | None = None,
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
    colours
        A colormap of matplotlib; by default the larger a number, the darker its cell.

    Examples
    --------
    >>> figure = draw_heatmap("abc", {("a", "b"): 0.9, ("b", "c"): 0.2}, "share of samples", largest=1.0)
    >>> [text.get_text() for text in figure.axes[0].texts], figure.texts[0].get_text()
    (['.90', '.20'], 'share of samples')
    """
    if len(variables) < 2:
        raise InputError("A heatmap shows pairs, but there are fewer than two variables.")
    need_matplotlib()
    import numpy as np

    place = {name: i for i, name in enumerate(variables)}
    matrix = np.full((len(place), len(place)), np.nan)
    for (a, b), value in values.items():
        matrix[max(place[a], place[b]), min(place[a], place[b])] = value
    top = largest if largest is not None else float(np.nanmax(matrix, initial=0.0)) or 1.0
    sheet = _Sheet.of(variables, fill(label, LONGEST_CAPTION_LINE))
    figure = new_figure(sheet.width, sheet.height)
    image = _draw_cells(
        sheet.place(figure, sheet.room, sheet.room, sheet.side, sheet.side), matrix, top, sheet, colours
    )
    if len(place) <= MOST_WITH_NUMBERS:
        _write_numbers(image, matrix, top)
    _draw_scale(figure, image, sheet)
    return figure


@dataclass(frozen=True)
class _Sheet:
    """How large everything is, in pixels."""

    labels: list[str]
    font: float
    caption: str
    room: float
    """For the labels of rows, and of columns."""
    side: float
    above: float
    """For the caption, which is above the scale."""
    tall: float
    """The scale."""

    @classmethod
    def of(cls, variables: Sequence[str], caption: str) -> _Sheet:
        n = len(variables)
        cell = 42.0 if n <= MOST_WITH_NUMBERS else 24.0 if n <= MOST_WITH_FULL_TEXT else 17.0
        font = 12.0 if n <= MOST_WITH_FULL_TEXT else 11.0
        labels = [shortened(name, LONGEST_LABEL) for name in variables]
        room = max(map(text_width, labels)) * font / 13.0 + 2 * MARGIN
        above = MARGIN + 16.0 * (caption.count("\n") + 1)
        tall = min(max(0.4 * cell * n, 110.0), 220.0)
        return cls(labels, font * POINTS_PER_PIXEL, caption, room, cell * n, above, tall)

    @property
    def width(self) -> float:
        # Beside the lower triangle the upper one is free, and takes the scale unless it is too small.
        return self.room + self.side + MARGIN + BAR_ROOM * (1 if len(self.labels) >= FEW else 2)

    @property
    def height(self) -> float:
        return max(self.side + MARGIN, self.above + self.tall) + self.room

    def place(self, figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
        """Axes there."""
        share = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        return figure.add_axes(share)


def _draw_cells(axes: Axes, matrix: Matrix, top: float, sheet: _Sheet, colours: str | None) -> AxesImage:
    n = len(matrix)
    image = axes.imshow(
        matrix, cmap=colormap(colours or "Blues"), vmin=0.0, vmax=top, interpolation="nearest"
    )
    look: dict[str, Any] = {"fontsize": sheet.font, "parse_math": False}
    axes.set_xticks(range(n), sheet.labels, rotation=90, **look)
    axes.set_yticks(range(n), sheet.labels, **look)
    axes.tick_params(length=0, colors=INK, pad=4)
    axes.spines[:].set_visible(False)
    ends = [i - 0.5 for i in range(n + 1)]
    line: dict[str, Any] = {"color": "#dfe3e8", "linewidth": 0.6, "zorder": 1}
    axes.hlines(ends, -0.5, [min(end + 1, n - 0.5) for end in ends], **line)
    axes.vlines(ends, [max(end - 1, -0.5) for end in ends], n - 0.5, **line)
    return image


def _write_numbers(image: AxesImage, matrix: Matrix, top: float) -> None:
    import numpy as np

    for i, j in np.argwhere(~np.isnan(matrix)):
        value = float(matrix[i, j])
        red, green, blue, _ = image.cmap(value / top)
        colour = "white" if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else INK
        image.axes.text(j, i, _number(value, top), ha="center", va="center", fontsize=SMALL, color=colour)


def _draw_scale(figure: Figure, image: AxesImage, sheet: _Sheet) -> None:
    left, bottom = sheet.width - BAR_ROOM - MARGIN, sheet.height - sheet.above - sheet.tall
    scale = sheet.place(figure, left, bottom, BAR_WIDTH, sheet.tall)
    figure.colorbar(image, cax=scale)
    scale.tick_params(labelsize=SMALL, colors=QUIET)
    x, y = 1.0 - MARGIN / sheet.width, 1.0 - (sheet.above - 6.0) / sheet.height
    look: dict[str, Any] = {"fontsize": sheet.font, "color": INK, "parse_math": False}
    figure.text(x, y, sheet.caption, ha="right", va="bottom", **look)


def _number(value: float, top: float) -> str:
    """As few digits as distinguish the cells, given the upper end of the scale.

    >>> _number(0.9, 1.0), _number(0.05, 1.0), _number(0.01234, 0.2), _number(12.3, 20.0), _number(1.0, 1.0)
    ('.90', '.05', '.012', '12', '1')
    """
    if value >= 10 or value == round(value):
        return f"{value:.0f}"
    return f"{value:.{2 if top >= 0.5 else 3}f}".removeprefix("0")
