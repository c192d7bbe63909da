"""The unit tests of the C++ core, built and run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest


@pytest.mark.slow
def test_cpp_unit_tests(root: Path, tmp_path: Path) -> None:
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        pytest.skip("there is no C++ compiler")
    # The test extra brings cmake and ninja into the folder of this Python's programs.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    options = ["-DCHORDLEARN_CPP_TESTS=ON", "-DCHORDLEARN_PYTHON=OFF", "-DCMAKE_BUILD_TYPE=Release"]
    options.append("-DCHORDLEARN_WERROR=ON")
    options.append("-DCMAKE_CXX_FLAGS_RELEASE=-O1")  # compiles in half the time
    for step in (
        ["cmake", "-S", str(root), "-B", str(tmp_path), "-G", "Ninja", *options],
        ["cmake", "--build", str(tmp_path)],
        ["ctest", "--test-dir", str(tmp_path), "--output-on-failure", "--no-tests=error"],
    ):
        done = subprocess.run(step, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["_core", "_checker"])
def test_the_type_stub_is_generated(root: Path, tmp_path: Path, module: str) -> None:
    # To do so after a change of the bindings:
    # python -m nanobind.stubgen -m chordlearn._core -o src/chordlearn/_core.pyi
    stub = tmp_path / f"{module}.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", f"chordlearn.{module}", "-o", str(stub)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert stub.read_text() == (root / "src" / "chordlearn" / f"{module}.pyi").read_text()
