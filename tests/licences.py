"""The licences of everything that pyproject.toml asks for, and of what that asks for in turn.

``python tests/licences.py`` writes the tables of docs/reference/licences.md anew from what is installed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "licences.md"
BEGIN, END = "<!-- begin: written by tests/licences.py -->", "<!-- end -->"
ROW = re.compile(r"^\| (?P<name>[\w.-]+) \| (?P<version>\S+) \| (?P<licence>[^|]+) \|.*$", re.MULTILINE)

PERMISSIVE = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Zlib",
        "BSL-1.0",
        "Unlicense",
        "LicenseRef-Public-Domain",
    ]
)
DELIBERATE = {
    "certifi": "MPL-2.0",
    "hypothesis": "MPL-2.0",
    "pathspec": "MPL-2.0",
    "tqdm": "MPL-2.0",
}
"""Copyleft that we accept, each explained in the page."""

SPHINX_PARTS = ("applehelp", "devhelp", "htmlhelp", "qthelp", "serializinghtml")
OVERRIDES = {
    "docutils": "LicenseRef-Public-Domain AND BSD-2-Clause",
    "matplotlib": "PSF-2.0",
    "kiwisolver": "BSD-3-Clause",
    **{f"sphinxcontrib-{part}": "BSD-2-Clause" for part in SPHINX_PARTS},
}
"""Where metadata say too little; the reasons are in the page."""

SPELLINGS = {
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 3-clause license": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "2-clause bsd": "BSD-2-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "the mit license (mit)": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
BSD = {"bsd", "bsd license"}
PURPOSES = {
    "numpy": "arrays",
    "polars": "reading tables",
    "narwhals": "data frames of any library",
    "msgspec": "JSON in and out",
    "rich": "output in the terminal",
    "typer": "the command line",
    "clingo": "answer set solver",
    "highspy": "linear and integer programs",
    "python-sat": "SAT solvers, RC2",
    "pandas": "data frames",
    "pyarrow": "Arrow tables",
    "z3-solver": "SMT solver",
    "ortools": "CP-SAT",
    "hermax": "MaxSAT solvers",
    "matplotlib": "pictures",
    "scikit-learn": "the estimator",
    "dask": "work on a cluster",
    "distributed": "work on a cluster",
    "starlette": "the live page",
    "uvicorn": "serves the live page",
    "cryptography": "encrypted connections of a local cluster",
    "pgmpy": "reads exported networks",
    "pyagrum": "reads exported networks",
    "networkx": "graphs of others, reference in tests",
    "sphinx": "the site",
    "pydata-sphinx-theme": "the site's look",
    "numpydoc": "docstrings on the site",
    "myst-parser": "Markdown on the site",
    "docutils": "the site",
    "duckdb": "an engine that counts rows, in tests",
    "pytest": "runs the tests",
    "pytest-xdist": "tests side by side",
    "hypothesis": "random tests",
    "selenium": "tests of the report in a browser",
    "mpmath": "exact numbers in tests",
    "jsonschema": "tests of the result's schema",
    "ruff": "lint and format",
    "mypy": "types",
    "clang-format": "style of the C++ core",
    "cmake": "builds the C++ tests",
    "ninja": "builds the C++ tests",
    "scikit-build-core": "builds the package",
    "nanobind": "C++ to Python, compiled in",
}


@dataclass
class Dependency:
    """A package, the part of pyproject.toml that brings it in, and the packages that ask for it."""

    name: str
    part: str
    direct: bool
    parents: set[str] = field(default_factory=set)

    @property
    def installed(self) -> Distribution | None:
        """Its metadata, if it is here."""
        try:
            return distribution(self.name)
        except PackageNotFoundError:
            return None


def parts() -> dict[str, list[Requirement]]:
    """What pyproject.toml asks for: the core, the build, then each extra."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    written = {"core": project["dependencies"], "build": settings["build-system"]["requires"]}
    written |= project["optional-dependencies"]
    found = {part: [Requirement(entry) for entry in entries] for part, entries in written.items()}
    return {part: [r for r in needs if r.name != project["name"]] for part, needs in found.items()}


def dependencies() -> dict[str, Dependency]:
    """All by canonical name, as far as what is installed tells; the first part that needs one has it."""
    found: dict[str, Dependency] = {}
    for part, needs in parts().items():
        for need in needs:
            name = canonicalize_name(need.name)
            found.setdefault(name, Dependency(name, part, direct=True)).direct = True
        waiting = [(need, "") for need in needs]
        seen = set()
        while waiting:
            need, parent = waiting.pop()
            name = canonicalize_name(need.name)
            dependency = found.setdefault(name, Dependency(name, part, direct=False))
            if parent:
                dependency.parents.add(parent)
            if (name, frozenset(need.extras)) not in seen:
                seen.add((name, frozenset(need.extras)))
                waiting += [(child, name) for child in _asked_for(dependency, need.extras)]
    return found


def _asked_for(dependency: Dependency, extras: set[str]) -> Iterator[Requirement]:
    installed = dependency.installed
    for text in (installed and installed.requires) or []:
        need = Requirement(text)
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield need


def licence(installed: Distribution) -> str | None:
    """The SPDX expression of a package, or None if its metadata do not tell."""
    name = canonicalize_name(installed.metadata["Name"])
    if name in OVERRIDES:
        return OVERRIDES[name]
    for expression in installed.metadata.get_all("License-Expression") or []:
        return str(expression)
    # Some put the whole text there; its first line is the title.
    said = [str((installed.metadata.get_all("License") or [""])[0]).strip().partition("\n")[0].strip()]
    classifiers = installed.metadata.get_all("Classifier") or []
    said += [text.rpartition(" :: ")[2] for text in classifiers if text.startswith("License ::")]
    for text in said:
        if text.lower() in SPELLINGS:
            return SPELLINGS[text.lower()]
        if text.lower() in BSD:
            return _which_bsd(installed)
        if text and all(word in {*PERMISSIVE, "MPL-2.0", "AND", "OR"} for word in text.split()):
            return text
    return None


def _which_bsd(installed: Distribution) -> str | None:
    """Of three clauses if the licence file has the one about names, of two if there is a file without it."""
    files = [file for file in installed.files or [] if re.search(r"licen[cs]e|copying", file.name, re.I)]
    texts = [" ".join(Path(str(file.locate())).read_text("utf-8", "replace").split()) for file in files]
    texts = [text for text in texts if "Redistribution and use in source and binary forms" in text]
    if not texts:
        return None
    about_names = any(
        re.search("neither the names? of|names? of .* may not be used", text, re.I) for text in texts
    )
    return "BSD-3-Clause" if about_names else "BSD-2-Clause"


def is_allowed(expression: str, name: str = "") -> bool:
    """Whether one of the alternatives is permissive, or deliberately accepted for this package.

    Where there are parentheses everything that is named must be.
    """
    accepted = {*PERMISSIVE, DELIBERATE.get(name)}
    if "(" in expression:
        words = re.findall(r"[\w.+-]+", expression)
        return all(word in accepted for word in words if word not in ("AND", "OR"))
    return any(
        all(term.strip() in accepted for term in alternative.split(" AND "))
        for alternative in expression.split(" OR ")
    )


def listed(page: str) -> dict[str, str]:
    """The licences in the page's tables of packages by name."""
    return {row["name"]: row["licence"].strip() for row in _rows(page)}


def _rows(page: str) -> list[re.Match[str]]:
    written = page.partition(BEGIN)[2].partition(END)[0]
    return [row for row in ROW.finditer(written) if row["name"] != "package"]


def tables(page: str) -> str:
    """One table per part, of what is installed; the page's rows of packages not asked for here come last."""
    found = dependencies()
    sections = {
        part: [
            _row(dependency, installed)
            for dependency in sorted(found.values(), key=lambda d: (not d.direct, d.name))
            if dependency.part == part and (installed := dependency.installed)
        ]
        for part in parts()
    }
    written = {row["name"] for rows in sections.values() for row in ROW.finditer("\n".join(rows))}
    sections["only with other versions"] = sorted(row[0] for row in _rows(page) if row["name"] not in written)
    head = ["", "| package | version | licence | what for |", "|---|---|---|---|"]
    return "\n".join(
        line for title, rows in sections.items() if rows for line in [f"### {title}", *head, *rows, ""]
    )


def _row(dependency: Dependency, installed: Distribution) -> str:
    parents = ", ".join(sorted(dependency.parents))
    purpose = PURPOSES[dependency.name] if dependency.direct else f"for {parents}"
    return f"| {dependency.name} | {installed.version} | {licence(installed)} | {purpose} |"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(text)}\n{END}{rest.split(END)[1]}", encoding="utf-8")
