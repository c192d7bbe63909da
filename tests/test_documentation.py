"""The examples in docstrings, README and docs are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import chordlearn

ROOT = Path(__file__).resolve().parent.parent
SUBMODULES = (module.name for module in pkgutil.walk_packages(chordlearn.__path__, "chordlearn."))
MODULES = ["chordlearn", *(name for name in SUBMODULES if not name.endswith(("__main__", "_core")))]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0
