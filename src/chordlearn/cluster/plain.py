"""Plain values as bytes and back: what JSON knows, tuples as lists, and numeric arrays; never objects.

A parcel is the length of a JSON header, the header, and the raw bytes of the arrays that it mentions.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

ARRAY = "\x00array"
"""The key that marks an array in the header; no dictionary that is packed may have it."""
NUMERIC = "biuf"
_LENGTH_BYTES = 8


def pack(value: Any) -> bytes:
    """The value as bytes; refuses whatever is neither JSON's nor a numeric array.

    >>> unpack(pack({"names": ["a", None], "codes": np.array([[0, 1]], np.uint8)}))
    {'names': ['a', None], 'codes': array([[0, 1]], dtype=uint8)}
    >>> pack({"when": object()})
    Traceback (most recent call last):
    ...
    TypeError: A value of type object does not travel.
    """
    arrays: list[NDArray[Any]] = []
    header = json.dumps(_outlined(value, arrays), ensure_ascii=False).encode()
    bodies = [array.tobytes() for array in arrays]
    return b"".join([len(header).to_bytes(_LENGTH_BYTES, "little"), header, *bodies])


def unpack(parcel: bytes | memoryview) -> Any:
    """The value of a parcel; arrays are read-only views of it."""
    view = memoryview(parcel)
    start = _LENGTH_BYTES + int.from_bytes(view[:_LENGTH_BYTES], "little")
    return _Reader(view, start).read(json.loads(bytes(view[_LENGTH_BYTES:start])))


def _outlined(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """The value with a mark for each array, which is put on the list."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMERIC:
        arrays.append(value)
        return {ARRAY: [value.dtype.str, list(value.shape)]}
    if isinstance(value, np.generic) and value.dtype.kind in NUMERIC:
        return value.item()
    if isinstance(value, list | tuple):
        return [_outlined(item, arrays) for item in value]
    if isinstance(value, dict) and ARRAY not in value and all(isinstance(key, str) for key in value):
        return {key: _outlined(item, arrays) for key, item in value.items()}
    raise TypeError(f"A value of type {type(value).__name__} does not travel.")


class _Reader:
    def __init__(self, view: memoryview, start: int) -> None:
        self.view = view
        self.start = start

    def read(self, outlined: Any) -> Any:
        if isinstance(outlined, list):
            return [self.read(item) for item in outlined]
        if not isinstance(outlined, dict):
            return outlined
        if ARRAY in outlined:
            return self._array(*outlined[ARRAY])
        return {key: self.read(item) for key, item in outlined.items()}

    def _array(self, kind: str, shape: list[int]) -> NDArray[Any]:
        dtype = np.dtype(kind)
        if dtype.kind not in NUMERIC:
            raise ValueError(f"An array of {kind} does not travel.")
        count = int(np.prod(shape, dtype=np.int64))
        end = self.start + count * dtype.itemsize
        array = np.frombuffer(self.view[self.start : end], dtype=dtype, count=count).reshape(shape)
        array.setflags(write=False)
        self.start = end
        return array
