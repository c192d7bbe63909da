"""How well a network fits the table it was counted from, as statisticians ask it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chordlearn.analysis.independence import chi_square_tail
from chordlearn.data.dataset import Dataset
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.completions import whole_rows
from chordlearn.network.evaluation import Network
from chordlearn.network.fitted import FittedNetwork
from chordlearn.pipeline.fitting import fit
from chordlearn.pipeline.updating import data_of
from chordlearn.system.json import JsonMixin


@dataclass(frozen=True)
class ModelFit(JsonMixin):
    """The log-linear model of a network with its maximum-likelihood tables, against the saturated model."""

    deviance: float
    """Twice the log-likelihood that the saturated model has more."""
    degrees_of_freedom: int
    """Parameters that the saturated model has more, with all cells counted."""
    adjusted_degrees_of_freedom: int
    """The same of the cells that occur, in the table and in each clique: adjusted for empty cells."""
    p_value: float
    """How probable so large a deviance is if the model holds, by chi-square with the adjusted degrees."""
    log_likelihood: float
    parameters: int
    aic: float
    """−2 log-likelihood + 2 parameters: the smaller the better."""
    bic: float
    """−2 log-likelihood + log(rows) parameters: the smaller the better."""
    formula: str
    """The cliques as generators of a log-linear model."""
    r: str
    """The lines of R that fit the same model with gRim."""


def model_fit(network: Network, data: Any = None) -> ModelFit:
    """The deviance of a network against the saturated model, its degrees of freedom, AIC, BIC and formula.

    The tables are those of maximum likelihood. By default the data are those that the network records.

    >>> import chordlearn as cl
    >>> found = model_fit(cl.learn("heart"))
    >>> round(found.deviance, 2), found.degrees_of_freedom, found.formula
    (78.62, 51, 'smoke*phys*protein + mental*phys + systol*protein + family')
    """
    if not isinstance(network, FittedNetwork):
        network = fit(network, data)
    structure, rows = network.structure, whole_rows(network, data_of(network, data))
    everything = _Margin.of(rows, structure.variables)
    parts = [(1, _Margin.of(rows, clique)) for clique in structure.cliques]
    parts += [(-1, _Margin.of(rows, separator)) for separator in structure.separators]
    log_likelihood = math.fsum(sign * margin.log_likelihood for sign, margin in parts)
    parameters = sum(sign * (margin.cells - 1) for sign, margin in parts)
    deviance = max(0.0, 2 * (everything.log_likelihood - log_likelihood))
    adjusted = everything.occurring - 1 - sum(sign * (margin.occurring - 1) for sign, margin in parts)
    return ModelFit(
        deviance=deviance,
        degrees_of_freedom=everything.cells - 1 - parameters,
        adjusted_degrees_of_freedom=adjusted,
        p_value=chi_square_tail(deviance, max(0, adjusted)),
        log_likelihood=log_likelihood,
        parameters=parameters,
        aic=2 * parameters - 2 * log_likelihood,
        bic=math.log(rows.rows) * parameters - 2 * log_likelihood,
        formula=_formula(structure),
        r=_lines_of_r(structure, rows),
    )


@dataclass(frozen=True)
class _Margin:
    """The counts of some variables."""

    log_likelihood: float
    cells: int
    occurring: int

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str]) -> _Margin:
        chosen = data.select(names)
        counts = chosen.weights[chosen.weights > 0].astype(np.float64)
        return cls(
            math.fsum(counts * np.log(counts / counts.sum())),
            math.prod(map(len, chosen.states)),
            len(counts),
        )


def _formula(structure: ChordalNetwork) -> str:
    return " + ".join("*".join(clique) for clique in structure.cliques)


def _lines_of_r(structure: ChordalNetwork, rows: Dataset) -> str:
    """With the formula, or with lists of names where R would not read them in one."""
    plain = all(re.fullmatch(r"([A-Za-z]|\.(?!\d))[\w.]*", name, re.ASCII) for name in structure.variables)
    cliques = ", ".join(f"c({', '.join(map(_quoted, clique))})" for clique in structure.cliques)
    model = f"~ {_formula(structure)}" if plain else f"list({cliques})"
    file = rows.source if rows.source.endswith(".csv") else f"{rows.source}.csv"
    return (
        "library(gRim)\n"
        f'rows <- read.csv({_quoted(file)}, colClasses = "factor", check.names = FALSE)\n'
        f"dmod({model}, data = rows)"
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
