"""Problems on which backends work for a while."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

WIDE_VARIABLES = 60


@cache
def random_scores(variables: int) -> bytes:
    """A score file of random scores, of which hardly any can be ruled out."""
    scores = np.random.default_rng(1).normal(scale=10, size=1 << variables)
    scores[0] = 0.0
    head = f"{variables} {variables}\n"
    return (head + "\n".join(f"{score:.3f}" for score in scores) + "\n").encode()


@cache
def wide_table() -> bytes:
    """A table with many columns, each of which depends on two before it."""
    rng = np.random.default_rng(2)
    table = rng.integers(0, 2, size=(600, WIDE_VARIABLES))
    for column in range(2, WIDE_VARIABLES):
        a, b = rng.integers(0, column, size=2)
        noise = rng.random(len(table)) < 0.2
        table[:, column] = (table[:, a] & table[:, b]) ^ noise
    lines = [",".join(f"v{i}" for i in range(WIDE_VARIABLES)), *(",".join(map(str, row)) for row in table)]
    return ("\n".join(lines) + "\n").encode()


LONG_RUNS: dict[str, tuple[str, ...]] = {
    "native": ("hard.score", "--backend", "native"),
    "search": ("wide.csv", "--backend", "search", "--time-limit", "1000"),
    "maxsat:rc2": ("small.score", "--backend", "maxsat:rc2", "--no-reduce"),
    "asp:clingo": ("small.score", "--backend", "asp:clingo", "--no-reduce"),
    "ilp:cuts": ("wide.csv", "--backend", "ilp:cuts", "--max-clique", "4"),
}
"""For each backend, arguments of `learn` that keep it busy."""


def write_inputs(folder: Path) -> None:
    """Put the files that the long runs read into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hard.score").write_bytes(random_scores(18))
    (folder / "small.score").write_bytes(random_scores(9))
    (folder / "wide.csv").write_bytes(wide_table())
