"""Pictures of the records of `chordlearn table1`: how many settings each solver proved, and input sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chordlearn.errors import InputError
from chordlearn.network.scenes import INK
from chordlearn.report.pictures.canvas import POINTS_PER_PIXEL, new_figure
from chordlearn.report.table1 import ROWS, Record, latest, seconds_of, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 960.0, 560.0
LEAST_SECONDS = 0.01


def draw_cactus(records: Sequence[Record]) -> Figure:
    """For each solver, the seconds of its proofs in rising order.

    >>> one = {"backend": "sat", "data": "heart", "encoding": "edges", "reduce": True}
    >>> axes = draw_cactus([one | {"status": "optimal", "seconds": 2.0}]).axes[0]
    >>> axes.lines[0].get_ydata().tolist()
    [2.0]
    """
    figure, axes = _axes("settings proved", "seconds")
    proved = [record for record in latest(records) if record["status"] == "optimal"]
    if not proved:
        raise InputError("None of these records is of a proof, so there is nothing to draw.")
    curves = {
        row.label: sorted(seconds_of(record) for record in proved if record["backend"] == row.backend)
        for row in ROWS
    }
    drawn = sorted((curve, name) for name, curve in curves.items() if curve)
    for position, (curve, name) in enumerate(sorted(drawn, key=lambda one: (-len(one[0]), one[0][-1]))):
        shown = [max(LEAST_SECONDS, seconds) for seconds in curve]
        style, marker = ("-", "--", ":")[position // 7 % 3], "osD^vP*"[position % 7]
        axes.plot(range(1, len(shown) + 1), shown, linestyle=style, marker=marker, markersize=5, label=name)
    axes.set_yscale("log")
    axes.set_xticks(range(1, max(len(curve) for curve, _ in drawn) + 1))
    axes.legend(
        fontsize=12.0 * POINTS_PER_PIXEL, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False
    )
    return figure


def draw_sizes(records: Sequence[Record]) -> Figure:
    """For each setting, how large the input of each solver was.

    >>> one = {"backend": "sat", "data": "heart", "encoding": "edges", "reduce": True}
    >>> figure = draw_sizes([one | {"status": "none", "seconds": 2.0, "input_bytes": 4000}])
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['heart, edges, reduced']
    """
    figure, axes = _axes("size of the input in bytes", "")
    sized = [record for record in latest(records) if record.get("input_bytes")]
    if not sized:
        raise InputError("None of these records says how large an input was, so there is nothing to draw.")
    settings = sorted({title(record) for record in sized}, reverse=True)
    for position, row in enumerate(ROWS):
        own = [record for record in sized if record["backend"] == row.backend]
        places = [settings.index(title(record)) for record in own]
        sizes = [record["input_bytes"] for record in own]
        axes.plot(sizes, places, "osD^vP*"[position % 7], alpha=0.75, label=row.label if own else None)
    axes.set_yticks(range(len(settings)), settings)
    axes.set_xscale("log")
    axes.legend(
        fontsize=12.0 * POINTS_PER_PIXEL, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False
    )
    return figure


def _axes(across: str, up: str) -> tuple[Figure, Axes]:
    figure = new_figure(WIDTH, HEIGHT)
    axes = figure.add_axes((0.19 if not up else 0.08, 0.11, 0.56 if not up else 0.65, 0.84))
    axes.set_xlabel(across, color=INK)
    axes.set_ylabel(up, color=INK)
    axes.grid(color="#e6e9ed", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, labelsize=12.0 * POINTS_PER_PIXEL)
    return figure, axes
