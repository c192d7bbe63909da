"""The checkpoint file: a JSON document, whole or not there at all."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.errors import InputError, option
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques
from chordlearn.system.files import write_whole
from chordlearn.system.json import parse_json, read_text
from chordlearn.system.text import json_text

KINDS = {"int32": np.int32, "uint64": np.uint64, "float64": np.float64}


def to_json(value: Any) -> Any:
    """Arrays and infinities become objects that say what they are.

    >>> to_json({"edges": np.array([[0, 1]], np.int32), "bound": math.inf})
    {'edges': {'array': 'int32', 'shape': [1, 2], 'values': [0, 1]}, 'bound': {'number': 'inf'}}
    """
    if isinstance(value, np.ndarray):
        name = value.dtype.name
        if name not in KINDS:
            raise TypeError(f"An array of {name} has no place in a checkpoint.")
        return {"array": name, "shape": list(value.shape), "values": value.ravel().tolist()}
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    return value


def from_json(value: Any) -> Any:
    """What :func:`to_json` was given; raises ValueError, TypeError or KeyError for anything else.

    >>> from_json(to_json({"edges": np.array([[0, 1]], np.int32), "bound": -math.inf}))
    {'edges': array([[0, 1]], dtype=int32), 'bound': -inf}
    """
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["values"], dtype=KINDS[value["array"]]).reshape(value["shape"])
    if "number" in value:
        number = float(value["number"])
        if math.isnan(number):
            raise ValueError("a number is none")
        return number
    return {key: from_json(item) for key, item in value.items()}


SCHEMA = "chordlearn/checkpoint@1"


@dataclass(frozen=True)
class Identity:
    """What a run and the checkpoint that it goes on from must have in common."""

    variables: tuple[str, ...]
    data_sha256: str
    score_function: Mapping[str, Any]
    constraints: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """As it stands in the file; edges are sorted, for their order means nothing.

        >>> limits = {"max_clique": 3, "required": [["b", "a"]], "forbidden": []}
        >>> Identity(("a", "b"), "0f", {"name": "bic"}, limits).as_json()["constraints"]["required"]
        [['a', 'b']]
        """
        edges = {
            kind: sorted(sorted(map(str, edge)) for edge in self.constraints[kind])
            for kind in ("required", "forbidden")
        }
        return {
            "variables": list(self.variables),
            "data_sha256": self.data_sha256,
            "score_function": dict(self.score_function),
            "constraints": {"max_clique": self.constraints["max_clique"], **edges},
        }


@dataclass(frozen=True)
class Checkpoint:
    """The best network of a run and the state of its search: what a run goes on from, and proves nothing by.

    There is no bound in it. Whoever can write the file can write any, so a run that goes on finds its own.
    """

    identity: Mapping[str, Any]
    """As :meth:`Identity.as_json` gives it."""
    seed: int
    score: float
    edges: tuple[tuple[int, int], ...]
    """Pairs of variable numbers."""
    search: Mapping[str, Any] = field(default_factory=dict)
    """Its kind, and the state that it goes on from; empty when the network is all there is to go on from."""
    seconds: float = 0.0
    """Of all runs together."""

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.identity["variables"])

    @property
    def cliques(self) -> tuple[int, ...]:
        """The maximal cliques as bit masks."""
        return maximal_cliques(graph_from_edges(self.n, self.edges))

    def state(self, kind: str, seed: int) -> Any:
        """The state of a search of this kind with this seed, or None."""
        mine = self.search.get("kind") == kind and self.seed == seed
        return self.search.get("state") if mine else None

    def refuse_other(self, identity: Identity, path: Path) -> None:
        """Refuse to go on with other data, another score function or other constraints."""
        expected = identity.as_json()
        others = {
            "variables": "other variables",
            "data_sha256": "other data",
            "score_function": "another score function",
            "constraints": "other constraints",
        }
        for key, others_of_it in others.items():
            if self.identity[key] != json.loads(json.dumps(expected[key])):
                raise InputError(
                    f"{path} cannot be resumed, because it was made with {others_of_it}; "
                    f"give the same, or leave {option('resume')} out."
                )

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        names = self.identity["variables"]
        content = {
            "schema": SCHEMA,
            **self.identity,
            "seed": self.seed,
            "score": self.score,
            "edges": [[names[a], names[b]] for a, b in self.edges],
            "search": to_json(dict(self.search)),
            "seconds": self.seconds,
        }
        content["sha256"] = _checksum(content)
        write_whole(path, json_text(content) + "\n")


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; one that is damaged is refused in a sentence."""
    try:
        text = read_text(path)
    except OSError as error:
        raise InputError(f"The checkpoint {path} cannot be read: {error.strerror}; check the path.") from None
    except UnicodeDecodeError:
        raise _foreign(path) from None
    try:
        content = parse_json(text)
    except ValueError:
        raise _foreign(path) from None
    if not isinstance(content, dict) or not str(content.get("schema", "")).startswith(
        "chordlearn/checkpoint"
    ):
        raise _foreign(path)
    if content["schema"] != SCHEMA:
        raise InputError(f"{path} is of the form {content['schema']!r}, but {SCHEMA!r} is known here.")
    if content.pop("sha256", None) != _checksum(content):
        raise _damaged(path, "its checksum does not match")
    try:
        return _checkpoint(content)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise _damaged(path, "a field is missing or wrong") from None


def _checkpoint(content: Mapping[str, Any]) -> Checkpoint:
    number = {str(name): index for index, name in enumerate(content["variables"])}
    if list(number) != content["variables"]:
        raise ValueError("the names of the variables are not different texts")
    edges = tuple((number[a], number[b]) for a, b in content["edges"])
    if not is_chordal(graph_from_edges(len(number), edges)) or any(a == b for a, b in edges):
        raise ValueError("the network is not chordal")
    identity = {name: content[name] for name in Identity.__dataclass_fields__}
    return Checkpoint(
        identity=identity,
        seed=int(content["seed"]),
        score=float(content["score"]),
        edges=edges,
        search=dict(from_json(content["search"])),
        seconds=float(content["seconds"]),
    )


def _checksum(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _foreign(path: Path) -> InputError:
    return InputError(
        f"{path} is no checkpoint, or is cut off; name another file, or leave {option('resume')} out."
    )


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path} is damaged ({why}); name another file, or leave {option('resume')} out.")
