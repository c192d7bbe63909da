"""The journal of a bootstrap: a line of JSON per network, so that a run can be taken up again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chordlearn.errors import InputError
from chordlearn.system.files import LARGEST_BYTES, Lines, read_at_most
from chordlearn.system.json import parse_json
from chordlearn.system.text import json_text

SCHEMA = "chordlearn/bootstrap@1"


class Journal:
    """Appends finished replicates to a file, after those of an earlier run of the same kind."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Open the file; what is in it must come from the same data, score, constraints and seed."""
        self.path = path
        self.earlier: list[dict[str, Any]] = []
        expected = {"schema": SCHEMA, **header}
        try:
            lines = _content(path).splitlines(keepends=True) if path.exists() else []
            whole = [line for line in lines if line.endswith(b"\n")]
            if lines and not whole:
                # The first line of a journal comes whole or not at all.
                raise self.foreign("it is no journal")
            if whole:
                self._take_up(whole, expected)
            # A line that an earlier run could not finish is written over.
            self._lines = Lines(path, keep=sum(map(len, whole)))
            if not whole:
                self._begin(expected)
        except OSError as error:
            raise self._unusable(error) from None

    def add(self, replicate: Mapping[str, Any]) -> None:
        """Append one replicate and bring it to the disk."""
        try:
            self._lines.add(json_text(replicate))
        except OSError as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def _begin(self, header: Mapping[str, Any]) -> None:
        try:
            self._lines.add(json_text(header))
        except OSError:
            self._lines.close()
            raise

    def _take_up(self, lines: list[bytes], expected: Mapping[str, Any]) -> None:
        try:
            documents = [parse_json(line.decode()) for line in lines]
        except ValueError:
            raise self.foreign("it is no journal") from None
        header = documents[0]
        if not isinstance(header, dict) or header.get("schema") != SCHEMA:
            raise self.foreign("it is no journal")
        for name, value in expected.items():
            if header.get(name) != json.loads(json.dumps(value)):
                raise self.foreign(f"its {name} is another")
        names = set(expected["variables"])
        if not all(is_sound(document, names) for document in documents[1:]):
            raise self.foreign("a line of it is damaged")
        self.earlier = documents[1:]

    def foreign(self, why: str) -> InputError:
        """What to say of a journal that does not belong to this run."""
        return InputError(f"{self.path} cannot be taken up, because {why}; name another file or delete it.")

    def _unusable(self, error: OSError) -> InputError:
        return InputError(f"{self.path} cannot be written: {error.strerror}; choose another file or folder.")


def is_sound(document: Any, names: set[str]) -> bool:
    """Whether a line of the journal is a replicate of a network on these variables."""
    if not isinstance(document, dict) or not isinstance(document.get("cliques"), list):
        return False
    number, score = document.get("sample"), document.get("score")
    return (
        type(number) is int
        and number >= 0
        and isinstance(score, int | float)
        and math.isfinite(score)
        and isinstance(document.get("status"), str)
        and all(
            isinstance(clique, list) and all(isinstance(name, str) and name in names for name in clique)
            for clique in document["cliques"]
        )
    )


def _content(path: Path) -> bytes:
    # As it is, because more is appended.
    with path.open("rb") as file:
        return read_at_most(file, LARGEST_BYTES)
