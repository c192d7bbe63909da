"""Runs that take a while: Ctrl-C, limits and what is shown meanwhile."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from endings import without_progress

VARIABLES = 19
PATIENCE_SECONDS = 300


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random scores, of which hardly any can be ruled out."""
    path = tmp_path_factory.mktemp("hard") / "hard.score"
    scores = np.random.default_rng(1).normal(scale=10, size=1 << VARIABLES)
    scores[0] = 0.0
    path.write_text(f"{VARIABLES} {VARIABLES}\n" + "\n".join(f"{score:.3f}" for score in scores) + "\n")
    return path


def wait_for(event: str, trace: Path, process: subprocess.Popen[str]) -> None:
    """Wait until what is wanted, a regular expression, stands in the trace, and a moment longer."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not (trace.exists() and re.search(event, trace.read_text())):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < give_up, f"the run did not come to {event}"
        time.sleep(0.05)
    time.sleep(0.3)


def test_ctrl_c_keeps_the_best_network(command: str, hard: Path, tmp_path: Path) -> None:
    arguments = ["learn", str(hard), "--json", "r.json", "--trace", "t.jsonl"]
    process = subprocess.Popen(
        [command, *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for(r'"solving"(.|\n)*"score": -?\d', tmp_path / "t.jsonl", process)
    process.send_signal(signal.SIGINT)
    shown, told = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, told
    assert "Traceback" not in told
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["stopped_by"] == "interrupted"
    assert result["status"] == "feasible"
    assert "not proved" in shown


def test_ctrl_c_before_there_is_a_network(command: str, tmp_path: Path) -> None:
    table = np.random.default_rng(1).integers(0, 3, size=(4000, 22))
    names = ",".join(f"v{i}" for i in range(table.shape[1]))
    np.savetxt(tmp_path / "table.csv", table, fmt="%d", delimiter=",", header=names, comments="")
    arguments = ["learn", "table.csv", "--json", "r.json", "--trace", "t.jsonl", "--threads", "1"]
    process = subprocess.Popen(
        [command, *arguments], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for('"scoring"', tmp_path / "t.jsonl", process)
    process.send_signal(signal.SIGINT)
    shown, told = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert without_progress(told) == "chordlearn: Interrupted before there was a network.\n"
    assert shown == ""
    assert not (tmp_path / "r.json").exists()


def test_time_limit(run, hard: Path, tmp_path: Path) -> None:
    start = time.monotonic()
    done = run("learn", hard, "--time-limit", 2, "--json", "r.json")
    assert time.monotonic() - start < 120
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["stopped_by"] == "time limit"
    assert done.returncode == {"feasible": 0, "none": 3}[result["status"]]


def test_live_progress_on_a_terminal(command: str, hard: Path, tmp_path: Path) -> None:
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(
        [command, "learn", str(hard), "--time-limit", "4", "--json", "-"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=other_end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(other_end)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    assert process.wait(timeout=PATIENCE_SECONDS) in (0, 3)
    assert re.search(r"(reading|solving|score|search|relaxation).* s", shown.decode())
