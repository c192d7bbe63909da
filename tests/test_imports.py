"""The arrow: a folder imports only from itself and from folders to its left.

Imports inside functions count, and so do those for type checkers only: a name in a signature is knowledge
too. Only the package's front door, ``chordlearn/__init__.py``, is exempt, for it shows everything;
functions may ask it by ``import chordlearn``.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import chordlearn

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/developer/architecture.md").read_text(encoding="utf-8")
DRAWN = "".join(line for line in PAGE.split("## One arrow")[1].splitlines() if line.startswith("    "))
ARROW = ["_core", "_checker", *(station.strip() for station in DRAWN.split("▸")), "__main__"]
BELONGS_TO = {"errors": "system"}
"""The one module at the root."""
SHARING_NOTHING = {"certificate": {"_checker", "certificate", "system", "data"}}
# Loading one of these takes long, or it is not part of the core install.
LAZY = {
    "clingo",
    "pysat",
    "z3",
    "ortools",
    "highspy",
    "hermax",
    "pandas",
    "pyarrow",
    "matplotlib",
    "polars",
    "narwhals",
    "sklearn",
    "dask",
    "distributed",
    "starlette",
    "uvicorn",
}
PACKAGE = Path(chordlearn.__file__).parent
MODULES = sorted(
    path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py"
)


def station(module: Path) -> str:
    first = module.parts[0].removesuffix(".py")
    return BELONGS_TO.get(first, first)


def imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """The full name of everything that is imported; after `from`, the module's and that of what is taken."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_arrow(module: Path) -> None:
    assert station(module) in ARROW, f"{module} stands nowhere on the arrow"
    package = ("chordlearn", *module.parent.parts)
    for name in imported(ast.parse((PACKAGE / module).read_text()), package):
        if name.split(".")[0] != "chordlearn":
            continue
        if name == "chordlearn":
            continue  # The front door; see the next test.
        source = station(Path(name.split(".")[1]))
        assert source in ARROW, f"{module} imports {name}, which stands nowhere on the arrow"
        assert ARROW.index(source) <= ARROW.index(station(module)), (
            f"{module} imports {name} against the arrow"
        )
        assert source in SHARING_NOTHING.get(station(module), ARROW), (
            f"{module} imports {name}, but a checker shares nothing with the solver"
        )


@pytest.mark.parametrize("module", [path for path in MODULES if station(path) == "cli"], ids=str)
def test_the_command_line_is_a_shell_over_the_public_functions(module: Path) -> None:
    for name in imported(ast.parse((PACKAGE / module).read_text()), ("chordlearn", *module.parent.parts)):
        parts = name.split(".")
        if parts[0] == "chordlearn" and len(parts) > 1:
            assert station(Path(parts[1])) in {"system", "report", "testing", "web", "cli"}, (
                f"{module}: {name}"
            )


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_the_front_door_is_asked_only_inside_functions(module: Path) -> None:
    tree = ast.parse((PACKAGE / module).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == "chordlearn" for alias in node.names):
            is_fine = id(node) in inside or station(module) == "cli"
            assert is_fine, f"{module} imports the front door at its top"
            assert station(module) not in SHARING_NOTHING, f"{module} is a checker, which shares nothing"


# The workers are programs that run in processes of their own; nothing imports them.
@pytest.mark.parametrize("module", [path for path in MODULES if "workers" not in path.parts], ids=str)
def test_heavy_packages_are_imported_inside_functions(module: Path) -> None:
    tree = ast.parse((PACKAGE / module).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    # The estimator is a class of scikit-learn; the front door loads its module only when it is asked for.
    # The server loads the rest of its folder when it is started.
    allowed = {"sklearn"} if module.name == "estimator.py" else set()
    allowed |= {"starlette"} if station(module) == "web" else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in inside | for_types:
            for name in imported(node, ("chordlearn", *module.parent.parts)):
                assert name.split(".")[0] not in LAZY - allowed, f"{module} imports {name} at its top"


def in_fresh_python(code: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "use", ["pass", "chordlearn.learn; chordlearn.Result; chordlearn.BDeu; chordlearn.verify"]
)
def test_import_loads_no_heavy_package(use: str) -> None:
    loaded = in_fresh_python(f"import sys, chordlearn; {use}; print(*sys.modules)").split()
    assert LAZY.isdisjoint(loaded)


def test_import_takes_less_than_half_a_second() -> None:
    clock = "from time import process_time as now; start = now()"
    code = f"{clock}; import chordlearn; chordlearn.learn; print(now() - start)"
    # Processor time, and the least of several, because other programs run too.
    assert min(float(in_fresh_python(code)) for _ in range(3)) < 0.5


def test_the_front_door_shows_what_it_promises() -> None:
    assert set(dir(chordlearn)) == {*chordlearn.__all__, "ChordalNetworkClassifier", "ChordalNetworkLearner"}
    for name in chordlearn.__all__:
        assert getattr(chordlearn, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = chordlearn.nonsense
