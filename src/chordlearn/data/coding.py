"""Labels become codes: small integers that index the sorted states of a variable."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

MISSING = "?"
"""The state of a missing value; no other value can have this label, because as a text it means missing."""

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.IGNORECASE
)
_WORD = 1 << 62


@dataclass(frozen=True)
class Column:
    """One variable: its states in order, the code of every row, and how often each state occurs."""

    name: str
    states: list[str]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    declared: bool = False

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """The states as numbers (NaN for the missing state), or None if some state is no number."""
        return numbers_of(self.states)


def numbers_of(labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Read labels as numbers if all of them are.

    >>> numbers_of(["1", "02", "1e3"])
    array([   1.,    2., 1000.])
    >>> numbers_of(["1", "1_0"]) is None
    True
    """
    values = []
    for label in labels:
        if label == MISSING:
            values.append(math.nan)
        elif _NUMBER.fullmatch(label):
            values.append(float(label))
        else:
            return None
    return np.array(values, dtype=np.float64)


def sort_states(labels: Sequence[str]) -> list[str]:
    """Sort numerically if all labels are numbers, else by code point; the missing state comes last.

    >>> sort_states(["10", "?", "9"]), sort_states(["10", "9", "b"])
    (['9', '10', '?'], ['10', '9', 'b'])
    """
    present = sorted(label for label in labels if label != MISSING)
    numbers = numbers_of(present)
    if numbers is not None:
        present = [present[index] for index in np.argsort(numbers, kind="stable")]
    return present + [MISSING] * (MISSING in labels)


def code_column(
    name: str, values: pl.Series, weights: NDArray[np.int64], declared: Sequence[str] | None
) -> Column:
    """Code one column of labels without nulls."""
    import polars as pl

    labels = set(values.unique().to_list())
    states = sort_states(list(labels.union(declared or ())))
    codes = values.cast(pl.Enum(states)).to_physical().to_numpy().astype(np.int32)
    counts = _count(codes, weights, len(states))
    return Column(name, states, codes, counts, declared is not None)


def recode(column: Column, states: list[str], mapping: NDArray[np.int32]) -> Column:
    """Replace each code by its image, as when values are gathered into intervals."""
    counts = np.zeros(len(states), dtype=np.int64)
    np.add.at(counts, mapping, column.counts)
    return Column(column.name, states, mapping[column.codes], counts, declared=True)


def _count(codes: NDArray[np.int32], weights: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    counts = np.zeros(size, dtype=np.int64)
    np.add.at(counts, codes, weights)
    return counts


def deduplicate(
    codes: NDArray[np.int32], arities: Sequence[int], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Sort rows lexicographically, add the weights of equal rows, and leave out rows of weight zero.

    >>> deduplicate(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.int32), [2, 2], np.array([1, 2, 3]))
    (array([[0, 1],
           [1, 0]], dtype=int32), array([2, 4]))
    """
    occurring = weights > 0
    if not occurring.all():
        codes, weights = codes[occurring], weights[occurring]
    words = _packed(codes, arities)
    order = np.lexsort(words[::-1])
    changes = np.zeros(max(len(order) - 1, 0), dtype=bool)
    for word in words:
        changes |= np.diff(word[order]) != 0
    starts = np.flatnonzero(np.concatenate(([True], changes)))[: len(order)]
    return codes[order[starts]], np.add.reduceat(weights[order], starts)


def _packed(codes: NDArray[np.int32], arities: Sequence[int]) -> list[NDArray[np.int64]]:
    """Pack neighbouring columns into as few 64-bit words as hold them, so that few sorts order the rows."""
    words: list[NDArray[np.int64]] = []
    room = 0
    for index, arity in enumerate(arities):
        if arity > room:
            words.append(np.zeros(len(codes), dtype=np.int64))
            room = _WORD
        words[-1] *= arity
        words[-1] += codes[:, index]
        room //= arity
    return words
