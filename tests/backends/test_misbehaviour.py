"""A solver that misbehaves costs a sentence, and neither the best network nor the peace of the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from backends.programs_that_misbehave import FAKES, write_fake
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.solvers.asp import CLASP_VARIABLE, Clasp
from chordlearn.backends.solvers.child import run_program
from chordlearn.backends.solvers.maxsat import RC2, UWrMaxSat
from chordlearn.errors import BackendError
from chordlearn.testing.problems import usual_cases

CASE = next(case for case in usual_cases() if case.what.startswith("five variables"))
PROBLEM = CASE.problem


PATIENCE_SECONDS = 120


def processes(folder: Path, name: str = "") -> set[int]:
    """The processes that run with temporary files in a folder; of those with a name in their command."""
    found = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                environment = (process / "environ").read_bytes()
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if f"TMPDIR={folder}".encode() in environment and name.encode() in command:
                found.add(int(process.name))
    return found


def are_gone(folder: Path, name: str = "") -> bool:
    """Whether there are no such processes; what was killed may need a moment to go."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while processes(folder, name) and time.monotonic() < give_up:
        time.sleep(0.02)
    return not processes(folder, name)


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
    seconds = 1.0 if what == "hangs" else 300.0
    outcome = UWrMaxSat().solve(Run(PROBLEM, Limits(seconds=seconds), Options(reduce=True)))
    assert outcome.status != "none"
    assert CASE.best is not None and outcome.bound >= CASE.best[0] - 1e-6
    assert outcome.stopped_by == ("time limit" if what == "hangs" else "failure")
    if what != "hangs":
        assert "uwrmaxsat" in str(outcome.failure) and "\n" not in str(outcome.failure)
    assert not list(own_temporary.iterdir())
    assert are_gone(own_temporary)


@pytest.mark.parametrize("what", ["crashes", "is killed", "prints rubbish", "says nothing", "has no network"])
def test_without_reduction_there_is_only_the_sentence(
    what: str, tmp_path: Path, own_temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    with pytest.raises(BackendError, match="maxsat:uwrmaxsat"):
        UWrMaxSat().solve(Run(PROBLEM, Limits(seconds=300), Options(reduce=False)))
    assert not list(own_temporary.iterdir())


@pytest.mark.parametrize("what", ["wrong optimum", "claims there is none"])
def test_lies_are_found_out_without_reduction(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    outcome = UWrMaxSat().solve(Run(PROBLEM, Limits(seconds=300), Options(reduce=False)))
    assert outcome.status == "feasible"
    assert outcome.stopped_by == "failure" and "claims" in str(outcome.failure)


def test_memory_limit(own_temporary: Path) -> None:
    outcome = RC2().solve(Run(PROBLEM, Limits(memory_bytes=20_000_000), Options(reduce=True)))
    assert outcome.status != "none"
    assert outcome.stopped_by == "memory limit"
    assert not list(own_temporary.iterdir())


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", "/no/such/program")
    found = UWrMaxSat().probe()
    assert not found.available
    assert "CHORDLEARN_UWRMAXSAT" in found.reason


def test_ctrl_c_ends_a_program_and_what_it_started(tmp_path: Path, own_temporary: Path) -> None:
    fake = write_fake("hangs", tmp_path)
    seen: list[set[int]] = []

    def press(_line: str) -> None:
        # The environment of what has just been started can be read a moment later only.
        give_up = time.monotonic() + PATIENCE_SECONDS
        while len(processes(own_temporary)) < 2 and time.monotonic() < give_up:
            time.sleep(0.02)
        seen.append(processes(own_temporary))
        signal.raise_signal(signal.SIGINT)

    ended = run_program([str(fake)], on_line=press, directory=own_temporary)
    assert ended.stopped_by == "interrupted"
    assert len(seen) == 1 and len(seen[0]) == 2
    assert are_gone(own_temporary)


PRESSES_WHEN_ASKED = """
import os, signal, sys, time
if "--version" in sys.argv:
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(600)
os.execv(sys.executable, [sys.executable, "-m", "clingo", "--mode=clasp", *sys.argv[1:]])
"""


def test_ctrl_c_while_a_program_is_asked_for_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "clasp"
    program.write_text(f"#!{sys.executable}\n{PRESSES_WHEN_ASKED}")
    program.chmod(0o755)
    monkeypatch.setenv(CLASP_VARIABLE, str(program))
    outcome = Clasp().solve(Run(PROBLEM))
    assert (outcome.stopped_by, outcome.status) == ("interrupted", "feasible")


def test_a_solver_dies_with_us(tmp_path: Path) -> None:
    fake = write_fake("hangs", tmp_path)
    source = (
        "from chordlearn.backends.solvers.child import run_program; from pathlib import Path; import sys;"
        f"run_program([{str(fake)!r}], on_line=lambda line: print(line, flush=True), "
        f"directory=Path({str(tmp_path)!r}))"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert processes(tmp_path, "fake-solver")
        parent.kill()
    is_gone = are_gone(tmp_path, "fake-solver")
    for pid in processes(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert is_gone
