"""The page that compares chordlearn with other programs shows what was measured, and nothing else."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
FOLDERS = ("benchmarks", "benchmarks/peers")


@pytest.mark.parametrize("name", ["classifiers", "run"])
def test_the_tables_are_those_of_the_records(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(ROOT / folder)
    module = import_module(name)
    records = [json.loads(line) for line in module.RECORDS.read_text(encoding="utf-8").splitlines()]
    for table in module.markdown(records).split("\n\n"):
        assert table in PAGE, table


def test_the_versions_are_those_that_were_measured() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).glob("*.jsonl")]
    measured = {found for path in files for found in re.findall(r'"package": "([^"]+)"', path.read_text())}
    assert len(measured) > 5
    for package in measured:
        assert package in PAGE, package
