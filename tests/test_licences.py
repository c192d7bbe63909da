"""Every dependency is listed with its licence, and every licence is one that we can live with."""

from __future__ import annotations

from importlib.metadata import Distribution
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from licences import (
    BEGIN,
    DELIBERATE,
    END,
    OVERRIDES,
    PAGE,
    PURPOSES,
    dependencies,
    is_allowed,
    licence,
    listed,
    parts,
)

FOUND = dependencies()
INSTALLED = {name: d.installed for name, d in sorted(FOUND.items()) if d.installed}
TEXT = PAGE.read_text(encoding="utf-8")
DIRECT = sorted({canonicalize_name(need.name) for needs in parts().values() for need in needs})


def test_the_walk_reaches_what_dependencies_ask_for() -> None:
    assert {"numpy", "nanobind", "cffi"} <= FOUND.keys()
    assert FOUND["cffi"].parents >= {"clingo"}
    assert "chordlearn" not in FOUND


@pytest.mark.parametrize("name", sorted(INSTALLED))
def test_installed_ones_are_listed_and_allowed(name: str) -> None:
    assert name in listed(TEXT), f"{name} is missing in {PAGE.name}: run python tests/licences.py"
    expression = licence(INSTALLED[name])
    assert expression, f"the licence of {name} is unknown: look it up and add it to OVERRIDES"
    assert is_allowed(expression, name), f"{name} has the licence {expression}"


@pytest.mark.parametrize("name", DIRECT)
def test_direct_ones_are_listed_even_if_they_are_not_here(name: str) -> None:
    assert name in listed(TEXT)
    assert name in PURPOSES


@pytest.mark.parametrize(("name", "expression"), sorted(listed(TEXT).items()))
def test_what_is_listed_is_allowed(name: str, expression: str) -> None:
    assert is_allowed(expression, name)


@pytest.mark.parametrize("name", sorted([*DELIBERATE, *OVERRIDES, "hermax", "pyagrum"]))
def test_exceptions_are_explained(name: str) -> None:
    prose = TEXT.partition(BEGIN)[0] + TEXT.partition(END)[2]
    assert name in prose.lower()


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT AND (GPL-3.0-only OR Zlib)", False),
        ("MIT AND (Zlib OR ISC)", True),
        ("MPL-2.0", False),
        ("None", False),
    ],
)
def test_expressions(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed


def test_copyleft_is_accepted_by_name_only() -> None:
    assert is_allowed("MPL-2.0", "certifi")
    assert not is_allowed("GPL-3.0-only", "certifi")
    assert not {name for name in DELIBERATE if name in FOUND and FOUND[name].part == "core"}


def package(folder: Path, *lines: str) -> Distribution:
    folder.mkdir()
    (folder / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", "Name: some", "Version: 1", *lines]))
    return Distribution.at(folder)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["License-Expression: MIT OR ISC", "License: GPL"], "MIT OR ISC"),
        (["License: Apache 2.0"], "Apache-2.0"),
        (["Classifier: License :: OSI Approved :: MIT License"], "MIT"),
        (["License: BSD"], None),
        (["License: see the file"], None),
        (["Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)"], None),
        ([], None),
    ],
)
def test_metadata(lines: list[str], expected: str | None, tmp_path: Path) -> None:
    assert licence(package(tmp_path / "some-1.dist-info", *lines)) == expected
