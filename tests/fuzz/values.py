"""Changes to the structure of JSON documents: other types, other sizes, fields gone, doubled or nested."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from fuzz.edits import places

Change = tuple[str, int, int]
"""What to do, where, and with which value."""

DEEP = 600


def _deep() -> Any:
    value: Any = []
    for _ in range(DEEP):
        value = [value]
    return value


VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 40, 10**6, 2**31, 2**63, 2**64, -(2**63), 10**400, -(10**400), 0.0,
    0.5, -0.0, 1e-320,
    1e308, -1e308, math.nan, math.inf, -math.inf, "", "x", "a", "0", "1", "nan", "\x00", "\ud800", "\u2028",
    "a\nb",
    "x" * 5000, [], {}, [[]], [{}], [None], [0, 0], [0, 1], [-1, 1], ["a", "a"], ["a", "b"], {"a": 1},
    {"": None},
    [1] * 2000, [[0, 1]] * 300, _deep(), {"array": "int32", "shape": [1 << 40], "values": []},
    {"array": "float64", "shape": [-1], "values": [None]}, {"number": "nan"}, {"number": []},
)  # fmt: skip
CHANGES = ("set", "remove", "rename", "copy", "swap", "repeat", "add", "move")

changes = st.lists(st.tuples(st.sampled_from(CHANGES), places, places), min_size=1, max_size=3)
"""Some changes."""


def changed(document: Any, chosen: list[Change]) -> Any:
    """The document after all of the changes.

    >>> changed({"a": [1, 2]}, [("remove", 0, 0)])
    {}
    """
    document = [copy.deepcopy(document)]
    for name, where, with_what in chosen:
        if not document:
            return None
        spots = list(_spots(document))
        container, key = spots[where % len(spots)]
        _change(name, container, key, with_what, spots)
    return document[0] if document else None


def as_json(document: Any) -> bytes:
    """The text of a document that may hold what JSON does not."""
    return json.dumps(document).encode("utf-8", "surrogatepass")


def _spots(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every place as its container and its key, without those of very long lists."""
    waiting: list[tuple[Any, Any]] = [(document, 0)]
    while waiting:
        container, key = waiting.pop()
        yield container, key
        value = container[key]
        if isinstance(value, dict):
            waiting += [(value, inner) for inner in value]
        elif isinstance(value, list):
            waiting += [(value, inner) for inner in range(min(len(value), 50))]


def _change(name: str, container: Any, key: Any, number: int, spots: list[Any]) -> None:
    other, other_key = spots[number % len(spots)]
    value = container[key]
    if name == "set":
        container[key] = copy.deepcopy(VALUES[number % len(VALUES)])
    elif name == "remove":
        del container[key]
    elif name == "rename" and isinstance(container, dict):
        container[f"{key}s"] = container.pop(key)
    elif name == "copy":
        container[key] = copy.deepcopy(other[other_key])
    elif name == "swap" and isinstance(container, list):
        at = number % len(container)
        container[key], container[at] = container[at], container[key]
    elif name == "repeat" and isinstance(value, list):
        container[key] = value * (number % 40)
    elif name == "add" and isinstance(value, dict):
        value["new"] = copy.deepcopy(VALUES[number % len(VALUES)])
    elif name == "move" and isinstance(value, list):
        value.append(copy.deepcopy(VALUES[number % len(VALUES)]))
    else:
        container[key] = [value]
