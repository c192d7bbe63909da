"""The network file: structure, states, tables and provenance as JSON, which is safe to open.

The reader believes nothing: sizes, signs, sums and the agreement of cliques on what they share are checked.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.errors import InputError, either
from chordlearn.network.chordal import ChordalNetwork, JunctionEdge
from chordlearn.network.consistency import check_agreement
from chordlearn.network.directed import Table
from chordlearn.network.parameters import METHODS, Estimation
from chordlearn.system.files import write_whole
from chordlearn.system.json import parse_json, read_text

SCHEMA = "chordlearn/network@1"
SUFFIX = ".chord.json"
TOLERANCE = 1e-9


def as_dict(
    structure: ChordalNetwork, tables: Sequence[Table], estimation: Estimation, provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of a network file."""
    return {
        "schema": SCHEMA,
        "variables": list(structure.variables),
        "states": None if structure.states is None else _lists(structure.states),
        "edges": _lists(structure.edges),
        "cliques": _lists(structure.cliques),
        "separators": _lists(structure.separators),
        "junction_tree": [
            {"cliques": list(edge.cliques), "separator": list(edge.separator)}
            for edge in structure.junction_tree
        ],
        "estimation": {"method": estimation.method, "ess": estimation.ess},
        "tables": [
            {"variables": list(clique), "probabilities": table.ravel().tolist()}
            for clique, table in zip(structure.cliques, tables, strict=True)
        ],
        "provenance": dict(provenance),
    }


def _lists(groups: Iterable[Iterable[Any]]) -> list[list[Any]]:
    return [list(group) for group in groups]


def parse(text: str) -> Any:
    """The JSON value in a network file."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise InputError(
            f"This is not a whole JSON document ({error}); it may be cut off: "
            f"write it again with {either('FittedNetwork.save', '--save')}."
        ) from None


def read(document: object) -> tuple[ChordalNetwork, tuple[Table, ...], Estimation, dict[str, Any]]:
    """What stands in a network file, once it has been found sound."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise InputError(
            f"The schema is {found!r} where this version reads {SCHEMA!r}; give a network file ({SUFFIX})."
        )
    variables = _names(document, "variables")
    states = [_strings(labels, "states") for labels in _list(document, "states")]
    _check_states(variables, states)
    cliques = [_strings(clique, "cliques") for clique in _list(document, "cliques")]
    structure = ChordalNetwork.from_cliques(variables, cliques, states)
    if [list(clique) for clique in structure.cliques] != cliques:
        raise InputError("The cliques of the network are not in the order of its variables; write it again.")
    edges, separators = (
        [_strings(names, name) for names in _list(document, name)] for name in ("edges", "separators")
    )
    check_agreement(structure, structure.cliques, edges, separators, _junction_tree(document, len(cliques)))
    estimation = _estimation(document.get("estimation"))
    tables = _tables(structure, _list(document, "tables"))
    provenance = document.get("provenance")
    if not isinstance(provenance, dict):
        raise _wrong("provenance", "an object")
    return structure, tables, estimation, provenance


def write_file(path: str | os.PathLike[str], text: str) -> None:
    """Write the text whole or not at all."""
    write_whole(Path(path), text)


def read_file(path: str | os.PathLike[str]) -> str:
    """The text of a file, or one sentence that says why there is none."""
    try:
        return read_text(path)
    except OSError as error:
        raise InputError(f"The network {os.fspath(path)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The file {os.fspath(path)} is not text; give a network file ({SUFFIX}).") from None


def _wrong(name: str, expected: str) -> InputError:
    return InputError(f"The field {name!r} of the network must be {expected}; write the network again.")


def _list(document: Mapping[str, Any], name: str) -> list[Any]:
    value = document.get(name)
    if not isinstance(value, list):
        raise _wrong(name, "a list")
    return value


def _strings(value: Any, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _wrong(name, "made of lists of texts")
    return value


def _names(document: Mapping[str, Any], name: str) -> list[str]:
    return _strings(_list(document, name), name)


def _junction_tree(document: Mapping[str, Any], cliques: int) -> list[JunctionEdge]:
    wrong = _wrong("junction_tree", "a list of objects with cliques (two numbers) and separator")
    tree = []
    for edge in _list(document, "junction_tree"):
        if not isinstance(edge, dict):
            raise wrong
        match edge.get("cliques"):
            case [int(i), int(j)] if 0 <= i < cliques and 0 <= j < cliques:
                tree.append(JunctionEdge((i, j), tuple(_strings(edge.get("separator"), "junction_tree"))))
            case _:
                raise wrong
    return tree


def _check_states(variables: list[str], states: list[list[str]]) -> None:
    if len(states) != len(variables) or any(not labels for labels in states):
        raise _wrong("states", "a list with at least one state for each variable")
    for name, labels in zip(variables, states, strict=True):
        if len(set(labels)) != len(labels):
            raise InputError(f"The variable {name!r} of the network has a state twice; write it again.")


def _estimation(value: Any) -> Estimation:
    if not isinstance(value, dict) or value.get("method") not in METHODS:
        raise _wrong("estimation", f"an object whose method is {' or '.join(METHODS)}")
    ess = value.get("ess")
    if ess is not None and (isinstance(ess, bool) or not isinstance(ess, int | float)):
        raise _wrong("estimation", "an object whose ess is a number or null")
    return Estimation(value["method"], None if ess is None else float(ess))


def _tables(structure: ChordalNetwork, listed: list[Any]) -> tuple[Table, ...]:
    assert structure.states is not None
    if len(listed) != len(structure.cliques):
        raise _wrong("tables", "a list with one table for each clique, in their order")
    size = dict(zip(structure.variables, map(len, structure.states), strict=True))
    tables = []
    for clique, entry in zip(structure.cliques, listed, strict=True):
        shown = ", ".join(clique)
        if not isinstance(entry, dict) or entry.get("variables") != list(clique):
            raise _wrong("tables", f"a list in which a table names the variables {shown}")
        shape = tuple(size[name] for name in clique)
        numbers = entry.get("probabilities")
        if not isinstance(numbers, list) or len(numbers) != math.prod(shape):
            raise InputError(f"The table of {shown} must hold {math.prod(shape)} probabilities.")
        if not all(type(number) in (int, float) and 0 <= number <= 1 for number in numbers):
            raise InputError(f"The table of {shown} holds something that is no probability.")
        table = np.array(numbers, dtype=np.float64).reshape(shape)
        if abs(float(table.sum()) - 1) > TOLERANCE:
            raise InputError(f"The probabilities in the table of {shown} do not add up to 1.")
        tables.append(table)
    for edge in structure.junction_tree:
        first, second = (_onto(tables[i], structure.cliques[i], edge.separator) for i in edge.cliques)
        if np.abs(first - second).max() > TOLERANCE:
            raise InputError(f"Two tables of the network disagree on {', '.join(edge.separator)}.")
    return tuple(tables)


def _onto(table: Table, clique: Sequence[str], kept: Sequence[str]) -> Table:
    return np.asarray(table.sum(axis=tuple(i for i, name in enumerate(clique) if name not in kept)))
