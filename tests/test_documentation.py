"""The examples in docstrings, README and docs are run."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import chordlearn
from pages import run_page

ROOT = Path(__file__).resolve().parent.parent
SUBMODULES = (module.name for module in pkgutil.walk_packages(chordlearn.__path__, "chordlearn."))
# The workers are programs, each in a process of its own: what they load does not always go together in one.
MODULES = [
    "chordlearn",
    *(name for name in SUBMODULES if not name.endswith(("__main__", "_core")) and ".workers." not in name),
]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
SLOW = dict.fromkeys(("gallery.md", "cluster.md"), pytest.mark.slow)
"""One draws every picture anew, the other starts workers in every block."""
SURVEY = "age,income\n" + "old,high\nyoung,low\nold,low\nyoung,low\n" * 9
"""The table of the reader, as pages call it that have none of their own."""


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=SLOW.get(page.name, ())) for page in PAGES],
    ids=[page.name for page in PAGES],
)
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.csv").write_text(SURVEY, encoding="utf-8")
    run_page(page, tmp_path)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_examples(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.name)
def test_notebooks(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content = json.loads(notebook.read_text(encoding="utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    names: dict[str, object] = {}
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), f"{notebook.name}, {cell['id']}", "exec"), names)
