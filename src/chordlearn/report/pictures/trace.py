"""Score and bound over time: how a proof came about."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chordlearn.errors import InputError
from chordlearn.network.result import says_something
from chordlearn.network.scenes import INK, QUIET
from chordlearn.report.pictures.canvas import POINTS_PER_PIXEL, new_figure
from chordlearn.system.json import parse_json, read_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 820.0, 460.0
MOST_MARKERS = 40
FEW_RANGES = 2.0
"""Bounds are shown up to so many times the range of scores above the best one."""
SCORE_COLOUR, BOUND_COLOUR = "#0072B2", "#D55E00"


@dataclass(frozen=True)
class Event:
    """One line of a trace."""

    t: float
    """Seconds since the start."""
    stage: str
    score: float | None
    bound: float | None


def read_trace(path: str | os.PathLike[str]) -> tuple[Event, ...]:
    """Read what `chordlearn learn --trace FILE.jsonl` wrote."""
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InputError(f"The trace {os.fspath(path)} cannot be read: {reason}.") from None
    events = []
    for number, line in enumerate(lines, 1):
        try:
            events.append(_event(parse_json(line)))
        except (ValueError, KeyError, TypeError):
            if number == len(lines):
                # A run that is still going, or was killed, leaves its last line unfinished.
                continue
            raise InputError(
                f"Line {number} of {os.fspath(path)} is not of a trace; give the trace of chordlearn learn."
            ) from None
    return tuple(events)


def draw_trace(events: Sequence[Event]) -> Figure:
    """Draw score and bound as steps over the seconds, with the gap between them tinted.

    >>> events = [Event(0.1, "searching", -9.0, None), Event(0.3, "solving", -8.0, -7.0)]
    >>> [line.get_label() for line in draw_trace(events).axes[0].lines]
    ['score', 'bound']
    """
    scores = [(event.t, event.score) for event in events if event.score is not None]
    bounds = [(event.t, event.bound) for event in events if event.bound is not None]
    if not scores and not bounds:
        raise InputError("The trace holds neither a score nor a bound, so there is nothing to draw.")
    first = next(i for i, event in enumerate(events) if event.score is not None or event.bound is not None)
    events = events[max(0, first - 1) :]
    start, end = events[0].t, max(event.t for event in events)
    above = len(bounds)
    bounds = _near(bounds, scores)
    above -= len(bounds)
    figure = new_figure(WIDTH, HEIGHT)
    axes = figure.add_axes((0.12, 0.12, 0.70, 0.80))
    if scores and bounds:
        _fill_gap(axes, scores, bounds, end)
    _steps(axes, scores, end, "score", SCORE_COLOUR, "-", "o")
    _steps(axes, bounds, end, "bound", BOUND_COLOUR, "--", "s")
    _name_ends(axes, scores, bounds, end)
    if above:
        note = "bound far above the picture" + (f" until {bounds[0][0]:.0f} s" if bounds else "")
        axes.annotate(note, (0.01, 0.98), xycoords="axes fraction", va="top", fontsize=7, color=BOUND_COLOUR)
    _name_stages(axes, events)
    axes.set_xlim(start, end if end > start else start + 1.0)
    axes.set_xlabel("seconds", color=INK)
    axes.set_ylabel("score (natural logarithm)", color=INK)
    axes.ticklabel_format(useOffset=False, style="plain")
    axes.grid(axis="y", color="#e6e9ed", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.margins(y=0.12)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(QUIET)
    axes.tick_params(colors=INK, labelsize=12.0 * POINTS_PER_PIXEL)
    return figure


def _event(line: dict[str, Any]) -> Event:
    def number(value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not math.isfinite(value):
            raise ValueError
        return float(value)

    t = number(line["t"])
    if t is None:
        raise ValueError
    return Event(t, str(line["stage"]), number(line["score"]), number(line["bound"]))


Curve = list[tuple[float, float]]


def _near(bounds: Curve, scores: Curve) -> Curve:
    """The bounds without those so far above that they would flatten all else."""
    if not scores or not bounds:
        return bounds
    values = [score for _, score in scores]
    best = max(values)
    gap = bounds[-1][1] - best
    room = max(FEW_RANGES * (best - min(values)), 3 * gap if says_something(gap, best) else 0.0)
    return [(t, bound) for t, bound in bounds if bound - best <= room]


def _steps(axes: Axes, curve: Curve, end: float, label: str, colour: str, line: str, marker: str) -> None:
    if not curve:
        return
    changes = [point for i, point in enumerate(curve) if i == 0 or point[1] != curve[i - 1][1]]
    times, values = [t for t, _ in changes] + [end], [v for _, v in changes] + [changes[-1][1]]
    axes.plot(
        times,
        values,
        drawstyle="steps-post",
        color=colour,
        linestyle=line,
        linewidth=1.8,
        marker=marker if len(changes) <= MOST_MARKERS else None,
        markersize=4.5,
        markevery=list(range(len(changes))) if len(changes) <= MOST_MARKERS else None,
        label=label,
        clip_on=False,
    )


def _fill_gap(axes: Axes, scores: Curve, bounds: Curve, end: float) -> None:
    times = sorted({t for t, _ in (*scores, *bounds) if t >= max(scores[0][0], bounds[0][0])} | {end})
    low = [_at(scores, t) for t in times]
    high = [_at(bounds, t) for t in times]
    axes.fill_between(times, low, high, step="post", color=QUIET, alpha=0.12, linewidth=0)


def _at(curve: Curve, time: float) -> float:
    return [value for t, value in curve if t <= time][-1]


def _name_ends(axes: Axes, scores: Curve, bounds: Curve, end: float) -> None:
    """Name each curve at its right end, so that nobody needs a legend."""
    size = 12.0 * POINTS_PER_PIXEL
    last = {"score": scores[-1][1] if scores else None, "bound": bounds[-1][1] if bounds else None}
    score, bound = last["score"], last["bound"]
    values = [value for _, value in (*scores, *bounds)]
    spread = (max(values) - min(values)) or 1.0
    close = score is not None and bound is not None and bound - score < 0.12 * spread
    offsets = {"bound": 16 if close else 0, "score": -16 if close else 0}
    for name, value in last.items():
        if value is not None:
            colour = SCORE_COLOUR if name == "score" else BOUND_COLOUR
            axes.annotate(
                f"{name} {value:.4f}".replace("-", "−"),
                (end, value),
                xytext=(10, offsets[name] * POINTS_PER_PIXEL),
                textcoords="offset points",
                va="center",
                fontsize=size,
                color=colour,
                annotation_clip=False,
            )


def _name_stages(axes: Axes, events: Sequence[Event]) -> None:
    """Tick the start of each stage above the curves; a name that would run into another is left out."""
    start = events[0].t
    length = events[-1].t - start or 1.0
    free = -1.0
    for before, event in zip((None, *events), events, strict=False):
        if before is not None and before.stage == event.stage:
            continue
        x = (event.t - start) / length
        axes.axvspan(event.t, event.t, color="#c9ced6", linewidth=0.8, zorder=0)
        if x >= free:
            axes.text(
                event.t,
                1.02,
                event.stage,
                transform=axes.get_xaxis_transform(),
                fontsize=11.0 * POINTS_PER_PIXEL,
                color=QUIET,
                parse_math=False,
            )
            free = x + 0.016 * len(event.stage) + 0.01
