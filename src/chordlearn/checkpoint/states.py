"""The state of a search as plain JSON, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

KINDS = {"int32": np.int32, "uint64": np.uint64, "float64": np.float64}


def to_json(value: Any) -> Any:
    """Arrays and infinities become objects that say what they are.

    >>> to_json({"edges": np.array([[0, 1]], np.int32), "bound": math.inf})
    {'edges': {'array': 'int32', 'shape': [1, 2], 'values': [0, 1]}, 'bound': {'number': 'inf'}}
    """
    if isinstance(value, np.ndarray):
        name = value.dtype.name
        if name not in KINDS:
            raise TypeError(f"An array of {name} has no place in a checkpoint.")
        return {"array": name, "shape": list(value.shape), "values": value.ravel().tolist()}
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    return value


def from_json(value: Any) -> Any:
    """What :func:`to_json` was given; raises ValueError, TypeError or KeyError for anything else.

    >>> from_json(to_json({"edges": np.array([[0, 1]], np.int32), "bound": -math.inf}))
    {'edges': array([[0, 1]], dtype=int32), 'bound': -inf}
    """
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["values"], dtype=KINDS[value["array"]]).reshape(value["shape"])
    if "number" in value:
        number = float(value["number"])
        if math.isnan(number):
            raise ValueError("a number is none")
        return number
    return {key: from_json(item) for key, item in value.items()}
