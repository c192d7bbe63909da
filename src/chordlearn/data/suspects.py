"""Columns that are no discrete variables: measurements and row identifiers."""

from __future__ import annotations

import numpy as np

from chordlearn.data.coding import MISSING, Column
from chordlearn.data.naming import has_control, listed
from chordlearn.errors import InputError

MOST_STATES = 10_000
MOST_NUMBERS = 60
"""More distinct numbers than this look continuous."""
MOST_FRACTIONS = 20
"""More distinct numbers with a fractional part than this look continuous."""
FEW_NUMBERS = 10
"""So few distinct numbers never look continuous."""
FRACTION_OF_ROWS = 0.6
"""More than a few numbers look continuous if they are distinct in more than this share of the rows."""
ROWS_TO_IDENTIFY = 50
SHARE_TO_IDENTIFY = 0.9


def _distinct(column: Column) -> int:
    return int(np.count_nonzero(column.counts)) - _has_missing(column)


def _has_missing(column: Column) -> bool:
    return column.states[-1] == MISSING and bool(column.counts[-1])


def looks_continuous(column: Column) -> bool:
    """Whether a column holds so many distinct numbers that it seems to be a measurement."""
    distinct = _distinct(column)
    if column.declared or distinct <= FEW_NUMBERS or column.numbers is None:
        return False
    fractions = int(np.count_nonzero(column.numbers % 1))
    if column.states[-1] == MISSING:
        fractions -= 1
    spread = distinct > FRACTION_OF_ROWS * int(column.counts.sum())
    return distinct > MOST_NUMBERS or fractions > MOST_FRACTIONS or spread


def identifies_rows(column: Column) -> bool:
    """Whether nearly every row has its own value, as with names, keys and running numbers."""
    rows = int(column.counts.sum())
    if rows < ROWS_TO_IDENTIFY or _distinct(column) < SHARE_TO_IDENTIFY * rows:
        return False
    return not looks_continuous(column) or _is_running_number(column)


def _is_running_number(column: Column) -> bool:
    numbers = column.numbers
    if numbers is None or not np.isfinite(numbers).all() or np.any(numbers % 1):
        return False
    return bool(numbers.max() - numbers.min() + 1 == len(numbers))


def refuse_suspects(columns: list[Column], kept: set[str]) -> None:
    """Refuse identifiers, measurements and columns with too many states, all of a kind in one sentence."""
    judged = [column for column in columns if column.name not in kept]
    identifying = [column for column in judged if identifies_rows(column)]
    if identifying:
        names = [repr(column.name) for column in identifying]
        one = len(names) == 1
        raise InputError(
            f"Column{'s' * (not one)} {listed(names)} identif{'ies' if one else 'y'} rows "
            f"({_distinct(identifying[0])} values in {identifying[0].counts.sum()} rows); "
            f"leave {'it' if one else 'them'} out with --drop {_option(identifying)}."
        )
    continuous = [column for column in judged if looks_continuous(column)]
    if continuous:
        names = [f"{column.name!r} ({_distinct(column)} distinct numbers)" for column in continuous]
        one = len(names) == 1
        raise InputError(
            f"Column{'s' * (not one)} {listed(names)} look{'s' * one} continuous; "
            f"cut {'it' if one else 'them'} into intervals with --discretize quantile:4, "
            f"or use --drop {_option(continuous)}."
        )
    for column in columns:
        if len(column.states) > MOST_STATES:
            raise InputError(
                f"Column {column.name!r} has {len(column.states)} states, more than {MOST_STATES}; "
                f"gather its values into groups or use --drop {column.name}."
            )
        for state in column.states:
            if has_control(state):
                raise InputError(
                    f"Column {column.name!r} has a value with a control character, {state!a}; clean it first."
                )


def _option(columns: list[Column]) -> str:
    return ",".join(column.name for column in columns[:5]) + ",…" * (len(columns) > 5)
