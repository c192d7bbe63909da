"""JSON that others wrote: read whole or refused, with nothing in it that trips those who use it."""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any, NoReturn

from chordlearn.system.files import read_whole

DEEPEST = 100
"""Lists and objects within each other; our own documents have less than ten."""
MOST_DIGITS = 300
"""Of a whole number; more do not fit into a floating-point number."""

_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file; raises OSError, also for a file too large or without end, or UnicodeDecodeError."""
    return read_whole(path).decode()


def parse_json(text: str, *, infinite: bool = False) -> Any:
    """The value of a JSON text; raises ValueError, whatever is wrong with it.

    Refused are also NaN, infinities (unless they may be there), numbers too large for floating point, half
    characters and deep nesting.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: lists or objects are nested too deeply
    """
    try:
        document = json.loads(
            text, parse_constant=_infinity if infinite else _refuse, parse_float=_finite, parse_int=_moderate
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
