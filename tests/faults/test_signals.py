"""Ctrl-C and SIGTERM at any moment: exit code 130, the best network so far, and nothing left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from chordlearn.network.result import Result
from faults.problems import LONG_RUNS, write_inputs
from faults.running import PATIENCE_SECONDS, SOON_SECONDS, Running

OUTPUTS = ("--json", "r.json", "--save", "g.graphml", "--trace", "t.jsonl")


def stages(trace: Path) -> list[dict[str, object]]:
    """The whole lines of a trace."""
    text = trace.read_text() if trace.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def wait_for(wanted: set[str], running: Running, extra_seconds: float = 0.3) -> None:
    """Wait until the run is in one of the stages, and then some more."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not any(event["stage"] in wanted for event in stages(running.folder / "t.jsonl")):
        assert running.process.poll() is None and time.monotonic() < give_up, running.process.communicate()
        time.sleep(0.05)
    time.sleep(extra_seconds)


def check_interrupted(running: Running, before: set[str], number: signal.Signals) -> None:
    known = [event["score"] for event in stages(running.folder / "t.jsonl") if event["score"] is not None]
    running.tell(number)
    ended = running.end()
    ended.assert_in_peace()
    running.assert_nothing_left()
    assert ended.code == 130, ended
    assert ended.seconds < SOON_SECONDS
    assert running.files() - before <= {"r.json", "g.graphml", "t.jsonl"}
    if known:
        result = Result.load(running.folder / "r.json")
        assert result.stopped_by == "interrupted"
        assert result.score >= max(map(float, known)) - 1e-6  # type: ignore[arg-type]
        assert result.bound >= result.score
        assert (running.folder / "g.graphml").read_text().endswith("</graphml>\n")
    elif not (running.folder / "r.json").exists():
        assert ended.out == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("backend", LONG_RUNS)
def test_a_busy_backend_is_interrupted(backend: str, number: signal.Signals, tmp_path: Path) -> None:
    write_inputs(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    running = Running(tmp_path, ["learn", *LONG_RUNS[backend], *OUTPUTS])
    wait_for({"solving", "searching"}, running, random.Random(f"{backend} {number}").uniform(0.0, 1.5))
    check_interrupted(running, before, number)


@pytest.mark.parametrize("seed", range(8))
def test_at_a_random_moment_of_a_short_run(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    backend = ("native", "maxsat:rc2", "asp:clingo")[seed % 3]
    running = Running(tmp_path, ["learn", "econ", "--backend", backend, *OUTPUTS])
    running.wait_until_loaded()
    time.sleep(rng.uniform(0.0, 1.5))
    known = any(event["score"] is not None for event in stages(tmp_path / "t.jsonl"))
    running.tell(rng.choice([signal.SIGINT, signal.SIGTERM]))
    ended = running.end()
    ended.assert_in_peace()
    running.assert_nothing_left()
    assert ended.code in (0, 130)
    assert running.files() <= {"r.json", "g.graphml", "t.jsonl"}
    if ended.code == 0 or known:
        assert Result.load(tmp_path / "r.json").status != "none"


@contextmanager
def full_pipe(path: Path) -> Iterator[int]:
    """A pipe that is full of spaces, so that it holds up whoever writes to it; gives the end to read from."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    filler = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        with suppress(BlockingIOError):
            while True:
                os.write(filler, b" " * 4096)
        os.close(filler)
        yield reader
    finally:
        os.close(reader)


def read_to_its_end(reader: int) -> str:
    os.set_blocking(reader, True)
    return b"".join(iter(lambda: os.read(reader, 1 << 16), b"")).decode()


def test_once_there_is_a_result_ctrl_c_waits_until_it_is_written(tmp_path: Path) -> None:
    with full_pipe(tmp_path / "held.json") as reader:
        check_held_up(tmp_path, reader)


def check_held_up(tmp_path: Path, reader: int) -> None:
    arguments = ["learn", "heart", "--json", "held.json", "--save", "n.chord.json", "--trace", "t.jsonl"]
    running = Running(tmp_path, arguments)
    wait_for({"finishing"}, running)
    running.tell(signal.SIGINT)
    time.sleep(0.3)
    assert running.process.poll() is None
    assert json.loads(read_to_its_end(reader))["status"] == "optimal"
    ended = running.end()
    assert ended.code == 130
    ended.assert_in_peace()
    assert json.loads((tmp_path / "n.chord.json").read_text())["cliques"]


def test_pressed_again_it_does_not_wait(tmp_path: Path) -> None:
    with full_pipe(tmp_path / "held.json"):
        check_pressed_again(tmp_path)


def check_pressed_again(tmp_path: Path) -> None:
    running = Running(tmp_path, ["learn", "heart", "--json", "held.json", "--trace", "t.jsonl"])
    wait_for({"finishing"}, running)
    running.tell(signal.SIGINT)
    time.sleep(0.3)
    assert running.process.poll() is None
    # Two presses that come while the machine is busy elsewhere arrive as one.
    give_up = time.monotonic() + PATIENCE_SECONDS
    while running.process.poll() is None and time.monotonic() < give_up:
        running.tell(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            running.process.wait(timeout=1)
    ended = running.end()
    ended.assert_in_peace()
    assert ended.code == 130
