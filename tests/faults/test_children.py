"""Solvers that are killed, that hang or leave others behind cost a sentence, and no more time than given."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest

from chordlearn.network.result import Result
from faults.problems import LONG_RUNS, write_inputs
from faults.running import PATIENCE_SECONDS, SOON_SECONDS, Running, has_sentence, run

IGNORES_TERMINATION = """
import signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print("c busy", flush=True)
open("ignoring", "w").close()
while True:
    time.sleep(600)
"""
LEAVES_A_DAEMON = """
import os, sys, time
if os.fork() == 0:
    # Out of the group and still holding the output: nothing that is sent to the group arrives here.
    os.setsid()
    open("daemon.pid", "w").write(str(os.getpid()))
    time.sleep(DAEMON_SECONDS)
    os._exit(0)
print("c the daemon is", flush=True)
while not os.path.exists("daemon.pid"):
    time.sleep(0.01)
END
"""
DAEMON_SECONDS = 600
TALKS_WITHOUT_END = """
import sys
while True:
    sys.stdout.write("c " + "x" * 1000 + "\\n")
"""


def fake_solver(folder: Path, source: str) -> dict[str, str]:
    """A program that the backend maxsat:uwrmaxsat then takes for its solver."""
    path = folder / "fake-solver"
    path.write_text(f"#!{sys.executable}\n{source}\n", encoding="utf-8")
    path.chmod(0o755)
    return {"CHORDLEARN_UWRMAXSAT": str(path)}


def workers(running: Running) -> list[int]:
    """The children, as soon as there are any."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not (found := running.children()) and time.monotonic() < give_up:
        assert running.process.poll() is None, running.process.communicate()
        time.sleep(0.01)
    return found


@pytest.mark.parametrize("backend", ["maxsat:rc2", "asp:clingo"])
def test_a_killed_solver_is_named(backend: str, tmp_path: Path) -> None:
    write_inputs(tmp_path)
    running = Running(tmp_path, ["learn", *LONG_RUNS[backend], "--json", "r.json"])
    workers(running)
    running.kill_children()
    ended = running.end()
    assert ended.code == 4
    assert has_sentence(ended)
    assert f"{backend} was ended by SIGKILL" in ended.err
    running.assert_nothing_left()
    assert not (tmp_path / "r.json").exists()


def test_a_killed_solver_does_not_cost_the_network_at_hand(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    arguments = ["small.score", "--backend", "maxsat:rc2", "--json", "r.json"]
    running = Running(tmp_path, ["learn", *arguments])
    workers(running)
    running.kill_children()
    ended = running.end()
    ended.assert_in_peace()
    result = Result.load(tmp_path / "r.json")
    assert (ended.code, result.status) == (0, "feasible")
    assert result.stopped_by == "failure"
    assert "SIGKILL" in result.details["failure"]
    running.assert_nothing_left()


def test_a_solver_that_ignores_termination_is_killed_after_the_limit(tmp_path: Path) -> None:
    environment = fake_solver(tmp_path, IGNORES_TERMINATION)
    write_inputs(tmp_path)
    arguments = ["small.score", "--backend", "maxsat:uwrmaxsat", "--time-limit", "2", "--json", "r.json"]
    running = Running(tmp_path, ["learn", *arguments], environment)
    ended = running.end()
    assert ended.code == 0
    assert Result.load(tmp_path / "r.json").stopped_by == "time limit"
    running.assert_nothing_left()


def test_a_solver_that_ignores_termination_is_killed_after_ctrl_c(tmp_path: Path) -> None:
    environment = fake_solver(tmp_path, IGNORES_TERMINATION)
    arguments = ["econ", "--backend", "maxsat:uwrmaxsat", "--json", "r.json"]
    running = Running(tmp_path, ["learn", *arguments], environment)
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not list(running.temporary.glob("**/ignoring")) and time.monotonic() < give_up:
        time.sleep(0.01)
    running.tell(signal.SIGINT)
    ended = running.end()
    assert ended.code == 130
    assert ended.seconds < SOON_SECONDS
    assert Result.load(tmp_path / "r.json").stopped_by == "interrupted"
    running.assert_nothing_left()


@pytest.mark.parametrize("end", ["", "time.sleep(600)"], ids=["and ends", "and stays"])
def test_a_solver_that_leaves_a_daemon_does_not_hold_us_up(end: str, tmp_path: Path) -> None:
    source = LEAVES_A_DAEMON.replace("END", end).replace("DAEMON_SECONDS", str(DAEMON_SECONDS))
    environment = fake_solver(tmp_path, source)
    write_inputs(tmp_path)
    arguments = ["small.score", "--backend", "maxsat:uwrmaxsat", "--time-limit", "3", "--json", "r.json"]
    running = Running(tmp_path, ["learn", *arguments], environment)
    ended = running.end()
    running.kill_children()
    assert ended.code == 0
    assert Result.load(tmp_path / "r.json").status == "feasible"


def test_a_solver_that_talks_without_end_fills_no_memory(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    environment = fake_solver(tmp_path, TALKS_WITHOUT_END)
    ended = run(
        tmp_path,
        *("learn", "small.score", "--backend", "maxsat:uwrmaxsat", "--time-limit", "4", "--json", "r.json"),
        environment=environment,
        before=["prlimit", f"--data={2_000_000_000}", "--"],
    )
    assert ended.code == 0, ended
    assert Result.load(tmp_path / "r.json").stopped_by == "time limit"
