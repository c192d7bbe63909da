"""A solver that misbehaves costs a sentence, and neither the best network nor the peace of the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from backends.programs_that_misbehave import FAKES, write_fake
from chordlearn.backends.maxsat import RC2, UWrMaxSat
from chordlearn.backends.outcome import Limits, SilentObserver
from chordlearn.backends.programs import run_program
from chordlearn.errors import BackendError
from chordlearn.testing.cases import usual_cases
from chordlearn.testing.conformance import best_score

PROBLEM = next(case.problem for case in usual_cases() if case.what.startswith("five variables"))


def processes() -> set[int]:
    """The processes that descend from this one or run a fake."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"fake-solver" in command or b"time.sleep(600)" in command:
                found.add(int(folder.name))
    return found


@pytest.fixture
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("what", FAKES)
def test_misbehaving_program(
    what: str, tmp_path: Path, own_temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    before = processes()
    seconds = 1.0 if what == "hangs" else 30.0
    outcome = UWrMaxSat().solve(PROBLEM, Limits(seconds=seconds), SilentObserver(), reduce=True)
    assert outcome.status != "none"
    assert outcome.bound >= best_score(PROBLEM) - 1e-6
    assert outcome.stopped_by == "time limit" if what == "hangs" else "uwrmaxsat" in outcome.stopped_by
    assert "\n" not in outcome.stopped_by
    assert not list(own_temporary.iterdir())
    assert processes() <= before


@pytest.mark.parametrize("what", ["crashes", "is killed", "prints rubbish", "says nothing", "has no network"])
def test_without_reduction_there_is_only_the_sentence(
    what: str, tmp_path: Path, own_temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    with pytest.raises(BackendError, match="maxsat:uwrmaxsat"):
        UWrMaxSat().solve(PROBLEM, Limits(seconds=30), SilentObserver(), reduce=False)
    assert not list(own_temporary.iterdir())


@pytest.mark.parametrize("what", ["wrong optimum", "claims there is none"])
def test_lies_are_found_out_without_reduction(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    outcome = UWrMaxSat().solve(PROBLEM, Limits(seconds=30), SilentObserver(), reduce=False)
    assert outcome.status == "feasible"
    assert "claims" in outcome.stopped_by


def test_memory_limit(own_temporary: Path) -> None:
    outcome = RC2().solve(PROBLEM, Limits(memory_bytes=20_000_000), SilentObserver(), reduce=True)
    assert outcome.status != "none"
    assert outcome.stopped_by == "memory limit"
    assert not list(own_temporary.iterdir())


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", "/no/such/program")
    found = UWrMaxSat().probe()
    assert not found.available
    assert "CHORDLEARN_UWRMAXSAT" in found.reason


def test_ctrl_c_ends_a_program_and_what_it_started(tmp_path: Path) -> None:
    before = processes()
    fake = write_fake("hangs", tmp_path)
    interrupt = threading.Timer(0.8, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    start = time.monotonic()
    ended = run_program([str(fake)], on_line=lambda _line: None, grace_seconds=0.5)
    assert ended.stopped_by == "interrupted"
    assert time.monotonic() - start < 8
    assert processes() <= before


def test_a_solver_dies_with_us(tmp_path: Path) -> None:
    before = processes()
    fake = write_fake("hangs", tmp_path)
    source = (
        "from chordlearn.backends.programs import run_program; import sys;"
        f"run_program([{str(fake)!r}], on_line=lambda line: print(line, flush=True))"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.kill()
    deadline = time.monotonic() + 5
    left = {pid for pid in processes() - before if b"fake-solver" in _command(pid)}
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = {pid for pid in processes() - before if b"fake-solver" in _command(pid)}
    for pid in processes() - before:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
