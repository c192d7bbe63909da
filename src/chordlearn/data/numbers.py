"""Columns of texts that mean numbers or dates, and numbers gathered into a few intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import MISSING, Column, recode
from chordlearn.data.fractions import Weights
from chordlearn.data.naming import listed, position_of
from chordlearn.errors import InputError, option

MOST_EXCEPTIONS = 5
"""A column with more texts that are no numbers is a column of texts."""

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+(?:[.,]\d+)*[.,]?|[.,]\d+)(?:[eE][+-]?\d+)?|inf|Inf|INF|Infinity)", re.ASCII
)
_BOUND = re.compile(r"(<=|>=|<|>|≤|≥)\s*(.+)")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_DOTTED_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_DATE = re.compile(
    r"(?:(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?:\d{4}|\d{2})"
    rf"|\d{{1,2}}[-/ .]+[A-Za-z]{{3,9}}[-/ .]+(?:\d{{4}}|\d{{2}}))(?:[T :,]+{_TIME})?"
)


@dataclass(frozen=True)
class Measured:
    """The states of a column as numbers, in the order of the states."""

    numbers: NDArray[np.float64]
    """NaN for a state that is none."""
    exact: NDArray[np.bool_]
    """Whether a state is a number, and not a bound such as "<0.3" that only lies beside one."""
    remarks: tuple[str, ...] = ()
    """What had to be decided to read the states so."""


def measured(column: Column) -> Measured | None:
    """The states as numbers, if they are numbers with few exceptions.

    Of texts with commas the column decides what they mean: thousands if all are grouped so, else decimals.

    >>> import polars as pl
    >>> states = pl.Series(["0,3", "1,25", "17", "<0,3", "lost", "?"])
    >>> found = measured(Column("crp", states, np.arange(6), np.array([4, 3, 2, 2, 1, 1]), None))
    >>> found.numbers.round(3).tolist()
    [0.3, 1.25, 17.0, 0.3, nan, nan]
    >>> print(*found.remarks, sep="; ")
    commas are decimal; '<0,3' (2) counted as just below; 'lost' (1) kept as a state of its own
    """
    if column.numbers is not None:
        return Measured(column.numbers, ~np.isnan(column.numbers))
    if not _may_be(column, lambda text: _NUMBER.fullmatch(text) or _BOUND.fullmatch(text)):
        return None
    states = column.states.to_list()
    numbers, signs, style = numbers_in(states)
    exact = ~np.isnan(numbers) & np.array([sign == "" for sign in signs])
    others = [place for place in np.flatnonzero(np.isnan(numbers)).tolist() if states[place] != MISSING]
    occurring = int(column.counts[: len(states) - column.has_missing_state].sum())
    few = len(others) <= MOST_EXCEPTIONS and 2 * int(column.counts[exact].sum()) >= occurring
    if not few or np.count_nonzero(exact) <= max(1, len(others)):
        return None
    remarks = [style] if style else []
    for places, meaning in (
        ([place for place, sign in enumerate(signs) if sign == "<"], "counted as just below"),
        ([place for place, sign in enumerate(signs) if sign == ">"], "counted as just above"),
        ([place for place, sign in enumerate(signs) if sign == "="], "counted as that number"),
        (others, "kept as a state of its own"),
    ):
        if places:
            named = listed([f"{states[place]!r} ({column.counts[place]})" for place in places])
            remarks.append(f"{named} {meaning}")
    return Measured(numbers, exact, tuple(remarks))


def numbers_in(texts: Sequence[str]) -> tuple[NDArray[np.float64], list[str], str]:
    """The texts of one column as numbers (NaN where they are none), which are bounds, and what commas mean.

    >>> numbers, signs, style = numbers_in(["1,250", "<2", "lost"])
    >>> numbers.round(3).tolist(), signs, style
    ([1250.0, 2.0, nan], ['', '<', ''], 'commas separate thousands')
    """
    bounds = [_BOUND.fullmatch(text) for text in texts]
    numbers, style = _numbers(
        [bound[2] if bound else text for text, bound in zip(texts, bounds, strict=True)]
    )
    signs = [
        "" if bound is None or np.isnan(number) else bound[1] if bound[1] in "<>" else "="
        for bound, number in zip(bounds, numbers, strict=True)
    ]
    towards = np.array([{"<": -np.inf, ">": np.inf}.get(sign, 0.0) for sign in signs])
    return np.where(np.isinf(towards), np.nextafter(numbers, towards), numbers), signs, style


def _numbers(texts: Sequence[str]) -> tuple[NDArray[np.float64], str]:
    """The texts as numbers, NaN where they are none, and how commas were read."""
    sound = [text if _NUMBER.fullmatch(text) else "" for text in texts]
    commas = [text for text in sound if "," in text]
    style = ""
    if commas and all(_THOUSANDS.fullmatch(text) for text in commas):
        style = "commas separate thousands"
        sound = [text.replace(",", "") for text in sound]
    elif commas:
        style = "commas are decimal"
        dotted = any("." in text for text in commas)
        sound = [
            text.replace(".", "") if dotted and _DOTTED_THOUSANDS.fullmatch(text) else text for text in sound
        ]
        sound = [text.replace(",", ".") for text in sound]
    return np.array([_number(text) for text in sound]), style


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def holds_dates(column: Column) -> bool:
    """Whether the states are dates, also with times of day, with few exceptions.

    >>> import polars as pl
    >>> def column(*states):
    ...     return Column("a", pl.Series(states), np.arange(len(states)), np.ones(len(states), int), None)
    >>> [holds_dates(column(text)) for text in ("2024-02-01T12:00:05Z", "31.12.2024", "3/14/24 9:05 AM")]
    [True, True, True]
    >>> holds_dates(column("41.12.2024"))
    False
    """
    if column.numbers is not None or not _may_be(column, _is_date):
        return False
    dates = sum(map(_is_date, column.states))
    others = len(column.states) - dates - column.has_missing_state
    return dates > others and others <= MOST_EXCEPTIONS


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    if match["year"]:
        return 1 <= int(match["month"]) <= 12 and 1 <= int(match["day"]) <= 31
    if match["first"]:
        low, high = sorted((int(match["first"]), int(match["second"])))
        return 1 <= low <= 12 and high <= 31
    return True


def _may_be(column: Column, is_one: Callable[[str], object]) -> bool:
    """Whether the first states are no others, with few exceptions."""
    found = [bool(is_one(state)) for state in column.first if state != MISSING]
    return any(found) and found.count(False) <= MOST_EXCEPTIONS


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
    values: NDArray[np.float64], counts: Weights, exact: NDArray[np.bool_], bins: int
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
