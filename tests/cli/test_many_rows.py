"""Several files are one table; reading reports its rows, and can be interrupted."""

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
import polars as pl
import pytest

from endings import without_progress

ROWS = 50_000
LONG = 4000


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    table = np.random.default_rng(1).integers(0, 3, (600, 4))
    for index in range(3):
        part = pl.DataFrame(table[200 * index : 200 * (index + 1)], schema=list("abcd"))
        part.write_csv(tmp_path / f"part-{index}.csv")
    pl.DataFrame(table, schema=list("abcd")).write_csv(tmp_path / "all.csv")
    return tmp_path


@pytest.fixture
def large(tmp_path: Path) -> list[str]:
    """The arguments for one file so many times over that it takes long to read."""
    table = np.random.default_rng(1).integers(0, 2, (ROWS, 8))
    pl.DataFrame(table, schema=[f"v{i}" for i in range(8)]).write_csv(tmp_path / "t.csv")
    return ["t.csv"] * LONG


def test_every_way_to_name_the_parts(call, parts: Path) -> None:
    found = []
    for data in (["all.csv"], ["part-*.csv"], ["part-0.csv", "part-1.csv", "part-2.csv"]):
        done = call("learn", *data, "--json", "result.json", "--save", "net.chord.json")
        assert done.returncode == 0, done.stderr
        result = json.loads((parts / "result.json").read_text())
        found.append((result["data_sha256"], result["score"]))
        assert call("verify", "result.json").returncode == 0
        assert call("edges", "net.chord.json").returncode == 0
        assert call("score", *data, "-o", "all.scores").returncode == 0
    assert len(set(found)) == 1
    shown = call("data", "part-0.csv", "part-1.csv").stdout
    assert "400 rows" in shown


def test_parts_that_do_not_fit_together(call, parts: Path) -> None:
    (parts / "part-1.csv").write_text("a,b\n1,2\n")
    done = call("learn", "part-*.csv")
    assert done.returncode == 2
    assert done.stderr == (
        "chordlearn: part-1.csv lacks 'c', 'd', unlike part-0.csv; give files that have the same columns.\n"
    )


def test_memory_limit_holds_for_reading(call, parts: Path) -> None:
    done = call("learn", "part-*.csv", "--memory-limit", "1e-6")
    assert done.returncode == 2
    assert "distinct rows among the first" in done.stderr


def test_time_limit_holds_for_reading(command: str, large: list[str], tmp_path: Path) -> None:
    for more in ([], ["--save", "net.chord.json"]):
        start = time.monotonic()
        done = subprocess.run(
            [command, "learn", *large, "--time-limit", "1", *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 3
        sentence = r"chordlearn: Time was up when ([\d,]+) rows had been read; .*\n"
        said = re.fullmatch(sentence, without_progress(done.stderr))
        assert said, done.stderr
        assert int(said[1].replace(",", "")) < LONG * ROWS / 2
        assert time.monotonic() - start < 120


def test_ctrl_c_while_reading_and_rows_on_the_terminal(
    command: str, large: list[str], tmp_path: Path
) -> None:
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(
        [command, "learn", *large],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=other_end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(other_end)
    shown = ""
    interrupted = None
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        shown += piece.decode(errors="replace")
        if interrupted is None and re.search(r"reading · [1-9][\d,]* rows", shown):
            process.send_signal(signal.SIGINT)
            interrupted = time.monotonic()
    os.close(terminal)
    assert process.wait(timeout=300) == 130
    assert interrupted is not None and time.monotonic() - interrupted < 60
    assert "Interrupted before there was a network." in shown
    assert "Traceback" not in shown
