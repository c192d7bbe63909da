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
    summary: str
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


WCNF = Language("wcnf", ".wcnf", "weighted CNF for MaxSAT solvers", True, wcnf.lines, _all_gains)
CLASSIC_WCNF = Language(
    "wcnf-classic", ".wcnf", "weighted CNF as before 2022", True, wcnf.classic_lines, _all_gains
)
OPB = Language("opb", ".opb", "pseudo-Boolean constraints", True, opb.lines, _constant)
SMTLIB = Language("smt2", ".smt2", "SMT-LIB 2 with an objective", False, smtlib.lines, _nothing)
OPTIMATHSAT = Language(
    "smt2", ".smt2", "SMT-LIB 2 for OptiMathSAT", False, smtlib.optimathsat_lines, _nothing
)
MPS = Language("mps", ".mps", "free MPS for linear solvers", False, mps.lines, _constant)

LANGUAGES = {language.name: language for language in (WCNF, CLASSIC_WCNF, OPB, SMTLIB, MPS)}
