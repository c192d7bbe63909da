"""Every measuring data set reads, with the numbers that its manifest states."""

import re
from collections import Counter
from pathlib import Path

import pytest

from chordlearn.data import read

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
MANIFEST = SHARED / "MANIFEST.md"


def manifest_rows():
    if not MANIFEST.exists():
        return []
    cells = [
        re.split(r"\s*\|\s*", line.strip("| \n"))
        for line in MANIFEST.read_text().splitlines()
        if ".csv |" in line
    ]
    return [row[:5] for row in cells]


def expected_states(text):
    if "x" not in text:
        return Counter(int(part) for part in text.split())
    pairs = re.findall(r"(\d+)x(\d+)", text)
    return Counter({int(states): int(times) for states, times in pairs})


@pytest.mark.skipif(not MANIFEST.exists(), reason="the shared data folder is absent")
def test_the_manifest_is_understood():
    assert len(manifest_rows()) > 40


@pytest.mark.parametrize(("name", "variables", "rows", "states", "missing"), manifest_rows())
def test_file_reads_as_the_manifest_says(name, variables, rows, states, missing):
    path = SHARED / name
    counts = "count" if name.startswith("tables/") else None
    data = read(path, counts=counts, missing="category" if int(missing) else "error")
    assert len(data.variables) == int(variables)
    assert data.rows == int(rows.split()[0])
    assert Counter(len([s for s in labels if s != "?"]) for labels in data.states) == expected_states(states)
    unknown = sum(
        int(data.column_counts(i)[labels.index("?")]) for i, labels in enumerate(data.states) if "?" in labels
    )
    assert unknown == int(missing)


@pytest.mark.skipif(not MANIFEST.exists(), reason="the shared data folder is absent")
@pytest.mark.parametrize("name", ["heart", "econ"])
def test_bundled_tables_equal_the_expanded_ones(name):
    expanded = read(SHARED / "paper" / f"{name}.csv")
    table = read(name)
    assert sorted(expanded.variables) == sorted(table.variables)
    assert expanded.select(table.variables).sha256 == table.sha256
