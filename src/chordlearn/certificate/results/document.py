"""The JSON result as the certificate reads it: strictly, and without the package's own reader."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

from chordlearn.certificate.results.report import Failed
from chordlearn.errors import InputError, either
from chordlearn.system.files import read_whole

SCHEMA = "chordlearn/result@1"

Document = Mapping[str, Any]


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
    for name, (form, kind) in _SHAPE.items():
        if name not in document:
            raise Failed(f"the field {name!r} is missing")
        if not _fits(document[name], form):
            raise Failed(f"the field {name!r} is not {kind}")
    if document["score"] is None and document["status"] != "none":
        raise Failed(f"the status is {document['status']!r}, but there is no score")
    count = len(document["cliques"])
    for edge in document["junction_tree"]:
        if not all(0 <= i < count for i in edge["cliques"]):
            raise Failed(f"the junction tree names the cliques {edge['cliques']}, but there are {count}")
    return f"all {len(_SHAPE) + 1} fields are there and of the right kind"


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number."""
    if _fits(value, "whole"):
        return bool(abs(value) < 1 << 1000)
    return isinstance(value, float) and math.isfinite(value)


def _fits(value: Any, form: Any) -> bool:
    """Whether a JSON value has a form: a word, or lists and objects of forms as ``_SHAPE`` writes them."""
    match form:
        case tuple():
            return any(_fits(value, choice) for choice in form)
        case [one]:
            return isinstance(value, list) and all(_fits(item, one) for item in value)
        case [one, _]:
            return _fits(value, [one]) and len(value) == 2
        case {"any": one}:
            return isinstance(value, Mapping) and all(_fits(item, one) for item in value.values())
        case {"and no others": True, **fields}:
            return _fits(value, fields) and set(value) == set(fields)
        case dict():
            return isinstance(value, Mapping) and all(
                name in value and _fits(value[name], one) for name, one in form.items()
            )
        case "text":
            return isinstance(value, str)
        case "whole":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return is_number(value)
        case "at least 0":
            return is_number(value) and value >= 0
        case "above 0":
            return is_number(value) and value > 0
    return value is None if form is None else bool(form(value))


def _is_status(value: Any) -> bool:
    return value in ("optimal", "feasible", "none")


def _falls(value: Any) -> bool:
    return _fits(value, {"before": "whole", "after": "whole"}) and 0 <= value["after"] <= value["before"]


_NAMES, _PAIRS = ["text"], [["text", "text"]]

_SHAPE: dict[str, tuple[Any, str]] = {
    "status": (_is_status, "optimal, feasible or none"),
    "score": (("number", None), "a number or null"),
    "bound": (("number", None), "a number or null"),
    "gap": (("at least 0", None), "a number of at least 0 or null"),
    "tolerance": ("at least 0", "a number of at least 0"),
    "stopped_by": ("text", "text"),
    "variables": (_NAMES, "a list of names"),
    "states": (([_NAMES], None), "a list of lists of labels or null"),
    "edges": (_PAIRS, "a list of pairs of names"),
    "cliques": ([_NAMES], "a list of lists of names"),
    "separators": ([_NAMES], "a list of lists of names"),
    "junction_tree": (
        [{"cliques": ["whole", "whole"], "separator": _NAMES}],
        "a list of objects with two clique numbers and a separator",
    ),
    "score_function": (
        {"name": "text", "parameters": {}, "and no others": True},
        "an object with name and parameters, and nothing else",
    ),
    "rows": (("at least 0", None), "a number of at least 0 or null"),
    "constraints": (
        {"max_clique": ("whole", None), "required": _PAIRS, "forbidden": _PAIRS, "and no others": True},
        "an object with max_clique, required and forbidden, and nothing else",
    ),
    "backend": ("text", "text"),
    "encoding": (("text", None), "text or null"),
    "scaling": (
        ({"factor": "above 0", "max_error": "at least 0"}, None),
        "an object with a positive factor and a max_error, or null",
    ),
    "candidates": ((_falls, None), "an object with after no more than before, or null"),
    "seconds": ({"any": "at least 0"}, "an object of numbers of at least 0"),
    "seed": (("whole", None), "a whole number or null"),
    "versions": ({"any": "text"}, "an object of texts"),
    "data": ({"source": "text", "options": {}}, "an object with source and options"),
    "data_sha256": ("text", "text"),
    "runners_up": ([{"score": "number", "cliques": [_NAMES]}], "a list of objects with score and cliques"),
    "claims": (
        [
            {
                "class": {"any": "whole"},
                "status": _is_status,
                "score": "number",
                "bound": ("number", None),
                "gap": ("at least 0", None),
                "cliques": [_NAMES],
                "and no others": True,
            }
        ],
        "a list of objects with class, status, score, bound, gap and cliques, and nothing else",
    ),
    "details": ({}, "an object"),
}
"""Of each field its form, which is looked at, and that in words."""
