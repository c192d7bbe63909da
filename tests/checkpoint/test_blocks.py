"""Where cuts leave blocks, an exact backend goes on from the network of a checkpoint too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.data import Dataset


def pairs(count: int) -> Dataset:
    """So many pairs of variables, each nearly a copy of the other."""
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {}
    for i in range(count):
        columns[f"a{i}"] = rng.integers(0, 2, 60)
        columns[f"b{i}"] = columns[f"a{i}"] ^ (rng.random(60) < 0.1)
    return cl.read(columns)


def test_blocks_go_on_from_a_network(tmp_path: Path) -> None:
    pytest.importorskip("highspy")
    table, file = pairs(13), tmp_path / "run.json"
    options: dict[str, Any] = {"backend": "native", "max_clique": 3}
    best = cl.learn(table, checkpoint=file, **options)
    assert best.status == "optimal"
    resumed = cl.learn(table, resume=file, **options)
    assert (resumed.edges, resumed.status) == (best.edges, "optimal")
    hurried = cl.learn(table, resume=file, time_limit=0.02, **options)
    assert hurried.edges == best.edges
