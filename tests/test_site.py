"""The site is built without warnings, and its reference is complete."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import chordlearn
from result_schema import PATH, schema_text

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.slow
def test_the_site_is_built_without_warnings(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_parser", "numpydoc", "pydata_sphinx_theme"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install 'chordlearn[docs]'")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for page in DOCS.rglob("*.md"):
        assert (tmp_path / "site" / page.relative_to(DOCS)).with_suffix(".html").is_file()


def test_the_reference_has_every_public_name() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    for name in set(dir(chordlearn)) - {"__version__", "errors"}:
        assert f":: {name}\n" in page, name


def test_the_reference_has_every_command() -> None:
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    listed = subprocess.run(
        [sys.executable, "-m", "chordlearn", "--help"], capture_output=True, encoding="utf-8", check=True
    ).stdout
    commands = re.findall(r"^│ (\w+)  +[A-Z]", listed, re.MULTILINE)
    assert len(commands) > 15
    for command in commands:
        assert f"    chordlearn {command} " in page, command


def test_the_schema_is_that_of_the_fields() -> None:
    assert PATH.read_text(encoding="utf-8") == schema_text(), "run python tests/result_schema.py"


@pytest.mark.parametrize(
    "options",
    [
        {"top": 3},
        {"backend": "maxsat:rc2"},
        {"backend": "search", "max_clique": 2, "require": [("Age", "Asian")]},
    ],
    ids=["native", "integer scores", "search"],
)
def test_results_are_as_the_schema_says(options: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked with the package jsonschema")
    schema = json.loads((DOCS / "reference" / "result.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    result = json.loads(chordlearn.learn("econ", **options).to_json())
    validator.validate(result)
    assert set(result) == set(schema["properties"])
    assert not validator.is_valid({**result, "status": "perhaps"})


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(name: str) -> None:
    text = (DOCS.parent / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert links
    for link in links:
        assert link.startswith("https:") or (DOCS.parent / link).exists(), link
