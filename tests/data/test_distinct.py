"""Rows as packed words: unpacked they are the same, and merged they are counted right."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.data import Dataset
from chordlearn.data.distinct import DistinctRows, Layout, as_matrix, code_type, deduplicated, recoded

SIZES = st.lists(st.sampled_from([1, 2, 3, 10, 256, 257, 70_000, 2**31, 2**40]), min_size=1, max_size=9)


@settings(deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_packing_keeps_codes_and_their_order(sizes, seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, min(size, 5), 50) + (size - min(size, 5)) for size in sizes]
    layout = Layout(sizes)
    words = layout.pack(columns)
    assert len(words) == len(layout.words)
    for column, unpacked in zip(columns, layout.unpack(words), strict=True):
        assert unpacked.tolist() == column.tolist()
    order = np.lexsort(words[::-1])
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert [rows[index] for index in order] == sorted(rows)


def test_the_smallest_type_that_holds_the_codes():
    for size in (1, 256, 257, 65_536, 65_537):
        assert np.iinfo(code_type(size)).max >= size - 1
    assert code_type(256).itemsize == 1


BATCHES = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 300), st.integers(0, 400)), max_size=30),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@patch("chordlearn.data.distinct.FEW_ROWS", 4)
@patch("chordlearn.data.distinct.RANGE_WORDS", 2)
@patch("chordlearn.data.distinct.SAMPLES", 2)
@settings(deadline=None)
@given(BATCHES)
def test_batches_with_growing_codes_are_counted(batches):
    wanted: Counter[tuple[int, ...]] = Counter()
    rows, most = DistinctRows(), 1
    for batch, weighted in batches:
        table = np.array([row[:2] for row in batch], dtype=np.int64).reshape(-1, 2)
        weights = np.array([row[2] for row in batch], dtype=np.int64) if weighted else None
        most = max(most, *(row[1] + 1 for row in batch), 1)
        rows.add([table[:, 0], table[:, 1]], [5, most], weights)
        for row in batch:
            wanted[row[:2]] += row[2] if weighted else 1
        if rows.has_grown:
            rows.merge()
    places = [np.array([1, 0, -1, 1, 2]), np.arange(most) // 2]
    codes, weights = as_matrix(recoded(rows, places, [3, most // 2 + 1]))
    mapped: Counter[tuple[int, ...]] = Counter()
    for (a, b), weight in wanted.items():
        if a != 2 and weight:
            mapped[int(places[0][a]), b // 2] += weight
    assert codes.tolist() == [list(row) for row in sorted(mapped)]
    assert weights.tolist() == [mapped[row] for row in sorted(mapped)]


def test_weights_are_exact_up_to_the_limit():
    columns = [np.array([0, 1, 0]), np.array([1, 1, 1])]
    weights = np.array([2**52, 3, 2**52 - 5], dtype=np.int64)
    assert deduplicated(columns, [2, 2], weights)[1].tolist() == [2**53 - 5, 3]


def test_the_hash_does_not_depend_on_the_type_of_the_codes():
    codes, weights = np.array([[0, 1], [1, 0]]), np.array([2, 3])
    hashes = {
        Dataset(("a", "b"), (("x", "y"),) * 2, arranged(codes.astype(dtype)), weights).sha256
        for dtype in ("uint8", "int32", "int64")
        for arranged in (np.ascontiguousarray, np.asfortranarray)
    }
    assert len(hashes) == 1
