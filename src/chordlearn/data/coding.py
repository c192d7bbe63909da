"""Labels become codes: small integers that index the sorted states of a variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

MISSING = "?"
"""The state of a missing value; no other value can have this label, because as a text it means missing."""

_IN_NUMBERS = frozenset("0123456789+-.eEinfINF")


@dataclass(frozen=True)
class Column:
    """One variable: its states in order, how often each occurs, and where its labels have gone."""

    name: str
    states: list[str]
    places: NDArray[np.int32]
    """The state of each label that was gathered; −1 for labels that belong to no state."""
    counts: NDArray[np.int64]
    numbers: NDArray[np.float64] | None
    """The states as numbers (NaN for the missing state), or None if some state is no number."""
    declared: bool = False


def numbers_of(labels: pl.Series) -> NDArray[np.float64] | None:
    """Read labels as numbers if all of them are; the missing state is NaN.

    >>> import polars as pl
    >>> numbers_of(pl.Series(["1", "02", "1e3", "?"]))
    array([   1.,    2., 1000.,   nan])
    >>> numbers_of(pl.Series(["1", "1_0"])) is None
    True
    """
    import polars as pl

    missing = labels == MISSING
    present = labels.filter(~missing)
    numbers = present.cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_finite().all():
        # Python knows a few spellings more, such as infinity.
        texts = present.to_list()
        if not _IN_NUMBERS.issuperset("".join(texts)):
            return None
        try:
            numbers = pl.Series(np.array(texts, dtype=np.float64))
        except ValueError:
            return None
    found = np.full(len(labels), np.nan)
    found[~missing.to_numpy()] = numbers.to_numpy()
    return found


def sort_states(labels: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """The order of labels: by number if all are numbers, else by code point; the missing state comes last.

    Labels that are the same number go by code point. The numbers are returned too, in that order.

    >>> import polars as pl
    >>> for labels in (pl.Series(["?", "10", "9"]), pl.Series(["b", "9", "10"])):
    ...     labels.gather(sort_states(labels)[0]).to_list()
    ['9', '10', '?']
    ['10', '9', 'b']
    """
    numbers = numbers_of(labels)
    if numbers is not None:
        order = np.argsort(numbers, kind="stable")
        ordered = numbers[order]
        if (ordered[1:] == ordered[:-1]).any():
            by_text = labels.arg_sort().to_numpy()
            order = by_text[np.argsort(numbers[by_text], kind="stable")]
        return order.astype(np.int64), numbers[order]
    order = labels.arg_sort().to_numpy().astype(np.int64)
    last = (labels == MISSING).to_numpy()[order]
    return np.concatenate([order[~last], order[last]]), None


def code_column(
    name: str,
    labels: pl.Series,
    occurs: NDArray[np.bool_],
    counts: NDArray[np.int64],
    declared: Sequence[str] | None,
) -> Column:
    """Make states of the labels that occur and of those declared.

    >>> import polars as pl
    >>> occurs, counts = np.array([True, False, True]), np.array([5, 0, 2])
    >>> column = code_column("a", pl.Series(["y", "z", "x"]), occurs, counts, ["w"])
    >>> column.states, column.places.tolist(), column.counts.tolist()
    (['w', 'x', 'y'], [2, -1, 1], [0, 2, 5])
    """
    import polars as pl

    used = np.flatnonzero(occurs)
    present = labels.gather(used)
    absent = sorted(set(declared or ()).difference(present.to_list())) if declared is not None else []
    known = pl.concat([present, pl.Series(absent, dtype=pl.String)]) if absent else present
    order, numbers = sort_states(known)
    position = np.empty(len(order), dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    places = np.full(len(labels), -1, dtype=np.int32)
    places[used] = position[: len(used)]
    found = np.zeros(len(order), dtype=np.int64)
    found[position[: len(used)]] = counts[used]
    return Column(name, known.gather(order).to_list(), places, found, numbers, declared is not None)


def recode(column: Column, states: list[str], mapping: NDArray[np.int32]) -> Column:
    """Replace each state by its image, as when values are gathered into intervals."""
    counts = np.zeros(len(states), dtype=np.int64)
    np.add.at(counts, mapping, column.counts)
    places = np.where(column.places < 0, np.int32(-1), mapping[column.places])
    return Column(column.name, states, places, counts, None, declared=True)
