"""Proofs to look at, and ways to change them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

import chordlearn as cl
from chordlearn.certificate.proofs import claim as claims


def followers(seed: int, variables: int = 9, rows: int = 300) -> cl.Dataset:
    """A table in which every column but the first depends on two before it."""
    chance = np.random.default_rng(seed)
    columns = [chance.integers(0, 2, rows)]
    while len(columns) < variables:
        known = chance.choice(len(columns), size=min(len(columns), 2), replace=False)
        odd = sum(columns[i] for i in known) % 2
        columns.append((chance.random(rows) < np.where(odd == 0, 0.2, 0.75)).astype(int))
    return cl.read({f"v{i}": column.tolist() for i, column in enumerate(columns)})


def copies(seed: int, variables: int = 24, rows: int = 300) -> cl.Dataset:
    """A table in which every column but the first is one before it, with errors."""
    chance = np.random.default_rng(seed)
    columns = [chance.integers(0, 3, rows)]
    while len(columns) < variables:
        known = columns[chance.integers(len(columns))]
        columns.append(np.where(chance.random(rows) < 0.4, chance.integers(0, 3, rows), known))
    return cl.read({f"v{i}": column.tolist() for i, column in enumerate(columns)})


def check(folder: Path, name: str) -> str:
    """The reason of one check of a proof of bundled data."""
    return next(check.reason for check in cl.verify(folder) if check.name == name)


def rewrite(folder: Path, name: str, text: str) -> None:
    """Change a file and state its new hash, so that only its content can give it away."""
    (folder / name).write_text(text, encoding="utf-8")
    if name != claims.CLAIM:
        claim = json.loads((folder / claims.CLAIM).read_text(encoding="utf-8"))
        claim["files"][name] = hashlib.sha256(text.encode()).hexdigest()
        (folder / claims.CLAIM).write_text(json.dumps(claim), encoding="utf-8")
