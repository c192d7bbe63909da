"""How well a network describes rows of data, and what two networks have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chordlearn.data.dataset import Dataset
from chordlearn.data.fractions import Weights, plain
from chordlearn.data.ordered_rows import Rows, read_rows, unseen_in_words
from chordlearn.errors import InputError
from chordlearn.graphs import by_members, score_of, separators
from chordlearn.network.answering import Answering
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.propagation import Table
from chordlearn.network.result import Result
from chordlearn.network.rowwise import Codes
from chordlearn.scores import ScoreFunction, score_function
from chordlearn.scores.compute import set_scorer
from chordlearn.system.json import JsonMixin, plain_values


@dataclass(frozen=True)
class VariableFit(JsonMixin):
    """How well a variable follows from all others."""

    accuracy: float | None
    """The share of rows whose state is the most probable one; None if the variable is missing everywhere."""
    log_loss: float | None
    """The mean of −log P(its state | the others)."""
    commonest_state: float | None
    """The accuracy of always naming the commonest state in these rows."""


@dataclass(frozen=True, eq=False)
class Evaluation(JsonMixin):
    """The log-likelihood of each row and the predictability of each variable."""

    log_likelihoods: Table
    """Of each row as it stands in the table; −∞ if it is impossible."""
    weights: Weights
    variables: dict[str, VariableFit]
    unseen: dict[str, float]
    """Of how many observations a value counts as missing because the network does not have that state."""

    @property
    def unseen_in_words(self) -> str:
        """The same as a sentence, if there are any."""
        return unseen_in_words(self.unseen)

    @property
    def log_likelihood(self) -> float:
        """Of all rows."""
        return float((self.log_likelihoods * self.weights)[self.weights > 0].sum())

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; infinities are null."""
        rows, total = plain(self.weights.sum()), self.log_likelihood
        document = {
            "rows": rows,
            "log_likelihood": total,
            "log_likelihood_per_row": total / rows,
            "impossible_rows": plain(self.weights[np.isneginf(self.log_likelihoods)].sum()),
            "unseen": self.unseen,
            "variables": {name: asdict(fit) for name, fit in self.variables.items()},
        }
        return dict(plain_values(document))


def evaluate(
    network: Answering,
    data: Any,
    *,
    counts: str | None = None,
    weights: str | None = None,
    unseen: str = "missing",
) -> Evaluation:
    """Evaluate a network on rows; missing values are summed out.

    ``counts`` names the column that says how often each row occurs, ``weights`` that of their weights. States
    that the network does not have are missing, or refused if ``unseen`` is "error".

    >>> import chordlearn as cl
    >>> found = evaluate(cl.fit(cl.learn("heart")), "heart")
    >>> round(found.log_likelihood, 3), round(found.variables["mental"].accuracy, 3)
    (-6682.444, 0.79)
    """
    rows: Rows = read_rows(data, counts=counts, weights=weights)
    coded = network.coded(rows, unseen=unseen)
    codes = coded.codes
    # Equal rows have equal answers.
    distinct, home = np.unique(codes, axis=0, return_inverse=True)
    home = home.ravel()
    totals = np.bincount(home, weights=rows.weights.astype(np.float64), minlength=len(distinct))
    logs = network.log_likelihoods(np.asfortranarray(distinct))[home]
    variables = {name: _fit(network, distinct, totals, i) for i, name in enumerate(network.variables)}
    return Evaluation(logs, rows.weights, variables, coded.unseen)


def _fit(network: Answering, codes: Codes, weights: NDArray[Any], place: int) -> VariableFit:
    known = codes[:, place] >= 0
    total = float(weights[known].sum())
    if total == 0:
        return VariableFit(None, None, None)
    own = codes[known, place]
    shares = network.posteriors(codes if known.all() else codes[known], place)
    # Where the others are impossible together nothing is predicted, so nothing right.
    possible = ~np.isnan(shares[:, 0])
    right = possible & (np.where(possible[:, None], shares, 0.0).argmax(axis=1) == own)
    probability = np.where(possible, shares[np.arange(len(own)), own], 0.0)
    with np.errstate(divide="ignore"):
        loss = float(-(np.log(probability) * weights[known]).sum()) / total
    counts = np.bincount(own, weights=weights[known])
    return VariableFit(float(weights[known][right].sum()) / total, loss, float(counts.max()) / total)


def score_network(network: ChordalNetwork, data: Dataset, function: ScoreFunction) -> float:
    """Σ v(cliques) − Σ v(separators).

    >>> import chordlearn as cl
    >>> result = cl.learn("heart")
    >>> round(score_network(result.network, cl.read("heart"), cl.BDeu()), 6)
    -6732.459258
    """
    return score_of(network.masks, separators(network.masks), value_of_masks(network, data, function))


def value_of_masks(network: ChordalNetwork, data: Dataset, function: ScoreFunction) -> Any:
    """The score of any set of the network's variables, given as a mask."""
    score_set = set_scorer(data, function)
    place = [data.index(name) for name in network.variables]

    def value(mask: int) -> float:
        return score_set(sorted(place[i] for i in by_members(mask))) if mask else 0.0

    return value


def recorded_function(recorded: Mapping[str, Any] | None) -> ScoreFunction:
    """The score function that a result or a network file names.

    >>> recorded_function({"name": "bdeu", "parameters": {"ess": 2.0}})
    BDeu(edge_prior=0.0, ess=2.0)
    """
    name = recorded.get("name") if isinstance(recorded, Mapping) else None
    if recorded is None or not isinstance(name, str) or name in ("file", "custom"):
        name = name or "unknown"
        raise InputError(
            f"The score function of this network ({name}) cannot be computed again; use a named one."
        )
    try:
        return score_function(name, **dict(recorded.get("parameters", {})))
    except (TypeError, ValueError):
        raise InputError(f"The parameters of the score function {name} make no sense; learn again.") from None


Edge = tuple[str, str]
Network = ChordalNetwork | FittedNetwork | Result


@dataclass(frozen=True)
class Comparison(JsonMixin):
    """What two networks on the same variables have in common."""

    common: tuple[Edge, ...]
    only_first: tuple[Edge, ...]
    only_second: tuple[Edge, ...]
    common_cliques: tuple[tuple[str, ...], ...]

    @property
    def distance(self) -> int:
        """The structural Hamming distance: how many edges must be added or removed."""
        return len(self.only_first) + len(self.only_second)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        document = {
            "structural_hamming_distance": self.distance,
            "common_edges": self.common,
            "only_in_first": self.only_first,
            "only_in_second": self.only_second,
            "common_cliques": self.common_cliques,
        }
        return dict(plain_values(document))


def structure_of(network: Network) -> ChordalNetwork:
    """The structure of a result or of a network with tables."""
    if isinstance(network, Result):
        return network.network
    return network.structure if isinstance(network, FittedNetwork) else network


def compare(one: Network, other: Network) -> Comparison:
    """Compare two networks on the same variables, in whatever order; results and fitted networks too.

    >>> one, other = (ChordalNetwork.from_edges("abc", edges) for edges in (["ab", "bc"], ["ab", "ac"]))
    >>> compare(one, other).distance, compare(one, other).common
    (2, (('a', 'b'),))
    """
    first, second = structure_of(one), structure_of(other)
    if set(first.variables) != set(second.variables):
        lacking = sorted(set(first.variables) ^ set(second.variables))
        raise InputError(
            f"The networks are not on the same variables: {lacking[0]!r} is in one only; "
            "compare networks of the same table."
        )
    mine, theirs = _sets(first.edges), _sets(second.edges)
    cliques = _sets(second.cliques)
    return Comparison(
        tuple(edge for edge in first.edges if frozenset(edge) in theirs),
        tuple(edge for edge in first.edges if frozenset(edge) not in theirs),
        tuple(edge for edge in second.edges if frozenset(edge) not in mine),
        tuple(clique for clique in first.cliques if frozenset(clique) in cliques),
    )


def _sets(groups: Sequence[Sequence[str]]) -> set[frozenset[str]]:
    return {frozenset(group) for group in groups}
