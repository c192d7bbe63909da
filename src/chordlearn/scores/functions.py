"""The score functions: what a set of variables is worth, given how often each of its joint states occurs.

Each is a small frozen object that knows its parameters; :func:`score_function` makes one from its name.
Natural logarithms throughout, and the empty set always scores 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chordlearn.errors import InputError, option
from chordlearn.system.json import JsonMixin

LARGEST_PARAMETER = 1e100
"""Divided among joint states, or multiplied by their number, it must stay a number with all its digits."""
LARGEST_PRIOR = 1e100
"""Of an edge; the scores of sets must stay numbers that can be added up."""


@dataclass(frozen=True, kw_only=True)
class ScoreFunction(JsonMixin):
    """Base of all score functions; ``edge_prior`` is the prior log-odds of each edge of the network."""

    name: ClassVar[str]
    parameter: ClassVar[str] = ""
    """The field that is a number of its own, if there is one."""
    parameter_in_words: ClassVar[str] = ""
    edge_prior: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a prior that is not a number, and a parameter that is not positive."""
        if not abs(self.edge_prior) <= LARGEST_PRIOR:
            raise InputError(
                f"The edge prior must be a finite number of at most {LARGEST_PRIOR:g}, "
                f"not {self.edge_prior}; use 0 for none."
            )
        value, what = self.core_parameter(), f"{self.parameter_in_words} ({option(self.parameter)})"
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"The {what} must be a positive number, not {value}.")
        smallest, largest = 1 / LARGEST_PARAMETER, LARGEST_PARAMETER
        if not smallest <= value <= largest:
            raise InputError(f"The {what} must lie between {smallest:g} and {largest:g}, not be {value}.")

    def parameters(self) -> dict[str, Any]:
        """The parameters that are stated in a result; the edge prior only if there is one."""
        own = {self.parameter: getattr(self, self.parameter)} if self.parameter else {}
        return own | ({"edge_prior": self.edge_prior} if self.edge_prior else {})

    def core_parameter(self) -> float:
        """The one number that the compiled core needs."""
        return float(getattr(self, self.parameter)) if self.parameter else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters as they stand in the JSON result.

        >>> BDeu(ess=2.0).to_dict()
        {'name': 'bdeu', 'parameters': {'ess': 2.0}}
        """
        return {"name": self.name, "parameters": self.parameters()}


@dataclass(frozen=True)
class BDeu(ScoreFunction):
    """Dirichlet–multinomial marginal likelihood; the prior weight ``ess`` is spread over the joint states."""

    name: ClassVar[str] = "bdeu"
    parameter: ClassVar[str] = "ess"
    parameter_in_words: ClassVar[str] = "equivalent sample size"
    ess: float = 1.0


@dataclass(frozen=True)
class Dirichlet(ScoreFunction):
    """Dirichlet–multinomial marginal likelihood with the same parameter ``alpha`` for every joint state."""

    name: ClassVar[str] = "dirichlet"
    parameter: ClassVar[str] = "alpha"
    parameter_in_words: ClassVar[str] = "cell parameter"
    alpha: float


@dataclass(frozen=True)
class BIC(ScoreFunction):
    """Maximum log-likelihood less half log(rows) for each free parameter of the set's joint distribution."""

    name: ClassVar[str] = "bic"


@dataclass(frozen=True)
class AIC(ScoreFunction):
    """Maximum log-likelihood less one for each free parameter of the set's joint distribution."""

    name: ClassVar[str] = "aic"


@dataclass(frozen=True)
class QNML(ScoreFunction):
    """Quotient normalised maximum likelihood: maximum log-likelihood less log C(rows, joint states).

    C is the normalising constant of the multinomial NML distribution. It is exact, by its linear recurrence,
    up to 2**20 joint states, and the approximation of Szpankowski and Weinberger (2012) beyond.
    """

    name: ClassVar[str] = "qnml"


@dataclass(frozen=True)
class CustomScore(ScoreFunction):
    """A user's own function of a set: its variables, its positive counts, its number of joint states.

    >>> def log_likelihood(variables, counts, cells):
    ...     return float((counts * np.log(counts / counts.sum())).sum())
    >>> CustomScore(log_likelihood).to_dict()
    {'name': 'custom', 'parameters': {'function': 'log_likelihood'}}
    """

    name: ClassVar[str] = "custom"
    function: Callable[[tuple[str, ...], NDArray[np.int64], float], float]

    def parameters(self) -> dict[str, Any]:
        """The function's name, and the edge prior if there is one."""
        return {"function": getattr(self.function, "__name__", repr(self.function)), **super().parameters()}


_MAKERS: dict[str, Callable[..., ScoreFunction]] = {
    "bdeu": BDeu,
    "dirichlet": Dirichlet,
    "jeffreys": partial(Dirichlet, 0.5),
    "k2": partial(Dirichlet, 1.0),
    "bic": BIC,
    "aic": AIC,
    "qnml": QNML,
}
NAMES = tuple(_MAKERS)
"""Names that :func:`score_function` knows."""


def score_function(
    name: str, *, ess: float | None = None, alpha: float | None = None, edge_prior: float = 0.0
) -> ScoreFunction:
    """Make a score function from its name and the parameters it takes.

    >>> score_function("jeffreys")
    Dirichlet(edge_prior=0.0, alpha=0.5)
    """
    key = name.lower()
    if key not in _MAKERS:
        raise InputError(f"There is no score {name!r}; choose one of {', '.join(NAMES)}.")
    if ess is not None and key != "bdeu":
        raise InputError(
            f"The score {key} takes no equivalent sample size; leave out {option('ess')} or choose bdeu."
        )
    if alpha is not None and key != "dirichlet":
        raise InputError(
            f"The score {key} takes no cell parameter; leave out {option('alpha')} or choose dirichlet."
        )
    if alpha is None and key == "dirichlet":
        raise InputError(
            f"The score dirichlet needs its cell parameter; add it, as in {option('alpha', 0.5)}."
        )
    given = {"ess": ess, "alpha": alpha}
    return _MAKERS[key](**{k: v for k, v in given.items() if v is not None}, edge_prior=edge_prior)
