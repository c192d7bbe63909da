"""What no line of the code does: run text as code, start a shell, or read what could hold code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDERS = ("src", "benchmarks", "examples", "experiments", ".ci")
MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "cloudpickle",
    "dill",
    "joblib",
    "marshal",
    "shelve",
    "commands",
    "pty",
}
"""What reads objects that may run code when they are read, or runs shells."""
FUNCTIONS = {"eval", "exec", "compile", "__import__", "execfile"}
METHODS = {
    ("os", "system"),
    ("os", "popen"),
    ("subprocess", "getoutput"),
    ("subprocess", "getstatusoutput"),
    ("yaml", "load"),
    ("yaml", "unsafe_load"),
    ("pd", "eval"),
    ("pandas", "eval"),
    ("pandas", "read_pickle"),
    ("pd", "read_pickle"),
    ("np", "fromregex"),
    ("tempfile", "mktemp"),
    ("asyncio", "create_subprocess_shell"),
}
IMPORTS_BY_NAME = {"__init__.py", "cli/app.py", "network/exports.py", "analysis/estimator.py"}
"""Modules that import by a name, from tables of their own."""
STARTS = {"run", "Popen", "call", "check_call", "check_output"}


def complaints(source: str, name: str) -> Iterator[str]:
    """What is wrong with a file."""
    for node in ast.walk(ast.parse(source)):
        where = f"{name}:{getattr(node, 'lineno', 0)}"
        match node:
            case ast.Import(names=names):
                yield from (
                    f"{where} imports {one.name}" for one in names if one.name.split(".")[0] in MODULES
                )
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield f"{where} imports {module}"
            case ast.Call():
                yield from (f"{where} {what}" for what in _about_call(node, name))


def _about_call(call: ast.Call, name: str) -> Iterator[str]:
    given = {word.arg: word.value for word in call.keywords}
    function = call.func
    if isinstance(function, ast.Name):
        if function.id in FUNCTIONS:
            yield f"calls {function.id}"
        if function.id == "import_module" and not name.endswith(tuple(IMPORTS_BY_NAME)):
            yield "imports a module by name"
    if "shell" in given and not _is(given["shell"], False):
        yield "starts a shell"
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        called = (function.value.id, function.attr)
        if called in METHODS:
            yield f"calls {'.'.join(called)}"
        if (
            called[1] in ("load", "save")
            and called[0] in ("np", "numpy")
            and not _is(given.get("allow_pickle"), False)
        ):
            yield "lets numpy pickle"
        if (
            called[0] == "subprocess"
            and called[1] in STARTS
            and isinstance(call.args[0], (ast.Constant, ast.JoinedStr))
        ):
            yield "starts a program by a text instead of a list"


def _is(node: ast.expr | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def files(root: Path) -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]


def test_nothing_runs_text_as_code(root: Path) -> None:
    checked = files(root)
    assert {"learning.py", "scoring.py", "compare_scores.py"} <= {path.name for path in checked}
    found = [
        complaint
        for path in checked
        for complaint in complaints(path.read_text(encoding="utf-8"), str(path.relative_to(root)))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from marshal import loads",
        "eval('1')",
        "exec(text)",
        "__import__(name)",
        "import os; os.system('ls')",
        "subprocess.run(command, shell=True)",
        "subprocess.run(f'ls {path}')",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "yaml.load(text)",
        "import_module(name)",
        "tempfile.mktemp()",
    ],
)
def test_the_search_finds(source: str) -> None:
    assert list(complaints(source, "some.py"))


def test_scripts_take_no_code_from_the_net(root: Path) -> None:
    for path in [*(root / ".ci").rglob("*"), *(root / "src").rglob("*.html"), *(root / "src").rglob("*.js")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"\|\s*(ba)?sh\b", text) and "eval(" not in text
            assert "innerHTML" not in text and "document.write" not in text and "new Function" not in text
