"""The data set as every later station sees it: coded, deduplicated, weighted rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """Distinct rows of coded values with the number of times each occurs.

    Build one with :func:`chordlearn.read`; the constructor trusts its input.
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    """The labels of each variable; a code indexes its variable's labels."""
    codes: NDArray[np.int32]
    """Shape (distinct rows, variables), lexicographically sorted, read-only."""
    weights: NDArray[np.int64]
    """How often each distinct row occurs; all positive."""
    source: str = "memory"
    """Where the data came from: a path, a bundled name or the kind of object."""
    options: dict[str, Any] = field(default_factory=dict)
    """The reading options that are not defaults, so that the same table can be read again."""

    @property
    def rows(self) -> int:
        """Number of observations (not of distinct rows)."""
        return int(self.weights.sum())

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each variable."""
        return tuple(len(labels) for labels in self.states)

    @cached_property
    def sha256(self) -> str:
        """Hash of names, labels, distinct rows and weights, independent of the file's format and row order."""
        digest = hashlib.sha256()
        for name, labels in zip(self.variables, self.states, strict=True):
            for text in (name, *labels):
                encoded = text.encode()
                digest.update(len(encoded).to_bytes(8, "little"))
                digest.update(encoded)
            digest.update(b"\xff" * 8)
        digest.update(np.ascontiguousarray(self.codes, dtype="<i4").tobytes())
        digest.update(np.ascontiguousarray(self.weights, dtype="<i8").tobytes())
        return digest.hexdigest()
