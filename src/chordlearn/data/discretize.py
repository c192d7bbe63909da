"""Gathering the numbers of a column into a few intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import MISSING, Column, recode
from chordlearn.data.naming import position_of
from chordlearn.errors import InputError

_METHOD = re.compile(r"(quantile|width):([0-9]{1,4})|keep")


@dataclass(frozen=True)
class Method:
    """How to cut one column: `quantile` (equal counts), `width` (equal lengths) or `keep` (not at all)."""

    kind: str
    bins: int = 0

    @classmethod
    def parse(cls, text: str) -> Method:
        """Read `quantile:4`, `width:5` or `keep`."""
        match = _METHOD.fullmatch(text.strip())
        if not match or (match[2] and not 2 <= int(match[2]) <= 1000):
            raise InputError(
                f"--discretize does not understand {text!r}; "
                "write quantile:4, width:5 (2 to 1000 intervals) or COLUMN=quantile:4."
            )
        return cls(match[1], int(match[2])) if match[2] else cls("keep")


@dataclass(frozen=True)
class Plan:
    """Methods by column name, and one for every other column that looks continuous."""

    named: Mapping[str, Method]
    default: Method | None = None

    def may_cut(self, name: str) -> bool:
        """Whether the column of this name may be cut into intervals."""
        method = self.named.get(name, self.default)
        return method is not None and method.kind != "keep"


def parse_plan(text: str | Mapping[str, str] | None, names: Sequence[str]) -> Plan:
    """Read what `discretize` asks for.

    >>> parse_plan("quantile:4", ["age"])
    Plan(named={}, default=Method(kind='quantile', bins=4))
    >>> parse_plan("age=width:5, year=keep", ["age", "year"]).named["age"]
    Method(kind='width', bins=5)
    """
    if text is None:
        return Plan({})
    if isinstance(text, Mapping):
        pairs = [(str(name), str(method)) for name, method in text.items()]
        default = None
    else:
        items = [item.strip() for item in text.split(",") if item.strip()]
        pairs = [(name.strip(), method) for name, eq, method in (i.rpartition("=") for i in items) if eq]
        defaults = [item for item in items if "=" not in item]
        if len(defaults) > 1 or not items:
            Method.parse(text)
        default = Method.parse(defaults[0]) if defaults else None
    for name, _ in pairs:
        position_of(name, names, "discretize")
    return Plan({name: Method.parse(method) for name, method in pairs}, default)


def cut_column(column: Column, method: Method) -> Column:
    """Gather the states of a numeric column into intervals, in order; a missing state stays itself."""
    if column.numbers is None:
        raise InputError(
            f"Column {column.name!r} holds texts, so --discretize cannot cut it; leave it out there."
        )
    known = np.flatnonzero(~np.isnan(column.numbers) & (column.counts > 0))
    values, counts = column.numbers[known], column.counts[known]
    if len(values) == 0:
        return column
    if not np.isfinite(values).all() and method.kind == "width":
        raise InputError(
            f"Column {column.name!r} holds infinite numbers; use --discretize quantile:{method.bins}."
        )
    cuts = (
        _equal_counts(values, counts, method.bins)
        if method.kind == "quantile"
        else _equal_widths(values, method.bins)
    )
    intervals = np.searchsorted(cuts, column.numbers, side="right")
    present = np.unique(intervals[known])
    labels = _interval_labels(cuts)
    states = [labels[index] for index in present]
    mapping = np.minimum(np.searchsorted(present, intervals), len(present) - 1).astype(np.int32)
    if column.states[-1] == MISSING:
        states.append(MISSING)
        mapping[-1] = len(states) - 1
    return recode(column, states, mapping)


def _equal_counts(values: NDArray[np.float64], counts: NDArray[np.int64], bins: int) -> NDArray[np.float64]:
    """Cut before the values at which the number of smaller observations comes nearest to each share."""
    below = np.cumsum(counts) - counts
    shares = counts.sum() * np.arange(1, bins) / bins
    nearest = np.abs(below[None, :] - shares[:, None]).argmin(axis=1)
    return np.unique(values[nearest[nearest > 0]])


def _equal_widths(values: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    low, high = values[0], values[-1]
    exact = low + (high - low) * np.arange(1, bins) / bins
    short = np.array([float(f"{cut:.6g}") for cut in exact])
    readable = len(np.unique(short)) == bins - 1 and np.all((low < short) & (short <= high))
    return short if readable else np.unique(exact[(exact > low) & (exact <= high)])


def _interval_labels(cuts: NDArray[np.float64]) -> list[str]:
    """Name the intervals so that each cut belongs to the upper one.

    >>> _interval_labels(np.array([1.0, 2.5]))
    ['<1', '1..2.5', '>=2.5']
    """
    if len(cuts) == 0:
        return ["all"]
    texts = [str(int(cut)) if cut.is_integer() and abs(cut) < 1e15 else repr(cut) for cut in cuts.tolist()]
    between = [f"{low}..{high}" for low, high in pairwise(texts)]
    return [f"<{texts[0]}", *between, f">={texts[-1]}"]
