"""Lint, format and types are tests like the others, so that one command covers everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("check", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]], ids=" ".join)
def test_clean(check: list[str], root: Path) -> None:
    done = subprocess.run([sys.executable, "-m", *check], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
