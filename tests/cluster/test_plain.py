"""What travels: plain values, and nothing else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from chordlearn.cluster.plain import ARRAY, pack, unpack

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
KINDS = st.sampled_from([np.uint8, np.uint16, np.int32, np.int64, np.uint64, np.float64, np.bool_])
TABLES = KINDS.flatmap(
    lambda kind: arrays(kind, array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4))
)
VALUES = st.recursive(
    LEAVES | TABLES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


@given(VALUES)
def test_what_is_packed_is_unpacked(value: Any) -> None:
    assert same(value, unpack(pack(value)))


def test_numbers_keep_every_bit() -> None:
    values = [0.1, -math.inf, 2.0**-1074, 2**200]
    assert unpack(pack(values)) == values


@pytest.mark.parametrize(
    "value",
    [object(), {1: 2}, {"a": {2}}, np.array([object()]), np.array(["text"]), b"bytes", {ARRAY: [1]}, len],
    ids=lambda value: type(value).__name__,
)
def test_objects_do_not_travel(value: Any) -> None:
    with pytest.raises(TypeError, match="does not travel"):
        pack(value)


def test_an_array_of_objects_is_not_unpacked() -> None:
    parcel = pack({"a": np.zeros(1)})
    with pytest.raises(ValueError, match="does not travel"):
        unpack(parcel.replace(b"<f8", b"|O8"))
