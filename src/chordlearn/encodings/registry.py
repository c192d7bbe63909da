"""The encodings by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chordlearn.encodings import edges, elimination, paper
from chordlearn.encodings.model import Model
from chordlearn.errors import InputError
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates


@dataclass(frozen=True)
class Encoding:
    """A way to state the learning problem as constraints."""

    name: str
    summary: str
    encoder: Callable[..., Model]
    options: Callable[..., Any]

    def encode(self, problem: Problem, candidates: Candidates, **options: Any) -> Model:
        """The model of a problem; options are the fields of the encoding's options class."""
        return self.encoder(problem, candidates, self.options(**options))


ENCODINGS: dict[str, Encoding] = {
    encoding.name: encoding
    for encoding in (
        Encoding(
            "paper", "cliques, separators and a balanced spanning tree", paper.encode, paper.PaperOptions
        ),
        Encoding(
            "edges", "edges, an order, and Möbius weights of complete sets", edges.encode, edges.EdgesOptions
        ),
        Encoding(
            "elimination",
            "a directed graph without immoralities, one parent set per vertex",
            elimination.encode,
            elimination.EliminationOptions,
        ),
    )
}


def find_encoding(name: str) -> Encoding:
    """The encoding with this name."""
    if name not in ENCODINGS:
        raise InputError(f"There is no encoding {name!r}; there are {', '.join(ENCODINGS)}.")
    return ENCODINGS[name]
