"""The map beside a written file: what its variables mean, and all that makes a result of an answer.

It holds the real scores of the candidates, so that an answer can be scored without the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from chordlearn.encodings.asp.facts import free_in_rules
from chordlearn.encodings.languages import LANGUAGES
from chordlearn.encodings.meanings import Before, Chosen, Complete, Edge, Meaning, Parents, Separator
from chordlearn.encodings.model import Model
from chordlearn.encodings.scaling import IntegerScaling
from chordlearn.errors import InputError
from chordlearn.graphs import members
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.json import convert, parse_json, read_text

SCHEMA = "chordlearn/model@2"


@dataclass(frozen=True)
class ModelMap:
    """What a written file means."""

    encoding: str
    language: str
    variables: tuple[str, ...]
    """The names of the network's variables."""
    numbers: Mapping[str, int]
    """The number of every variable by its name in the file; those of translations are left out."""
    edges: Mapping[int, tuple[int, int]]
    """The edge that a variable of the file stands for."""
    scores: Mapping[int, float]
    """The real score of every candidate."""
    values: Mapping[int, float]
    """What every candidate scores in the file: an integer, or the real score."""
    free: float
    """What a network scores in the file that costs nothing there."""
    required: tuple[tuple[int, int], ...]
    scaling: IntegerScaling | None
    lower: float
    """Networks with other complete sets than candidates score no more than this."""
    origin: Mapping[str, Any]
    """Provenance for the result: score function, rows, states, constraints, data, hash, candidates."""


class _Entry(msgspec.Struct):
    variable: int
    name: str
    indices: tuple[int, int] | None = None
    """Of an edge."""


class _Objective(msgspec.Struct):
    free: int | float


class _MapFile(msgspec.Struct, kw_only=True):
    """What is read of the file."""

    encoding: str
    language: str = msgspec.field(name="format")
    variables: tuple[str, ...]
    objective: _Objective
    scaling: IntegerScaling | None
    meanings: list[_Entry]
    required: tuple[tuple[int, int], ...]
    lower: float | None
    sets: list[int]
    scores: list[float]
    integers: list[int] | None
    origin: dict[str, Any]


def map_path(path: Path) -> Path:
    """Where the map of a written file is.

    >>> map_path(Path("heart.wcnf")).name
    'heart.wcnf.map.json'
    """
    return path.with_name(f"{path.name}.map.json")


def map_document(
    problem: Problem,
    candidates: Candidates,
    *,
    encoding: str,
    language: str,
    model: Model | None,
    scaled: Problem,
    scaling: IntegerScaling | None,
    origin: Mapping[str, Any],
) -> dict[str, Any]:
    """The map as plain JSON values; without a model the file is an ASP program, whose edges are atoms."""
    sets = [0, *candidates.masks.tolist()]
    return {
        "schema": SCHEMA,
        "encoding": encoding,
        "format": language,
        "variables": list(problem.variables),
        "objective": {
            "sense": "maximise",
            "constant": 0.0 if model is None else model.constant,
            "weights": "real scores" if scaling is None else "integers",
            "free": free_in_rules(encoding, scaled, candidates)
            if model is None
            else LANGUAGES[language].free(model),
        },
        "scaling": None
        if scaling is None
        else {"factor": scaling.factor, "offset": scaling.offset, "max_error": scaling.max_error},
        "meanings": list(_atoms(problem, candidates) if model is None else _meanings(problem, model)),
        "required": [list(pair) for pair in problem.required],
        "lower": candidates.lower if math.isfinite(candidates.lower) else None,
        "sets": sets,
        "scores": problem.score_sets(sets),
        "integers": None if scaling is None else list(map(int, scaled.score_sets(sets))),
        "origin": dict(origin),
    }


def _meanings(problem: Problem, model: Model) -> list[dict[str, Any]]:
    found = []
    for number, meaning in enumerate(model.meanings, 1):
        described = _described(problem, meaning)
        if described:
            found.append({"variable": number, "name": meaning.name, **described})
    return found


def _atoms(problem: Problem, candidates: Candidates) -> list[dict[str, Any]]:
    pairs = [tuple(members(mask)) for mask in candidates.masks.tolist() if mask.bit_count() == 2]
    return [
        {"variable": number, "name": f"edge_{a}_{b}", **_described(problem, Edge(a, b))}
        for number, (a, b) in enumerate(pairs, 1)
    ]


def _described(problem: Problem, meaning: Meaning) -> dict[str, Any]:
    """The meaning in names of the network's variables; nothing for steps of a translation."""

    def names(mask: int) -> list[str]:
        return list(problem.names(mask))

    match meaning:
        case Edge(a, b):
            return {"edge": names(1 << a | 1 << b), "indices": [a, b]}
        case Chosen(clique):
            return {"clique": names(clique)}
        case Separator(first, second):
            return {"separator": names(first & second), "between": [names(first), names(second)]}
        case Before(a, b):
            return {"before": [problem.variables[a], problem.variables[b]]}
        case Parents(vertex, parents):
            return {"vertex": problem.variables[vertex], "parents": names(parents)}
        case Complete(vertices):
            return {"complete": names(vertices)}
    return {}


def read_map(path: Path) -> ModelMap:
    """The map in a file; says in one sentence what is wrong with it."""
    try:
        document = parse_json(read_text(path))
    except OSError as error:
        raise InputError(
            f"The map {path} cannot be read ({error.strerror}); encode writes it beside the model file."
        ) from None
    except ValueError:
        raise InputError(f"The map {path} is no whole JSON; write it again with chordlearn encode.") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"{path} is no map of this version ({SCHEMA}); write it with chordlearn encode.")
    try:
        return _read(convert(document, _MapFile, "map"))
    except ValueError:
        raise InputError(f"The map {path} is damaged; write it again with chordlearn encode.") from None


def _read(file: _MapFile) -> ModelMap:
    values: list[int] | list[float] = file.integers or file.scores
    return ModelMap(
        encoding=file.encoding,
        language=file.language,
        variables=file.variables,
        numbers={entry.name: entry.variable for entry in file.meanings},
        edges={entry.variable: entry.indices for entry in file.meanings if entry.indices is not None},
        scores=dict(zip(file.sets, file.scores, strict=True)),
        values=dict(zip(file.sets, values, strict=True)),
        free=file.objective.free,
        required=file.required,
        scaling=file.scaling,
        lower=-math.inf if file.lower is None else file.lower,
        origin=file.origin,
    )
