"""Columns that add nothing: constants, and copies of others under other labels."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.dataset import Dataset

HEAD = 4096
"""So many rows tell most columns apart; only what they do not is compared on all."""


def constant_columns(dataset: Dataset) -> list[str]:
    """The variables that have the same value in every row, whatever other states they declare.

    >>> from chordlearn.data import read
    >>> constant_columns(read({"a": [1, 2, 1], "k": ["x", "x", "x"]}))
    ['k']
    """
    codes = dataset.codes
    places = np.flatnonzero((codes[:HEAD] == codes[:1]).all(axis=0))
    return [dataset.variables[place] for place in places if (codes[:, place] == codes[:1, place]).all()]


def copies(dataset: Dataset) -> list[list[str]]:
    """The groups of variables that determine each other one-to-one; constants are not among them.

    >>> from chordlearn.data import read
    >>> copies(read({"a": [1, 2, 1], "b": ["x", "y", "x"], "c": [1, 1, 2], "k": [0, 0, 0]}))
    [['a', 'b']]
    """
    constant = set(constant_columns(dataset))
    varying = [place for place, name in enumerate(dataset.variables) if name not in constant]
    groups = [group for similar in _alike(dataset, varying, HEAD) for group in _alike(dataset, similar, None)]
    return [[dataset.variables[place] for place in group] for group in sorted(groups)]


def _alike(dataset: Dataset, places: list[int], rows: int | None) -> list[list[int]]:
    """The groups of columns that determine each other in the first so many rows, without single ones."""
    groups: dict[bytes, list[int]] = {}
    for place in places:
        pattern = _pattern(dataset.codes[:rows, place], len(dataset.states[place]))
        groups.setdefault(hashlib.blake2b(pattern.tobytes(), digest_size=16).digest(), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _pattern(codes: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """For every row the first row with the same code, which does not depend on how states are labelled."""
    first = np.empty(size, dtype=np.int64)
    # Of several assignments to one place the last holds, so the rows are taken from the end.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    rows: NDArray[np.int64] = first[codes]
    return rows
