"""States that variables have whether or not they occur, as a user declares them or a file lists them."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chordlearn.data.coding import MISSING, label_of
from chordlearn.data.naming import listed, position_of
from chordlearn.errors import InputError, option
from chordlearn.system.json import parse_json, read_text

OCCURRING = "occurring"
"""Asks for the states that occur and no others, also where a categorical type declares more."""

States = str | os.PathLike[str] | Mapping[str, Iterable[Any]]
"""A file, a mapping from columns to their states, or `"occurring"`."""


def declared_states(states: States, known: Sequence[str]) -> dict[str, list[str]]:
    """The labels that are declared for each column named.

    >>> declared_states({"a": [2, 1.0, None, "2"]}, ["a", "b"])
    {'a': ['2', '1']}
    """
    given = states if isinstance(states, Mapping) else _in_file(os.fspath(states))
    found = {}
    for name, values in given.items():
        position_of(name, known, "states")
        found[name] = listed_labels(name, values)
    return found


def listed_labels(name: object, values: Any) -> list[str]:
    """The labels of states declared for a column, each once."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{option('states')} of {name!r} must be a list of states, not {values!r}.")
    labels = dict.fromkeys(label for label in map(label_of, values) if label is not None)
    if not labels:
        raise InputError(f"{option('states')} declares no state of {name!r}; give it at least one.")
    return list(labels)


def _in_file(path: str) -> dict[str, Any]:
    """The states in a JSON file, an object of lists, or in a CSV file with a line for each."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file of states {path} cannot be read ({error}); check the path.") from None
    if path.lower().endswith(".json"):
        try:
            document = parse_json(text)
        except ValueError as error:
            raise InputError(f"The file of states {path} is no whole JSON document ({error}).") from None
        if not isinstance(document, dict):
            raise InputError(
                f'The file of states {path} must be an object such as {{"colour": ["red", "blue"]}}.'
            )
        return document
    found: dict[str, list[str]] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text)), start=1):
        if len(row) != 2:
            raise InputError(
                f"Line {number} of the file of states {path} has {len(row)} fields; "
                "each line is a column and one of its states, under a header."
            )
        if number > 1:
            found.setdefault(row[0].strip(), []).append(row[1])
    return found


def refuse_undeclared(name: str, occurring: Iterable[str], declared: Sequence[str]) -> None:
    """Refuse states that occur in a column whose states were declared without them."""
    undeclared = sorted(set(occurring) - {*declared, MISSING})
    if undeclared:
        found = listed([repr(label) for label in undeclared])
        raise InputError(
            f"Column {name!r} holds {found}, which {option('states')} does not declare; "
            "add what is lacking there, or mend the data."
        )
