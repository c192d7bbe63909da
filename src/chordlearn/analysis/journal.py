"""The journal of a bootstrap: a line of JSON per network, so that a run can be taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from chordlearn.errors import InputError
from chordlearn.system.files import LARGEST_BYTES, Lines, read_at_most
from chordlearn.system.json import JsonMixin, parse_json, plain_values
from chordlearn.system.text import json_text

SCHEMA = "chordlearn/bootstrap@1"


class Replicate(JsonMixin, msgspec.Struct, frozen=True, omit_defaults=True):
    """The best network of one resampled data set; as JSON it is a line of the journal."""

    number: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(name="sample")
    score: float
    status: str
    """`optimal` when it was proved in this run."""
    cliques: tuple[tuple[str, ...], ...]
    from_journal: bool = False
    """Whether it was taken from a journal: scored again, but not proved again."""


class Journal:
    """Appends finished replicates to a file, after those of an earlier run of the same kind."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Open the file; what is in it must come from the same data, score, constraints and seed."""
        self.path = path
        self.earlier: list[Replicate] = []
        expected = plain_values({"schema": SCHEMA, **header})
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
        except OSError as error:
            raise self._unusable(error) from None
        if not whole:
            try:
                self._add(expected)
            except InputError:
                self._lines.close()
                raise

    def add(self, replicate: Replicate) -> None:
        """Append one replicate and bring it to the disk."""
        self._add(replicate.to_dict())

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def _add(self, document: Mapping[str, Any]) -> None:
        try:
            self._lines.add(json_text(document))
        except OSError as error:
            raise self._unusable(error) from None

    def _take_up(self, lines: list[bytes], expected: Mapping[str, Any]) -> None:
        try:
            header, *documents = [parse_json(line.decode()) for line in lines]
        except ValueError:
            raise self.foreign("it is no journal") from None
        if not isinstance(header, dict) or header.get("schema") != SCHEMA:
            raise self.foreign("it is no journal")
        for name, value in expected.items():
            if header.get(name) != value:
                raise self.foreign(f"its {name} is another")
        try:
            self.earlier = msgspec.convert(documents, list[Replicate])
        except msgspec.ValidationError:
            raise self.foreign("a line of it is damaged") from None

    def foreign(self, why: str) -> InputError:
        """What to say of a journal that does not belong to this run."""
        return InputError(f"{self.path} cannot be taken up, because {why}; name another file or delete it.")

    def _unusable(self, error: OSError) -> InputError:
        return InputError(f"{self.path} cannot be written: {error.strerror}; choose another file or folder.")


def _content(path: Path) -> bytes:
    # As it is, because more is appended.
    with path.open("rb") as file:
        return read_at_most(file, LARGEST_BYTES)
