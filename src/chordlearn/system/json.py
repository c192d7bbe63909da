"""JSON that others wrote, read whole or refused, and JSON of our own.

JSON has no infinity: ``null`` stands for it, and NaN never occurs.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, get_type_hints

import msgspec

from chordlearn.errors import InputError
from chordlearn.system.files import read_whole
from chordlearn.system.text import json_text

DEEPEST = 100
"""Lists and objects within each other; our own documents have less than ten."""
MOST_DIGITS = 300
"""Of a whole number; more do not fit into a floating-point number."""

_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")

T = TypeVar("T")


class JsonMixin:
    """Gives a struct or a dataclass as plain JSON values and as text."""

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return dict(plain_values(msgspec.to_builtins(self, enc_hook=plain_values)))

    def to_json(self) -> str:
        """The same as JSON text."""
        return json_text(self.to_dict(), indent=2)


def plain_values(value: Any) -> Any:
    """As JSON can hold it: tuples become lists, numpy's numbers Python's, infinities null.

    >>> plain_values({"cliques": ((0, 1),), "bound": math.inf})
    {'cliques': [[0, 1]], 'bound': None}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [plain_values(item) for item in value]
    if hasattr(value, "tolist"):
        return plain_values(value.tolist())
    return str(value)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file; raises OSError, also for a file too large or without end, or UnicodeDecodeError."""
    return read_whole(path).decode()


def load_document(path: str | os.PathLike[str], noun: str, from_json: Callable[[str], T]) -> T:
    """What is made of the text of a file; one sentence says what is wrong with either."""
    try:
        text = read_text(path)
    except OSError as error:
        raise InputError(f"The {noun} {os.fspath(path)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The file {os.fspath(path)} is not text; give the JSON of a {noun}.") from None
    try:
        return from_json(text)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error.sentence}") from None


def parse_document(text: str, noun: str, writer: str) -> Any:
    """The value of a JSON text; one sentence says what is wrong with it and what writes it again."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise InputError(
            f"This is not a whole JSON {noun} ({error}); it may be cut off: write it again with {writer}."
        ) from None


def convert(document: object, kind: type[T], noun: str) -> T:
    """A parsed document as a struct; one sentence says what is wrong with it.

    >>> class Point(msgspec.Struct):
    ...     x: float
    >>> convert({"x": 1}, Point, "dot")
    Point(x=1.0)
    >>> convert({"x": "1"}, Point, "dot")
    Traceback (most recent call last):
        ...
    chordlearn.errors.InputError: The field 'x' of the dot is wrong: expected float, got str; write it again.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).replace("`", "").partition(" - at $")
    if message.startswith("Object missing required field") and not place:
        name = message.split()[-1]
        raise InputError(f"The {noun} has no field {name!r}; it is cut off or not a {noun}.")
    name = re.split(r"[.\[]", place)[1] if place.startswith(".") else ""
    if not name:
        raise InputError(f"A {noun} is a JSON object, but this is something else; give the JSON of a {noun}.")
    for meta in getattr(get_type_hints(kind, include_extras=True)[name], "__metadata__", ()):
        if meta.description is not None:
            raise InputError(f"The field {name!r} of the {noun} must be {meta.description}.")
    message = message[0].lower() + message[1:].rstrip(".")
    within = place[1 + len(name) :]
    raise InputError(
        f"The field {name!r} of the {noun} is wrong: {message}{within and ' at '}{within}; write it again."
    )


def parse_json(text: str, *, infinite: bool = False) -> Any:
    """The value of a JSON text; raises ValueError, whatever is wrong with it.

    Refused are also fields that stand twice, NaN, infinities (unless they may be there), numbers too large
    for floating point, half characters and deep nesting, most of which msgspec reads.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the field 'a' stands twice
    """
    try:
        document = json.loads(
            text,
            parse_constant=_infinity if infinite else _refuse,
            parse_float=_finite,
            parse_int=_moderate,
            object_pairs_hook=_once,
        )
    except RecursionError:
        raise _too_deep() from None
    _check_depth(text)
    if _HALF_PAIR.search(text):
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds half a character") from None
    return document


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth = 0
    for match in _BRACKET.finditer(text):
        if match[1]:
            depth += 1
            if depth > DEEPEST:
                raise _too_deep()
        elif match[2]:
            depth -= 1


def _too_deep() -> ValueError:
    return ValueError("lists or objects are nested too deeply")


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _infinity(text: str) -> float:
    return float(text) if text != "NaN" else _refuse(text)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _moderate(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a whole number has more than {MOST_DIGITS} digits")
    return int(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice!r} stands twice")
    return found
