"""What several tests need: the command as a user starts it, and the folder of measuring data."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RunCommand = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def measuring_data() -> Path:
    """The folder of data sets beside the checkout, which may not be distributed with it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of measuring data (../shared/data) is not here")
    return folder


@pytest.fixture(scope="session")
def command() -> str:
    """The installed `chordlearn`."""
    return str(Path(sysconfig.get_path("scripts")) / "chordlearn")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> RunCommand:
    """Run the command in this process, which saves the start of another one."""

    def here(*arguments: object) -> subprocess.CompletedProcess[str]:
        from chordlearn.cli.app import run

        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "100")
        code = run([str(argument) for argument in arguments])
        written = capsysbinary.readouterr()
        return subprocess.CompletedProcess(arguments, code, written.out.decode(), written.err.decode())

    return here


@pytest.fixture
def run(command: str, tmp_path: Path) -> RunCommand:
    """Start `chordlearn` in an empty folder, with a terminal of 100 columns and no colours."""

    def start(*arguments: object, timeout: float = 60, **more: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
        environment |= more.pop("env", {})  # type: ignore[arg-type]
        options: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.run(
            [command, *map(str, arguments)],
            text=True,
            timeout=timeout,
            cwd=tmp_path,
            env=environment,
            **options,
        )

    return start


@pytest.fixture
def without_highs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where HiGHS is not installed: wide searches have no bound, and need not wait for one."""
    monkeypatch.setitem(sys.modules, "highspy", None)
