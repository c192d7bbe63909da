"""The languages that a model can be written in, one file each.

>>> sorted(LANGUAGES)
['mps', 'opb', 'smt2', 'wcnf']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chordlearn.encodings.languages import mps, opb, smtlib, wcnf
from chordlearn.encodings.model import Model


@dataclass(frozen=True)
class Language:
    """A file format for models."""

    name: str
    summary: str
    integers: bool
    """Whether weights must be integers."""
    lines: Callable[[Model], Iterator[str]]
    """The file of a model, piece by piece."""


LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        Language("wcnf", "weighted CNF for MaxSAT solvers", True, wcnf.lines),
        Language("opb", "pseudo-Boolean constraints", True, opb.lines),
        Language("smt2", "SMT-LIB 2 with an objective", False, smtlib.lines),
        Language("mps", "free MPS for linear solvers", False, mps.lines),
    )
}
