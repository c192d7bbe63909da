"""What `compare` needs to know of a network: its structure and what it scored, on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chordlearn.data import read
from chordlearn.errors import InputError
from chordlearn.network import ChordalNetwork, FittedNetwork
from chordlearn.network.evaluation import recorded_function, score_network
from chordlearn.network.result import Result
from chordlearn.pipeline.fitting import is_network_file
from chordlearn.pipeline.verification import recorded_options


@dataclass(frozen=True)
class Summary:
    """A structure, and what is on record about it."""

    structure: ChordalNetwork
    record: Mapping[str, Any]

    def scores_beside(self, other: Summary, data: str | None) -> dict[str, Any]:
        """Both scores and second minus first; null, with the reason, if they cannot be compared."""
        if data is not None:
            options = recorded_options(self.record.get("data", {"options": {}}))
            dataset = read(data, **options)
            function = recorded_function(self.record.get("score_function"))
            scores = [score_network(one.structure, dataset, function) for one in (self, other)]
            return {"scores": scores, "score_difference": scores[1] - scores[0], "scores_from": "data"}
        for name, what in (("data_sha256", "data"), ("score_function", "score functions")):
            if self.record.get(name) != other.record.get(name) or not self.record.get(name):
                return _none(f"The scores are not comparable: they are of different {what}; use --data.")
        first, second = (one.record.get("score") for one in (self, other))
        if not isinstance(first, float) or not isinstance(second, float):
            return _none("The scores are not on record; use --data.")
        return {"scores": [first, second], "score_difference": second - first, "scores_from": "record"}


def read_summary(path: Path) -> Summary:
    """The structure in a network file or a result; its data are not read."""
    if is_network_file(path):
        network = FittedNetwork.load(path)
        return Summary(network.structure, network.provenance)
    result = Result.load(path)
    try:
        return Summary(result.network, result.to_dict())
    except InputError as error:
        raise InputError(f"{path}: {error.sentence}") from None


def _none(why: str) -> dict[str, Any]:
    return {"scores": None, "score_difference": None, "scores_from": None, "why_no_scores": why}
