"""The encodings by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from chordlearn.encodings import edges, elimination, paper
from chordlearn.encodings.model import Model
from chordlearn.encodings.size import Budget, Size, refuse_too_large
from chordlearn.errors import InputError
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.memory import available_bytes


@dataclass(frozen=True)
class Encoding:
    """A way to state the learning problem as constraints."""

    name: str
    encoder: Callable[..., Model]
    options: type[Any]
    """A frozen dataclass; its fields are the options."""
    size: Callable[..., Size]

    def encode(
        self, problem: Problem, candidates: Candidates, budget: Budget | None = None, /, **options: Any
    ) -> Model:
        """The model of a problem; options are the fields of the encoding's options class.

        Raises ``TooLargeError`` before it begins if the model does not fit into the budget, or later
        ``StoppedError`` at its deadline.
        """
        self.check_options(options)
        budget = budget or Budget(most_bytes=available_bytes())
        chosen = self.options(**options)
        refuse_too_large(self.size(problem, candidates, chosen), self.name, problem, candidates, budget)
        return self.encoder(problem, candidates, chosen, budget)

    def check_options(self, names: Iterable[str]) -> None:
        """Refuse options that the encoding does not have."""
        known = [field.name for field in fields(self.options)]
        for name in names:
            if name not in known:
                raise InputError(
                    f"The encoding {self.name} has no option {name!r}; "
                    f"there are {', '.join(known) or 'none'}."
                )


ENCODINGS = {
    encoding.name: encoding
    for encoding in (
        Encoding("paper", paper.encode, paper.PaperOptions, paper.size),
        Encoding("paper-implied", paper.encode, paper.ImpliedOptions, paper.size),
        Encoding("edges", edges.encode, edges.EdgesOptions, edges.size),
        Encoding("elimination", elimination.encode, elimination.EliminationOptions, elimination.size),
    )
}


def find_encoding(name: str) -> Encoding:
    """The encoding with this name."""
    if name not in ENCODINGS:
        raise InputError(f"There is no encoding {name!r}; there are {', '.join(ENCODINGS)}.")
    return ENCODINGS[name]
