"""Limits on memory, the system's and our own: a sentence or a network, and never a crash or a hang."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from chordlearn.cli.failures import NO_NETWORK
from chordlearn.network.result import Result
from chordlearn.system.memory import TO_READ, TO_START
from faults.problems import write_inputs
from faults.running import Ended, has_sentence, run


def least(needed: tuple[float, float]) -> int:
    return int(needed[0] + needed[1] * len(os.sched_getaffinity(0)))


def within(folder: Path, address_space: int, *arguments: object) -> Ended:
    """Run under `ulimit -v`."""
    return run(folder, *arguments, before=["prlimit", f"--as={address_space}", "--"])


@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_too_little_to_start(share: float, tmp_path: Path) -> None:
    ended = within(tmp_path, int(share * least(TO_START)), "learn", "heart")
    assert ended.code == 2
    assert has_sentence(ended)
    assert "ulimit -v" in ended.err


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_too_little_to_read_tables(share: float, tmp_path: Path) -> None:
    ended = within(tmp_path, int(share * least(TO_READ)), "learn", "heart")
    assert ended.code == 2
    assert has_sentence(ended)
    assert "reading tables" in ended.err


def test_just_enough_to_read_tables(tmp_path: Path) -> None:
    assert within(tmp_path, least(TO_READ), "learn", "heart").code == 0


@pytest.mark.parametrize("backend", ["native", "search", "maxsat:rc2", "asp:clingo", "ilp:cuts"])
def test_just_enough_to_start(backend: str, tmp_path: Path) -> None:
    write_inputs(tmp_path)
    arguments = ("small.score", "--backend", backend, "--time-limit", "250", "--threads", "2")
    ended = within(tmp_path, least(TO_START), "learn", *arguments)
    ended.assert_in_peace()
    assert ended.code == 0 or has_sentence(ended), ended


def test_a_table_that_outgrows_the_limit(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 3, size=(150_000, 24), dtype=np.uint8)
    header = ",".join(f"v{i}" for i in range(rows.shape[1]))
    lines = (rows + ord("0")).repeat(2, axis=1)
    lines[:, 1::2] = ord(",")
    lines[:, -1] = ord("\n")
    (tmp_path / "table.csv").write_bytes(header.encode() + b"\n" + lines.tobytes())
    ended = within(tmp_path, least(TO_READ), "learn", "table.csv", "--time-limit", "5")
    ended.assert_in_peace()
    assert ended.code == 0 or has_sentence(ended), ended


@pytest.mark.parametrize("backend", ["native", "maxsat:rc2", "asp:clingo"])
def test_a_limit_of_our_own(backend: str, tmp_path: Path) -> None:
    write_inputs(tmp_path)
    arguments = ("hard.score", "--backend", backend, "--max-clique", "3", "--memory-limit", "0.02")
    # A busy machine may need longer for a first network.
    for seconds in (5, 50, 200):
        ended = run(tmp_path, "learn", *arguments, "--time-limit", seconds, "--json", "r.json")
        ended.assert_in_peace()
        if ended.code != NO_NETWORK:
            break
    assert ended.code == 0, ended
    assert Result.load(tmp_path / "r.json").stopped_by in ("memory limit", "time limit", "proof")
