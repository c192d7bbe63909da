"""The languages that a model can be written in, one file each.

>>> sorted(LANGUAGES)
['mps', 'opb', 'smt2', 'wcnf', 'wcnf-classic']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chordlearn.encodings.languages import mps, opb, smtlib, wcnf
from chordlearn.encodings.model import Model, whole


@dataclass(frozen=True)
class Language:
    """A file format for models."""

    name: str
    suffix: str
    integers: bool
    """Whether weights must be integers."""
    lines: Callable[[Model], Iterator[str]]
    """The file of a model, piece by piece."""
    free: Callable[[Model], float]
    """The objective of an answer that costs nothing: objective = this − cost."""


def _all_gains(model: Model) -> float:
    """What is lost counts; in whole numbers, since doubles may not hold the sum."""
    return whole(model.constant) + sum(whole(weight) for weight in model.weights.values() if weight > 0)


def _constant(model: Model) -> float:
    return model.constant


def _nothing(_model: Model) -> float:
    return 0.0


WCNF = Language("wcnf", ".wcnf", True, wcnf.lines, _all_gains)
CLASSIC_WCNF = Language("wcnf-classic", ".wcnf", True, wcnf.classic_lines, _all_gains)
"""The form before 2022."""
OPB = Language("opb", ".opb", True, opb.lines, _constant)
SMTLIB = Language("smt2", ".smt2", False, smtlib.lines, _nothing)
OPTIMATHSAT = Language("smt2", ".smt2", False, smtlib.optimathsat_lines, _nothing)
MPS = Language("mps", ".mps", False, mps.lines, _constant)

LANGUAGES = {language.name: language for language in (WCNF, CLASSIC_WCNF, OPB, SMTLIB, MPS)}
