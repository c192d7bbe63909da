"""The score of a given network on given data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chordlearn.data.dataset import Dataset
from chordlearn.errors import InputError
from chordlearn.graphs import by_members, score_of, separators
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.scores import ScoreFunction, score_function
from chordlearn.scores.compute import set_scorer


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
