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
_WORD = 1 << 62


@dataclass(frozen=True)
class Column:
    """One variable: its states in order, the code of every row, and how often each state occurs."""

    name: str
    states: list[str]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    numbers: NDArray[np.float64] | None
    """The states as numbers (NaN for the missing state), or None if some state is no number."""
    declared: bool = False


def numbers_of(labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Read labels as numbers if all of them are.

    >>> numbers_of(["1", "02", "1e3"])
    array([   1.,    2., 1000.])
    >>> numbers_of(["1", "1_0"]) is None
    True
    """
    present = [label for label in labels if label != MISSING]
    if not _IN_NUMBERS.issuperset("".join(present)):
        return None
    texts = (
        labels if len(present) == len(labels) else ["nan" if label == MISSING else label for label in labels]
    )
    try:
        return np.array(texts, dtype=np.float64)
    except ValueError:
        return None


def sort_states(labels: list[str]) -> tuple[list[str], NDArray[np.float64] | None]:
    """Order labels numerically if all are numbers, else by code point; the missing state comes last.

    The labels are given in the order of their code points; their numbers are returned too.

    >>> sort_states(["10", "9", "?"])[0], sort_states(["10", "9", "b"])[0]
    (['9', '10', '?'], ['10', '9', 'b'])
    """
    numbers = numbers_of(labels)
    if numbers is not None:
        order = np.argsort(numbers, kind="stable")
        return [labels[index] for index in order.tolist()], numbers[order]
    if MISSING in labels:
        labels = [label for label in labels if label != MISSING] + [MISSING]
    return labels, None


def code_column(
    name: str, values: pl.Series, weights: NDArray[np.int64], declared: Sequence[str] | None
) -> Column:
    """Code one column of labels without nulls."""
    import polars as pl

    labels = values.unique().sort().to_list()
    if declared is not None:
        labels = sorted(set(labels).union(declared))
    states, numbers = sort_states(labels)
    codes = values.cast(pl.Enum(states)).to_physical().to_numpy().astype(np.int32)
    counts = _count(codes, weights, len(states))
    return Column(name, states, codes, counts, numbers, declared is not None)


def recode(column: Column, states: list[str], mapping: NDArray[np.int32]) -> Column:
    """Replace each code by its image, as when values are gathered into intervals."""
    counts = np.zeros(len(states), dtype=np.int64)
    np.add.at(counts, mapping, column.counts)
    return Column(column.name, states, mapping[column.codes], counts, None, declared=True)


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
