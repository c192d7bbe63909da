"""Constraint models of the learning problem, and the languages they are written in.

An encoding is a function without state from a problem and its candidates to a
:class:`~chordlearn.encodings.model.Model`; a language writes any model.
"""

from chordlearn.encodings.model import Model, edges_of_answer
from chordlearn.encodings.registry import ENCODINGS, Encoding, find_encoding
from chordlearn.encodings.scaling import (
    IntegerScaling,
    absolute_weight,
    largest_factor,
    scaled_problem,
    smallest_factor,
)

__all__ = [
    "ENCODINGS",
    "Encoding",
    "IntegerScaling",
    "Model",
    "absolute_weight",
    "edges_of_answer",
    "find_encoding",
    "largest_factor",
    "scaled_problem",
    "smallest_factor",
]
