"""Gathering the numbers of a column into a few intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import Column, recode
from chordlearn.data.naming import listed, position_of
from chordlearn.data.numerals import Measured
from chordlearn.errors import InputError, option

Discretize = str | Iterable[str] | Mapping[str, str]

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
                f"{option('discretize')} does not understand {text!r}; "
                "write quantile:4, width:5 (2 to 1000 classes) or COLUMN=quantile:4."
            )
        return cls(match[1], int(match[2])) if match[2] else cls("keep")


@dataclass(frozen=True)
class Plan:
    """Methods by column name, and one for every other column of numbers."""

    named: Mapping[str, Method]
    default: Method | None = None

    def may_cut(self, name: str) -> bool:
        """Whether the column of this name may be cut into classes."""
        method = self.named.get(name, self.default)
        return method is not None and method.kind != "keep"

    def keeps(self, name: str) -> bool:
        """Whether the column of this name was asked to stay as it is."""
        return name in self.named and self.named[name].kind == "keep"

    def default_for(self, distinct: int) -> Method | None:
        """How to cut a column of so many distinct numbers that is not named: not if it has few already."""
        return self.default if self.default is not None and distinct > self.default.bins > 0 else None


def parse_plan(asked: Discretize | None, names: Sequence[str]) -> Plan:
    """Read what `discretize` asks for. A text that begins with a column's name and `=` is about that column.

    >>> parse_plan("quantile:4", ["age"])
    Plan(named={}, default=Method(kind='quantile', bins=4))
    >>> parse_plan("age=width:5, year=keep", ["age", "year"]).named["age"]
    Method(kind='width', bins=5)
    >>> list(parse_plan(["age, in years=width:5", "quantile:3"], ["age, in years"]).named)
    ['age, in years']
    """
    if asked is None:
        return Plan({})
    if isinstance(asked, Mapping):
        items = [f"{name}={method}" for name, method in asked.items()]
    else:
        texts = [asked] if isinstance(asked, str) else [str(text) for text in asked]
        items = [item for text in texts for item in _items(text, names)]
    pairs = [(name.strip(), method) for name, eq, method in (item.rpartition("=") for item in items) if eq]
    defaults = [item for item in items if "=" not in item]
    if len(defaults) > 1 or not items:
        raise InputError(
            f"{option('discretize')} needs one way to cut, such as quantile:4, beside those of columns; "
            f"it has {listed([repr(item) for item in defaults]) or 'none'}."
        )
    for name, _ in pairs:
        position_of(name, names, "discretize")
    default = Method.parse(defaults[0]) if defaults else None
    return Plan({name: Method.parse(method) for name, method in pairs}, default)


def _items(text: str, names: Sequence[str]) -> list[str]:
    name, _, method = text.rpartition("=")
    if name.strip() in names and _METHOD.fullmatch(method.strip()):
        return [text]
    return [item.strip() for item in text.split(",") if item.strip()]


def cut_column(column: Column, measured: Measured | None, method: Method) -> Column:
    """Gather numbers into classes, in order; other states, such as the missing one, stay as they are."""
    if measured is None:
        raise InputError(
            f"Column {column.name!r} holds texts, so {option('discretize')} cannot cut it; "
            "leave it out there."
        )
    numbers = measured.numbers
    known = np.flatnonzero(~np.isnan(numbers) & (column.counts > 0))
    if len(known) == 0:
        return column
    known = known[np.argsort(numbers[known], kind="stable")]
    values = numbers[known]
    if not np.isfinite(values).all() and method.kind == "width":
        quantile = option("discretize", f"{column.name}=quantile:{method.bins}")
        raise InputError(f"Column {column.name!r} holds infinite numbers; use {quantile}.")
    cuts = (
        _equal_counts(values, column.counts[known], measured.exact[known], method.bins)
        if method.kind == "quantile"
        else _equal_widths(values, method.bins)
    )
    classes = np.searchsorted(cuts, numbers, side="right")
    present = np.unique(classes[known])
    labels = _interval_labels(cuts)
    states = [labels[index] for index in present]
    mapping = np.minimum(np.searchsorted(present, classes), len(present) - 1).astype(np.int32)
    others = np.flatnonzero(np.isnan(numbers))
    mapping[others] = np.arange(len(states), len(states) + len(others))
    return recode(column, states + column.states.gather(others).to_list(), mapping)


def _equal_counts(
    values: NDArray[np.float64], counts: NDArray[np.int64], exact: NDArray[np.bool_], bins: int
) -> NDArray[np.float64]:
    """Cut before the exact values at which the number of smaller observations comes nearest to each share."""
    below = (np.cumsum(counts) - counts)[exact]
    values = values[exact]
    shares = counts.sum() * np.arange(1, bins) / bins
    nearest = np.abs(below[None, :] - shares[:, None]).argmin(axis=1)
    return np.unique(values[nearest[below[nearest] > 0]])


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
