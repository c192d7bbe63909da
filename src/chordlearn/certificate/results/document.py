"""The JSON result as the certificate reads it: strictly, and without the package's own reader."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from chordlearn.certificate.results.report import Failed
from chordlearn.errors import InputError, either
from chordlearn.system.files import read_whole

SCHEMA = "chordlearn/result@1"

Document = Mapping[str, Any]
Test = Callable[[Any], bool]


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON object in a file; a field given twice, NaN and infinities are refused."""
    shown = os.fspath(path)
    try:
        text = read_whole(path).decode()
    except OSError as error:
        raise InputError(f"The result {shown} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The file {shown} is not text; give the JSON result of a run.") from None
    try:
        document = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"The result {shown} is not valid JSON ({error}); "
            f"write it again with {either('Result.save', '--json')}."
        ) from None
    if not isinstance(document, dict):
        raise InputError(f"The file {shown} holds no JSON object; give the JSON result of a run.")
    return document


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the field {key!r} stands twice")
        found[key] = value
    return found


def check_shape(document: Document) -> str:
    """Every field is there and of the right kind."""
    if not isinstance(document, Mapping):
        raise Failed("the document is not a JSON object")
    if document.get("schema") != SCHEMA:
        raise Failed(f"the schema is {document.get('schema')!r}, not {SCHEMA!r}")
    for name, (test, kind) in _SHAPE.items():
        if name not in document:
            raise Failed(f"the field {name!r} is missing")
        if not test(document[name]):
            raise Failed(f"the field {name!r} is not {kind}")
    if document["score"] is None and document["status"] != "none":
        raise Failed(f"the status is {document['status']!r}, but there is no score")
    count = len(document["cliques"])
    for edge in document["junction_tree"]:
        if not all(0 <= i < count for i in edge["cliques"]):
            raise Failed(f"the junction tree names the cliques {edge['cliques']}, but there are {count}")
    return f"all {len(_SHAPE) + 1} fields are there and of the right kind"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number."""
    if _is_whole(value):
        return bool(abs(value) < 1 << 1000)
    return isinstance(value, float) and math.isfinite(value)


def _is_not_negative(value: Any) -> bool:
    return is_number(value) and value >= 0


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _list_of(test: Test, length: int | None = None) -> Test:
    return lambda value: (
        isinstance(value, list) and length in (None, len(value)) and all(test(item) for item in value)
    )


def _object_of(**tests: Test) -> Test:
    return lambda value: (
        _is_object(value) and all(name in value and test(value[name]) for name, test in tests.items())
    )


def _object_of_only(**tests: Test) -> Test:
    """An object in which nothing else stands, so that nothing that is claimed there goes unread."""
    return lambda value: _object_of(**tests)(value) and set(value) == set(tests)


def _values(test: Test) -> Test:
    return lambda value: _is_object(value) and all(test(item) for item in value.values())


def _or_null(test: Test) -> Test:
    return lambda value: value is None or test(value)


def _counts(value: Any) -> bool:
    both = _object_of(before=_is_whole, after=_is_whole)(value)
    return both and bool(0 <= value["after"] <= value["before"])


def _is_scaling(value: Any) -> bool:
    both = _object_of(factor=is_number, max_error=_is_not_negative)(value)
    return both and bool(value["factor"] > 0)


_names = _list_of(_is_text)
_pairs = _list_of(_list_of(_is_text, 2))

_SHAPE: dict[str, tuple[Test, str]] = {
    "status": (lambda value: value in ("optimal", "feasible", "none"), "optimal, feasible or none"),
    "score": (_or_null(is_number), "a number or null"),
    "bound": (_or_null(is_number), "a number or null"),
    "gap": (_or_null(_is_not_negative), "a number of at least 0 or null"),
    "tolerance": (_is_not_negative, "a number of at least 0"),
    "stopped_by": (_is_text, "text"),
    "variables": (_names, "a list of names"),
    "states": (_or_null(_list_of(_names)), "a list of lists of labels or null"),
    "edges": (_pairs, "a list of pairs of names"),
    "cliques": (_list_of(_names), "a list of lists of names"),
    "separators": (_list_of(_names), "a list of lists of names"),
    "junction_tree": (
        _list_of(_object_of(cliques=_list_of(_is_whole, 2), separator=_names)),
        "a list of objects with two clique numbers and a separator",
    ),
    "score_function": (
        _object_of_only(name=_is_text, parameters=_is_object),
        "an object with name and parameters, and nothing else",
    ),
    "rows": (_or_null(_is_whole), "a whole number or null"),
    "constraints": (
        _object_of_only(max_clique=_or_null(_is_whole), required=_pairs, forbidden=_pairs),
        "an object with max_clique, required and forbidden, and nothing else",
    ),
    "backend": (_is_text, "text"),
    "encoding": (_or_null(_is_text), "text or null"),
    "scaling": (_or_null(_is_scaling), "an object with a positive factor and a max_error, or null"),
    "candidates": (_or_null(_counts), "an object with after no more than before, or null"),
    "seconds": (_values(_is_not_negative), "an object of numbers of at least 0"),
    "seed": (_or_null(_is_whole), "a whole number or null"),
    "versions": (_values(_is_text), "an object of texts"),
    "data": (_object_of(source=_is_text, options=_is_object), "an object with source and options"),
    "data_sha256": (_is_text, "text"),
    "runners_up": (
        _list_of(_object_of(score=is_number, cliques=_list_of(_names))),
        "a list of objects with score and cliques",
    ),
    "details": (_is_object, "an object"),
}
