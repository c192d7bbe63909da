"""Adapters of programs that are not to be had, proved with other programs that read the same files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from chordlearn.testing import check_backend

BESIDE_PYTHON = Path(sys.executable).parent


def test_optimathsat_by_the_program_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    z3 = shutil.which("z3", path=str(BESIDE_PYTHON)) or shutil.which("z3")
    if z3 is None:
        pytest.skip("There is no program z3; pip install z3-solver has one.")
    monkeypatch.setenv("CHORDLEARN_OPTIMATHSAT", z3)
    assert check_backend("smt:optimathsat", effort="brief") > 10


@pytest.mark.parametrize("name", ["maxsat:pwbo", "maxsat:pwbo-ub"])
def test_pwbo_by_rc2(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pwbo"
    worker = "chordlearn.backends.workers.rc2"
    program.write_text(f'#!/bin/sh\nfor file; do :; done\nexec "{sys.executable}" -m {worker} "$file"\n')
    program.chmod(0o755)
    monkeypatch.setenv("CHORDLEARN_PWBO", str(program))
    assert check_backend(name, effort="brief") > 10
