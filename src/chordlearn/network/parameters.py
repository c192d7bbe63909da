"""The tables of a network from data: the joint distribution of each clique.

Posterior means add the same weight ``ess`` to the data for every clique, spread evenly over the clique's
joint states. Summed over any variable, such pseudo-counts are again those of the smaller set, so two cliques
agree on what they share. For BDeu these are the Dirichlet parameters of the score itself; other scores do not
come with parameters that agree, and take an ``ess`` of 1 unless one is given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.dataset import Dataset
from chordlearn.data.distinct import deduplicated
from chordlearn.data.fractions import Weights, rounded
from chordlearn.data.naming import listed
from chordlearn.data.ordered_rows import unseen_state
from chordlearn.errors import InputError, TooLargeError, option
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.propagation import Table, flat_index
from chordlearn.system.json import JsonMixin

METHODS = ("posterior-mean", "maximum-likelihood")
DEFAULT_ESS = 1.0
MOST_CELLS = 1 << 27


@dataclass(frozen=True)
class Estimation(JsonMixin):
    """How tables are made from counts."""

    method: str = "posterior-mean"
    ess: float | None = None
    """The equivalent sample size; None with maximum likelihood."""

    def __post_init__(self) -> None:
        """Refuse a method that does not exist and a weight that makes no sense."""
        if self.method not in METHODS:
            raise InputError(f"There is no estimation {self.method!r}; choose {' or '.join(METHODS)}.")
        if self.method == "maximum-likelihood" and self.ess is not None:
            raise InputError("Maximum likelihood takes no equivalent sample size; leave out ess.")
        if self.ess is not None and not 0 < self.ess < math.inf:
            raise InputError(f"The equivalent sample size (ess) must be a positive number, not {self.ess}.")


def estimation_for(
    score_function: Mapping[str, Any] | None, method: str = "posterior-mean", ess: float | None = None
) -> Estimation:
    """The estimation that suits a score function: BDeu brings its own equivalent sample size.

    >>> estimation_for({"name": "bdeu", "parameters": {"ess": 5.0}})
    Estimation(method='posterior-mean', ess=5.0)
    >>> estimation_for({"name": "bic", "parameters": {}})
    Estimation(method='posterior-mean', ess=1.0)
    """
    if method == "posterior-mean" and ess is None:
        is_bdeu = score_function is not None and score_function.get("name") == "bdeu"
        parameters = score_function["parameters"] if is_bdeu and score_function is not None else {}
        ess = parameters.get("ess", DEFAULT_ESS)
        if isinstance(ess, bool) or not isinstance(ess, int | float):
            raise InputError(f"The equivalent sample size must be a number, but the result records {ess!r}.")
        ess = float(ess)
    return Estimation(method, ess)


def clique_tables(network: ChordalNetwork, data: Dataset, how: Estimation) -> tuple[Table, ...]:
    """The joint distribution of each clique, with an axis per variable in the clique's order.

    >>> from chordlearn.data import read
    >>> coins = read({"a": [0, 0, 1], "b": [0, 1, 1]})
    >>> pair = ChordalNetwork.from_cliques("ab", ["ab"], coins.states)
    >>> clique_tables(pair, coins, Estimation(ess=1.0))[0].tolist()
    [[0.3125, 0.3125], [0.0625, 0.3125]]
    """
    assert network.states is not None
    data.refuse_gaps()
    codes = codes_in(network, data)
    return tuple(
        _table(
            [codes[name] for name in clique],
            tuple(len(network.states[network.variables.index(name)]) for name in clique),
            data.weights,
            how,
            clique,
        )
        for clique in network.cliques
    )


def with_counts(
    network: ChordalNetwork, tables: Sequence[Table], rows: float, more: Dataset, how: Estimation
) -> tuple[Table, ...]:
    """Tables that were made from so many rows, with more rows counted in them.

    >>> from chordlearn.data import read
    >>> coin, ess = read({"a": [0, 0, 1]}), Estimation(ess=1.0)
    >>> alone = ChordalNetwork.from_cliques("a", ["a"], coin.states)
    >>> with_counts(alone, clique_tables(alone, coin, ess), 3, coin, ess)[0].round(4).tolist()
    [0.6429, 0.3571]
    """
    weight, added = rows + (how.ess or 0.0), float(more.rows)
    shares = clique_tables(network, more, Estimation("maximum-likelihood"))
    return tuple(
        (table * weight + share * added) / (weight + added)
        for table, share in zip(tables, shares, strict=True)
    )


def together(network: ChordalNetwork, parts: Sequence[Dataset]) -> Dataset:
    """The rows of several data sets as one, in the variables and the states of a network."""
    assert network.states is not None
    codes = [codes_in(network, part) for part in parts]
    columns = [np.concatenate([part[name] for part in codes]) for name in network.variables]
    weights = rounded(np.concatenate([part.weights for part in parts]).astype(np.float64))
    rows = deduplicated(columns, [len(labels) for labels in network.states], weights)
    return Dataset(network.variables, network.states, *rows, " and ".join(part.source for part in parts))


def codes_in(network: ChordalNetwork, data: Dataset) -> dict[str, NDArray[np.integer]]:
    """Each variable's codes in the network's own states, −1 for a gap; refuses data that do not fit."""
    assert network.states is not None
    found = {}
    for name, states in zip(network.variables, network.states, strict=True):
        index = column(data, name)
        own = data.states[index]
        if own == states:
            found[name] = data.codes[:, index]
            continue
        code = {label: i for i, label in enumerate(states)}
        occurring = np.unique(data.codes[:, index])
        for old in occurring.tolist():
            if old >= 0 and own[old] not in code:
                raise unseen_state(name, own[old], states)
        mapping = np.array([*(code.get(label, 0) for label in own), -1], dtype=np.int32)
        found[name] = mapping[data.codes[:, index]]
    return found


def column(data: Dataset, name: str) -> int:
    """The place of a variable of the network in the data."""
    if name not in data.variables:
        raise InputError(
            f"The data have no column {name!r}, which the network needs; "
            f"their columns are {listed(list(data.variables))}."
        )
    return data.variables.index(name)


def _table(
    columns: list[NDArray[np.integer]],
    sizes: tuple[int, ...],
    weights: Weights,
    how: Estimation,
    clique: tuple[str, ...],
) -> Table:
    cells = math.prod(sizes)
    if cells > MOST_CELLS:
        raise TooLargeError(
            f"The table of the clique {', '.join(clique)} would have {cells} cells; "
            f"learn with {option('max_clique')}."
        )
    counts = np.bincount(flat_index(columns, sizes), weights=weights, minlength=cells)
    ess = 0.0 if how.ess is None else how.ess
    table = (counts + ess / cells) / (float(weights.sum()) + ess)
    return table.astype(np.float64).reshape(sizes)
