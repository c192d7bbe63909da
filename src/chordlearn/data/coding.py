"""Labels become codes: small integers that index the sorted states of a variable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.labels import MISSING

if TYPE_CHECKING:
    import polars as pl

FIRST_STATES = 64

_IN_NUMBERS = frozenset("0123456789+-.eEinfINF")


@dataclass(frozen=True)
class Tally:
    """The labels of a column, null if missing; which of them occur in rows that count, and how often."""

    labels: pl.Series
    occurs: NDArray[np.bool_]
    counts: NDArray[np.int64]

    @property
    def missing(self) -> int:
        """How many observations lack a value."""
        return int(self.counts[self.labels.is_null().to_numpy()].sum()) if self.labels.null_count() else 0


@dataclass(frozen=True)
class Column:
    """One variable: its states in order, how often each occurs, and where its labels have gone."""

    name: str
    states: pl.Series
    places: NDArray[np.int32]
    """The state of each label that was gathered; −1 for labels that belong to no state."""
    counts: NDArray[np.int64]
    numbers: NDArray[np.float64] | None
    """The states as numbers (NaN for the missing state), or None if some state is no number."""
    declared: bool = False

    @cached_property
    def first(self) -> list[str]:
        """The first states: all of them in most columns, and enough of the others to see what they are."""
        return self.states.head(FIRST_STATES).to_list()

    @cached_property
    def has_missing_state(self) -> bool:
        """Whether the last state is that of missing values."""
        count = len(self.counts)
        return count > 0 and (self.first[-1] if count <= FIRST_STATES else self.states[-1]) == MISSING


def _settled(
    numbers: NDArray[np.float64], labels: pl.Series, missing: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Ask Python about what is no finite number, because it knows infinity by more names."""
    for place in np.flatnonzero(~np.isfinite(numbers) & ~missing).tolist():
        text = labels[place]
        try:
            numbers[place] = float(text) if _IN_NUMBERS.issuperset(text) else np.nan
        except ValueError:
            return None
        if np.isnan(numbers[place]):
            return None
    return numbers


def code_columns(
    names: Sequence[str], tallies: Sequence[Tally], declared: Sequence[Sequence[str] | None]
) -> list[Column]:
    """Make states of the labels that occur and of those declared: numbers in their order, else by code point.

    Labels may repeat. Those that are the same number go by code point; the missing state comes last.

    >>> import polars as pl
    >>> labels = pl.Series(["y", "z", None, "x", "y"])
    >>> tally = Tally(labels, np.array([1, 0, 1, 1, 1], bool), np.array([5, 0, 1, 2, 1]))
    >>> (column,) = code_columns(["a"], [tally], [["w"]])
    >>> column.states.to_list(), column.places.tolist(), column.counts.tolist()
    (['w', 'x', 'y', '?'], [2, -1, 3, 1, 2], [0, 2, 6, 1])
    """
    import polars as pl

    used = [np.flatnonzero(tally.occurs) for tally in tallies]
    parts = []
    for tally, some, more in zip(tallies, used, declared, strict=True):
        present = tally.labels if len(some) == len(tally.labels) else tally.labels.gather(some)
        parts.append(pl.concat([present, pl.Series(list(more), dtype=pl.String)]) if more else present)
    columns = []
    for name, tally, some, more, (states, state, numbers) in zip(
        names, tallies, used, declared, sorted_states(parts), strict=True
    ):
        places = np.full(len(tally.labels), -1, dtype=np.int32)
        places[some] = state[: len(some)]
        counts = np.zeros(len(states), dtype=np.int64)
        np.add.at(counts, places[some], tally.counts[some])
        columns.append(Column(name, states, places, counts, numbers, more is not None))
    return columns


def sorted_states(
    columns: Sequence[pl.Series],
) -> Iterator[tuple[pl.Series, NDArray[np.int32], NDArray[np.float64] | None]]:
    """For the labels of each column: its states, the place of each label, and the states as numbers.

    Null stands for the missing state. There may be thousands of columns, so that texts are looked at for all
    of them together.

    >>> import polars as pl
    >>> states, places, numbers = next(sorted_states([pl.Series(["10", "9", None, "10"])]))
    >>> states.to_list(), places.tolist(), numbers
    (['9', '10', '?'], [1, 0, 2, 1], array([ 9., 10., nan]))
    """
    import polars as pl

    ends = np.cumsum([len(column) for column in columns]).tolist()
    ranges = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    labels = pl.concat(columns, rechunk=True).fill_null(MISSING)
    missing = (labels == MISSING).to_numpy()
    parsed = labels.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(writable=True)
    numbers = [_settled(parsed[part], labels[part], missing[part]) for part in ranges]
    rank = _text_ranks(labels, ranges, numbers)
    order = np.empty(len(labels), dtype=np.int64)
    for part, own in zip(ranges, numbers, strict=True):
        order[part] = part.start + np.lexsort((rank[part], missing[part] if own is None else own))
    ordered = labels.gather(order)
    differs = ordered.ne_missing(ordered.shift(1)).to_numpy(writable=True)
    differs[[part.start for part in ranges if part.start < part.stop]] = True
    for part, own in zip(ranges, numbers, strict=True):
        first = differs[part]
        places = np.empty(len(first), dtype=np.int32)
        places[order[part] - part.start] = np.cumsum(first, dtype=np.int32) - 1
        states = ordered[part] if first.all() else ordered[part].filter(pl.Series(first))
        yield states, places, None if own is None else own[order[part] - part.start][first]


def _text_ranks(
    labels: pl.Series, ranges: Sequence[slice], numbers: Sequence[NDArray[np.float64] | None]
) -> NDArray[np.int64]:
    """The rank by code point of all labels for whose order it matters."""
    matters = np.zeros(len(labels), dtype=bool)
    for part, own in zip(ranges, numbers, strict=True):
        matters[part] = own is None or len(set(own.tolist())) < len(own)
    chosen = np.flatnonzero(matters)
    rank = np.zeros(len(labels), dtype=np.int64)
    rank[chosen[labels.gather(chosen).arg_sort().to_numpy()]] = np.arange(len(chosen))
    return rank


def recode(column: Column, states: list[str], mapping: NDArray[np.int32]) -> Column:
    """Replace each state by its image, as when values are gathered into intervals."""
    import polars as pl

    counts = np.zeros(len(states), dtype=np.int64)
    np.add.at(counts, mapping, column.counts)
    places = np.where(column.places < 0, np.int32(-1), mapping[column.places])
    return Column(column.name, pl.Series(states), places, counts, None, declared=True)
