"""What each column is: a variable as it stands, or something to cut, to count by or to leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.coding import MISSING, Column
from chordlearn.data.fractions import plain
from chordlearn.data.naming import has_control
from chordlearn.data.numbers import Measured, holds_dates, measured

FINE = "fine"
CONSTANT = "constant"
COUNTS = "counts"
NUMBERS = "numbers to cut"
IDENTIFIER = "row identifier"
DATE = "date"
MANY = "too many states"
MOSTLY = "mostly missing"
EMPTY = "all missing"
NO_LABELS = "no labels"
UNPRINTABLE = "control characters"

MOST_STATES = 10_000
MANY_STATES = 50
"""More states than this are too many if they have few rows each."""
ROWS_PER_STATE = 10
MOST_NUMBERS = 60
"""More distinct numbers than this look continuous."""
MOST_FRACTIONS = 20
"""More distinct numbers with a fractional part than this look continuous.

More whole ones are better cut if they have few rows each."""
FEW_VALUES = 10
"""A column with no more distinct values is a variable, whatever they are."""
FRACTION_OF_ROWS = 0.6
"""More than a few numbers look continuous if they are distinct in more than this share of the rows."""
ROWS_TO_IDENTIFY = 50
SHARE_TO_IDENTIFY = 0.9
"""Values that are distinct in this share of so many rows identify them; with fewer rows, all must be."""
SHOWN_STATES = 5

_YES_NO = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"0", "1"}, {"ja", "nein"})
_NAMED_ID = re.compile(r"(?:^|[\W_])(?:id|ID|Id)(?:$|[\W_])|[a-z](?:ID|Id)$")


@dataclass(frozen=True)
class Judged:
    """A column with what is known of it; its verdict is one of the constants above."""

    column: Column
    """As it stands in the table, before it is cut, with missing values as a state."""
    missing: float
    """How many observations have no value."""
    observations: float
    table_rows: int
    """How many rows the table has, whatever their counts."""
    dtype: str = ""
    """The type of its values if they are no labels."""
    is_kept: bool = False
    """Whether it was asked for as it is."""
    is_weighted: bool = False
    """Whether the weights of observations say nothing of how many there are."""

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def cases(self) -> float:
        """How many observations have a place among the states; of weighted ones, how many rows there are."""
        return self.table_rows if self.is_weighted else plain(self.column.counts.sum())

    @cached_property
    def distinct(self) -> int:
        """How many values occur, without the missing one."""
        counts = self.column.counts
        return int(np.count_nonzero(counts)) - bool(self.column.has_missing_state and counts[-1])

    @cached_property
    def numbers(self) -> Measured | None:
        """The states as numbers, if they are numbers with few exceptions."""
        return None if self.column.declared else measured(self.column)

    @cached_property
    def distinct_numbers(self) -> NDArray[np.float64]:
        """The numbers that occur; none in a column of texts."""
        if self.numbers is None:
            return np.empty(0)
        return self.numbers.numbers[~np.isnan(self.numbers.numbers) & (self.column.counts > 0)]

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.numbers is not None

    @property
    def has_few_values(self) -> bool:
        """Whether it has so few distinct values that it can be taken as it is, whatever they are."""
        return self.distinct < FEW_VALUES

    @cached_property
    def is_unprintable(self) -> bool:
        """Whether a state would disturb a terminal or a text file."""
        few = len(self.column.states) == len(self.column.first)
        return any(map(has_control, self.column.first if few else self.column.states))

    @cached_property
    def verdict(self) -> str:
        """What it is."""
        if self.dtype:
            return NO_LABELS
        if self.distinct == 0:
            return EMPTY
        if self.is_unprintable:
            return UNPRINTABLE
        if len(self.column.states) > MOST_STATES and len(self.distinct_numbers) == 0:
            return IDENTIFIER if self._identifies_rows() else MANY
        if self.is_kept:
            return MANY if len(self.column.states) > MOST_STATES else FINE
        if holds_dates(self.column):
            return DATE
        if self._identifies_rows():
            return IDENTIFIER
        if self.missing > self.observations / 2:
            return MOSTLY
        if self.looks_continuous:
            return NUMBERS
        if self.distinct == 1 and not self.missing:
            return CONSTANT
        many = MOST_FRACTIONS if self.is_number else MANY_STATES
        if self.distinct > many and self.cases < ROWS_PER_STATE * self.distinct:
            return NUMBERS if self.is_number else MANY
        return FINE

    @property
    def looks_continuous(self) -> bool:
        """Whether it holds so many distinct numbers that it seems to be a measurement."""
        numbers = self.distinct_numbers
        if len(numbers) <= FEW_VALUES:
            return False
        fractions = np.count_nonzero(numbers % 1)
        spread = len(numbers) > FRACTION_OF_ROWS * self.cases
        return bool(len(numbers) > MOST_NUMBERS or fractions > MOST_FRACTIONS or spread)

    def _identifies_rows(self) -> bool:
        """Whether nearly every row has its own value, as with names, keys and running numbers."""
        rows = self.cases
        share = SHARE_TO_IDENTIFY if rows >= ROWS_TO_IDENTIFY else 1.0
        if self.has_few_values:
            return False
        if len(self.column.states) == self.table_rows and self._is_key():
            return True
        return self.distinct >= share * rows and (not self.looks_continuous or self._is_key())

    def _is_key(self) -> bool:
        if self.numbers is None:
            return False
        numbers = self.numbers.numbers[~np.isnan(self.numbers.numbers)]
        if not np.isfinite(numbers).all() or np.any(numbers % 1):
            return False
        is_running = numbers.max() - numbers.min() + 1 == len(numbers)
        return bool(is_running or _NAMED_ID.search(self.name))

    @property
    def is_refused(self) -> bool:
        """Whether it cannot be learned from as it is."""
        if self.dtype or self.has_few_values:
            return bool(self.dtype) or self.is_unprintable
        if self.verdict == UNPRINTABLE:
            return True
        if self.verdict == MANY:
            return len(self.column.states) > MOST_STATES
        if self.verdict == IDENTIFIER:
            return self.cases >= ROWS_TO_IDENTIFY or self.looks_continuous
        return self.verdict == DATE or (self.verdict in (NUMBERS, MOSTLY) and self.looks_continuous)

    @property
    def is_hopeless(self) -> bool:
        """Whether it should rather be left out."""
        return self.verdict in (IDENTIFIER, DATE, MANY, MOSTLY, EMPTY, NO_LABELS, UNPRINTABLE)

    @property
    def type(self) -> str:
        """What its values are."""
        if self.dtype:
            return self.dtype
        if self.distinct == 0:
            return "none"
        labels = {state.casefold() for state in self.column.first[:3]} - {MISSING}
        if len(labels) == 2 and self.distinct <= 2 and any(labels <= pair for pair in _YES_NO):
            return "yes/no"
        if self.column.declared:
            return "categories"
        if self.numbers is not None:
            return "number"
        return "date" if holds_dates(self.column) else "text"

    @property
    def advice(self) -> str:
        """The verdict in plain English."""
        if self.verdict == FINE:
            return FINE
        share = f"{self.missing / max(self.observations, 1):.0%}"
        return {
            CONSTANT: "constant: it carries no information and stands alone",
            NUMBERS: f"numbers to cut: {len(self.distinct_numbers):,} different ones",
            IDENTIFIER: "row identifier: leave it out",
            DATE: "date: leave it out, or make classes such as years",
            MANY: "too many states for the rows: leave it out, or group them",
            MOSTLY: f"mostly missing ({share}): leave it out",
            EMPTY: "all missing: leave it out",
            NO_LABELS: "its values are no labels: leave it out, or convert it to text",
            UNPRINTABLE: "control characters in its values: leave it out, or clean it",
        }[self.verdict]


def frequent_states(column: Column) -> list[tuple[str, float]]:
    """The states that occur most often, with their counts; in their own order if they are few.

    >>> import polars as pl
    >>> frequent_states(Column("a", pl.Series(["x", "y"]), np.arange(2), np.array([1, 5]), None))
    [('x', 1), ('y', 5)]
    """
    order: Sequence[int] = range(len(column.states))
    if len(order) > SHOWN_STATES:
        order = np.argsort(-column.counts, kind="stable")[:SHOWN_STATES].tolist()
    return [(column.states[place], plain(column.counts[place])) for place in order]
