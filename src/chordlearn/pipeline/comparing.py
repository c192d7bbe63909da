"""What two networks score, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chordlearn.data import read
from chordlearn.network.evaluation import recorded_function, score_network, structure_of
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.pipeline.rereading import recorded_options
from chordlearn.system.json import JsonMixin


@dataclass(frozen=True)
class ScoreComparison(JsonMixin):
    """The scores of two networks, or why they cannot be compared."""

    scores: tuple[float, float] | None
    source: str | None
    """`data`, or `record`: what results and network files say."""
    why_not: str = ""

    @property
    def difference(self) -> float | None:
        """The second score minus the first."""
        return None if self.scores is None else self.scores[1] - self.scores[0]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "scores": None if self.scores is None else list(self.scores),
            "score_difference": self.difference,
            "scores_from": self.source,
            **({"why_no_scores": self.why_not} if self.why_not else {}),
        }


def compare_scores(
    first: Result | FittedNetwork, second: Result | FittedNetwork, data: Any = None
) -> ScoreComparison:
    """Compare what two networks scored, or, if data are given, what they score on these.

    The data are read, and the score function chosen, as the first network records.

    >>> import chordlearn as cl
    >>> compare_scores(cl.learn("heart"), cl.learn("heart", max_clique=2)).difference < 0
    True
    """
    one, other = _record(first), _record(second)
    if data is not None:
        dataset = read(data, **recorded_options(one.get("data", {"options": {}})))
        function = recorded_function(one.get("score_function"))
        scores = [score_network(structure_of(network), dataset, function) for network in (first, second)]
        return ScoreComparison((scores[0], scores[1]), "data")
    for name, what in (("data_sha256", "data"), ("score_function", "score functions")):
        if one.get(name) != other.get(name) or not one.get(name):
            return ScoreComparison(
                None, None, f"The scores are of different {what}; give data to score both networks on."
            )
    before, after = one.get("score"), other.get("score")
    if not isinstance(before, float) or not isinstance(after, float):
        return ScoreComparison(None, None, "A score is not on record; give data to score both networks on.")
    return ScoreComparison((before, after), "record")


def _record(network: Result | FittedNetwork) -> Mapping[str, Any]:
    return network.to_dict() if isinstance(network, Result) else network.provenance
