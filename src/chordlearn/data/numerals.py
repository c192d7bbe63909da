"""Columns of texts that mean numbers or dates: decimal commas, bounds such as "<0.3", a few other texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import Column
from chordlearn.data.labels import MISSING
from chordlearn.data.naming import listed

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
