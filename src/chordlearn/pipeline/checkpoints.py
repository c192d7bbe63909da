"""What a run knows, on disk: so that it can go on after a crash and never ends worse than it was.

A checkpoint is a JSON document, whole or not there at all.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from chordlearn.backends.base.run import Run
from chordlearn.errors import InputError, option
from chordlearn.graphs import edges_of, graph_from_cliques, graph_from_edges, is_chordal
from chordlearn.system.files import write_whole
from chordlearn.system.json import parse_json, plain_values, read_text
from chordlearn.system.text import json_text

SCHEMA = "chordlearn/checkpoint@1"
EVERY_SECONDS = 10.0
ARRAYS = {"int32": np.int32, "uint64": np.uint64, "float64": np.float64}
DIFFERENT = {
    "variables": "other variables",
    "data_sha256": "other data",
    "score_function": "another score function",
    "constraints": "other constraints",
}


class Identity(msgspec.Struct, frozen=True):
    """What a run and the checkpoint that it goes on from must have in common."""

    variables: tuple[str, ...]
    data_sha256: str
    score_function: dict[str, Any]
    constraints: dict[str, Any]


class Checkpoint(Identity, frozen=True, kw_only=True, tag_field="schema", tag=SCHEMA):
    """The best network of a run and the state of its search: what a run goes on from, and proves nothing by.

    There is no bound in it. Whoever can write the file can write any, so a run that goes on finds its own.
    """

    seed: int
    score: float
    edges: tuple[tuple[str, str], ...]
    search: dict[str, Any]
    """Its kind, and the state that it goes on from; empty when the network is all there is to go on from."""
    seconds: float
    """Of all runs together."""

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The edges as pairs of variable numbers."""
        number = {name: i for i, name in enumerate(self.variables)}
        return tuple((number[a], number[b]) for a, b in self.edges)

    def state(self, kind: str, seed: int) -> Any:
        """The state of a search of this kind with this seed, or None."""
        mine = self.search.get("kind") == kind and self.seed == seed
        return self.search.get("state") if mine else None

    def refuse_other(self, identity: Identity, path: Path) -> None:
        """Refuse to go on with other data, another score function or other constraints."""
        for field, others in DIFFERENT.items():
            if plain_values(getattr(self, field)) != plain_values(getattr(identity, field)):
                raise InputError(
                    f"{path} cannot be resumed, because it was made with {others}; "
                    f"give the same, or leave {option('resume')} out."
                )

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        content = plain_values(msgspec.to_builtins(msgspec.structs.replace(self, search={})))
        content["search"] = to_json(self.search)
        content["sha256"] = checksum(content)
        write_whole(path, json_text(content) + "\n")


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; one that is damaged is refused in a sentence."""
    out = f"name another file, or leave {option('resume')} out."
    try:
        content = parse_json(read_text(path))
    except OSError as error:
        raise InputError(f"The checkpoint {path} cannot be read: {error.strerror}; check the path.") from None
    except ValueError:
        content = None
    schema = str(content.get("schema", "")) if isinstance(content, dict) else ""
    if not isinstance(content, dict) or not schema.startswith("chordlearn/checkpoint"):
        raise InputError(f"{path} is no checkpoint, or is cut off; {out}")
    if schema != SCHEMA:
        raise InputError(f"{path} is of the form {schema!r}, but {SCHEMA!r} is known here.")
    if content.pop("sha256", None) != checksum(content):
        raise InputError(f"{path} is damaged (its checksum does not match); {out}")
    try:
        content["search"] = from_json(content["search"])
        checkpoint = msgspec.convert(content, Checkpoint)
        n = len(set(checkpoint.variables))
        if n < len(checkpoint.variables) or any(a == b for a, b in checkpoint.edges):
            raise ValueError
        if not is_chordal(graph_from_edges(n, checkpoint.pairs)):
            raise ValueError
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
        raise InputError(f"{path} is damaged (a field is missing or wrong); {out}") from None
    return checkpoint


class CheckpointWriter:
    """An observer of a run that writes its best network, and the state of its search, at intervals.

    A file that can no longer be written does not end the run; ``failure`` then says why.
    """

    def __init__(
        self,
        run: Run,
        identity: Identity,
        path: Path,
        *,
        kind: str,
        every: float = EVERY_SECONDS,
        seconds_before: float = 0.0,
    ) -> None:
        """Write no more often than every so many seconds; ``kind`` says for which search the state is."""
        self.failure: InputError | None = None
        self._run = run
        self._identity = identity
        self._path = path
        self._kind = kind
        self._every = every
        self._started = time.monotonic() - seconds_before
        self._written_at: float | None = None
        self._written: tuple[object, object] = (None, None)

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        """Write, if it is time and there is anything new."""
        if self._written_at is None or time.monotonic() - self._written_at >= self._every:
            self.write()

    def write(self) -> None:
        """Write what is known now, unless it is written already."""
        best, state = self._run.best, self._run.state
        if best is None or (best is self._written[0] and state is self._written[1]):
            return
        names = self._identity.variables
        graph = graph_from_cliques(len(names), best.cliques)
        checkpoint = Checkpoint(
            **msgspec.structs.asdict(self._identity),
            seed=self._run.limits.seed,
            score=best.score,
            edges=tuple((names[a], names[b]) for a, b in edges_of(graph)),
            search={} if state is None else {"kind": self._kind, "state": state},
            seconds=round(time.monotonic() - self._started, 3),
        )
        try:
            checkpoint.write(self._path)
            self.failure = None
        except InputError as failure:
            self.failure = failure
        self._written_at, self._written = time.monotonic(), (best, state)


def checksum(content: Mapping[str, Any]) -> str:
    """The SHA-256 of a checkpoint's JSON values."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def to_json(value: Any) -> Any:
    """Arrays and infinities become objects that say what they are.

    >>> to_json({"edges": np.array([[0, 1]], np.int32), "bound": math.inf})
    {'edges': {'array': 'int32', 'shape': [1, 2], 'values': [0, 1]}, 'bound': {'number': 'inf'}}
    """
    if isinstance(value, np.ndarray):
        name = value.dtype.name
        if name not in ARRAYS:
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
        return np.array(value["values"], dtype=ARRAYS[value["array"]]).reshape(value["shape"])
    if "number" in value:
        number = float(value["number"])
        if math.isnan(number):
            raise ValueError("a number is none")
        return number
    return {key: from_json(item) for key, item in value.items()}
