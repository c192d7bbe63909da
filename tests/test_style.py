"""Lint, format and types are tests like the others, so that one command covers everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDERS = ["src", "tests", "benchmarks", "examples", "docs"]
"""Of the project: what else lies in a checkout, such as a virtual environment, is none of our business."""


@pytest.mark.parametrize(
    "check", [["ruff", "check", *FOLDERS], ["ruff", "format", "--check", *FOLDERS], ["mypy"]], ids=" ".join
)
def test_clean(check: list[str], root: Path) -> None:
    done = subprocess.run([sys.executable, "-m", *check], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_format_of_the_cpp_core(root: Path) -> None:
    files = sorted(str(file.relative_to(root)) for file in (root / "cpp").rglob("*.[ch]pp"))
    assert files
    program = "import clang_format; clang_format.clang_format()"
    command = [sys.executable, "-c", program, "--dry-run", "--Werror", *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
