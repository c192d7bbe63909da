"""What a proof claims (claim.json), the files it consists of, and their lines of whole numbers."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from chordlearn.certificate.results.document import Document, is_number, read_document
from chordlearn.certificate.results.report import Failed
from chordlearn.errors import InputError, either

SCHEMA = "chordlearn/proof@1"
CLAIM = "claim.json"
LEARN = either("learn(proof=…)", "learn --proof")
RESULT = "result.json"
SCORES = "scores.txt"
BOUNDS = "bounds.txt"
INSTANCE = "instance.cnf"
CORES = "cores.txt"
LEMMAS = "proof.lrat"
CUTS = "cuts.txt"
ALWAYS = (RESULT, SCORES)
WITH_INSTANCE = (INSTANCE, CORES, LEMMAS)
KINDS = ({*ALWAYS, BOUNDS}, {*ALWAYS, BOUNDS, *WITH_INSTANCE}, {RESULT, CUTS})
"""The files of each kind of proof."""

SHARED = ("variables", "score", "tolerance", "score_function", "constraints", "data_sha256")
"""What the claim and the result in the same folder must say alike."""
FIELDS = ("schema", *SHARED, "factor", "threshold", "files")
MOST_VARIABLES = 20
_WHOLE = re.compile(r"-?[0-9]{1,25}")


def is_proof(folder: Path) -> bool:
    """Whether somebody has written a proof there; it is whole then, for its files come together."""
    return (folder / CLAIM).is_file()


def claim_of(folder: Path) -> dict[str, Any]:
    """The claim of the proof in a folder."""
    if not is_proof(folder):
        raise InputError(f"{folder} holds no proof: it has no {CLAIM}; give what {LEARN} wrote.")
    return read_document(folder / CLAIM)


def result_of(folder: Path) -> dict[str, Any]:
    """The result in the folder of a proof."""
    claim_of(folder)
    if not (folder / RESULT).is_file():
        raise InputError(f"{folder} holds no whole proof: it has no {RESULT}; give what {LEARN} wrote.")
    return read_document(folder / RESULT)


def check_claim(claim: Document) -> str:
    """Every field is there and of the right kind."""
    if claim.get("schema") != SCHEMA:
        raise Failed(f"the schema is {claim.get('schema')!r}, not {SCHEMA!r}")
    for field in FIELDS:
        if field not in claim:
            raise Failed(f"the field {field!r} is missing")
    for field in claim:
        if field not in FIELDS:
            raise Failed(f"the field {field!r} is none of a claim, and nothing would check it")
    factor = claim["factor"]
    if not is_number(factor) or factor <= 0 or math.frexp(factor)[0] != 0.5:
        raise Failed(f"the factor is {factor!r}, not a power of two")
    if not isinstance(claim["threshold"], int) or isinstance(claim["threshold"], bool):
        raise Failed(f"the threshold is {claim['threshold']!r}, not a whole number")
    files = claim["files"]
    if not isinstance(files, Mapping) or set(files) not in KINDS:
        raise Failed("the files listed are not those of a proof")
    return "all fields are there and of the right kind"


def check_files(folder: Path, claim: Document) -> str:
    """Every file listed is there, as it was written."""
    for name, sha256 in claim["files"].items():
        if file_sha256(folder / name) != sha256:
            raise Failed(f"{name} is not the file that was written: its hash is another")
    return f"the {len(claim['files'])} files are as they were written"


def file_sha256(path: Path) -> str:
    """The hash of a file."""
    if not path.is_file():
        # A device or a pipe might never end.
        raise Failed(f"{path.name} is not there, or no file")
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Failed(f"{path.name} cannot be read: {error.strerror}") from None


def check_same(claim: Document, document: Document) -> str:
    """The claim is about the result beside it, which is called optimal, and small enough to check."""
    for field in SHARED:
        if claim[field] != document[field]:
            raise Failed(f"the claim and the result differ in the field {field!r}")
    if document["status"] != "optimal":
        raise Failed(f"the status of the result is {document['status']!r}")
    variables = len(document["variables"])
    if CUTS not in claim["files"] and variables > MOST_VARIABLES:
        raise Failed(f"a proof without cuts can have {MOST_VARIABLES} variables, this has {variables}")
    function = claim["score_function"]
    parameters = "".join(f", {name} {value!r}" for name, value in function["parameters"].items())
    return (
        f"no allowed network scores more than {claim['tolerance']:g} above {claim['score']!r} "
        f"({function['name']}{parameters})"
    )


def numbers_in(line: str, where: str) -> list[int]:
    """The whole numbers in a line, at least one.

    >>> numbers_in("12 -3 0", "line 1")
    [12, -3, 0]
    """
    words = line.split()
    if not words or not all(map(_WHOLE.fullmatch, words)):
        raise Failed(f"{where} is not a line of whole numbers")
    return [int(word) for word in words]


def number_lines(text: Sequence[str], name: str) -> Iterator[tuple[str, list[int]]]:
    """Each line of a file of numbers only, after words that say where it stands."""
    for number, line in enumerate(text, start=1):
        where = f"line {number} of {name}"
        yield where, numbers_in(line, where)


def check_set(variables: Sequence[int], n: int, where: str) -> None:
    """Refuse what does not name some of n variables in rising order.

    >>> check_set([0, 2], 3, "line 1")
    """
    if not all(0 <= i < n for i in variables) or not all(a < b for a, b in pairwise(variables)):
        raise Failed(f"{where} names no set of variables, in rising order")


def read_lines(path: Path) -> list[str]:
    """The lines of a file of a proof."""
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise Failed(f"{path.name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Failed(f"{path.name} is not plain text") from None


class Reader:
    """The lines of a file as they are read, one after the other."""

    def __init__(self, text: Sequence[str], name: str) -> None:
        self.text = text
        self.name = name
        self.position = 0

    @property
    def where(self) -> str:
        """The line that was read last."""
        return f"line {self.position} of {self.name}"

    def line(self) -> str:
        """The next line."""
        self.position += 1
        line = self.text[self.position - 1] if self.position <= len(self.text) else ""
        if not line.strip():
            raise Failed(f"{self.where} is missing")
        return line

    def lines_with_numbers(self) -> Iterator[str]:
        """The lines that begin with a number, up to the next that does not."""
        while self.position < len(self.text) and self.text[self.position][:1] in "-0123456789":
            yield self.line()

    def end(self) -> None:
        """Refuse lines that are left."""
        if self.position != len(self.text):
            raise Failed(f"line {self.position + 1} of {self.name} comes after everything was settled")
