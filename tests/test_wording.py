"""What is wrong is said in the reader's words: arguments for Python, flags for the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import chordlearn as cl
from chordlearn.cli.app import load
from chordlearn.errors import ChordlearnError, InputError, either, option

FOR_OTHERS = {
    "backends/solvers/asp.py": "flags of clasp",
    "report/outputs.py": "the files of commands, and which command takes them",
}
"""Modules whose flags are no words to a reader."""


def flags() -> set[str]:
    """Every long flag of every command."""
    commands = typer.main.get_command(load()).commands.values()  # type: ignore[attr-defined]
    return {flag for command in commands for one in command.params for flag in one.opts + one.secondary_opts}


def texts(tree: ast.AST) -> Iterator[str]:
    """String literals, but no docstrings, and not what `either` says on the command line."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(node.value)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "either":
            skipped.add(node.args[1])
    # A node comes before those within it.
    for node in ast.walk(tree):
        if node in skipped:
            skipped |= set(ast.iter_child_nodes(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_sentence_outside_the_command_line_names_a_flag(root: Path) -> None:
    source = root / "src" / "chordlearn"
    ours = {flag for flag in flags() if flag.startswith("--")}
    assert len(ours) > 50
    found = {}
    for path in sorted(source.rglob("*.py")):
        name = str(path.relative_to(source))
        if name.startswith("cli/") or name in FOR_OTHERS:
            continue
        named = {
            flag
            for text in texts(ast.parse(path.read_text()))
            for flag in re.findall(r"--[a-z][a-z-]*", text)
        }
        if named & ours:
            found[name] = sorted(named & ours)
    assert found == {}


def test_the_search_finds_flags() -> None:
    code = '"""--doc"""\nraise InputError("a --top " f"b --save {x}" + either("c", f"--json {y}"))'
    assert re.findall("--[a-z]+", " ".join(texts(ast.parse(code)))) == ["--top", "--save"]


TABLE = {"a": ["x", "y"] * 20, "b": ["u", "v", "v", "u"] * 10}
WRONG: dict[str, tuple[dict[str, Any], tuple[str, ...], str, str]] = {
    "ess": ({"ess": -1.0}, ("--ess", "-1"), "(ess)", "(--ess)"),
    "ess of another score": (
        {"score": "bic", "ess": 1.0},
        ("--score", "bic", "--ess", "1"),
        "out ess or",
        "out --ess",
    ),
    "alpha": ({"score": "dirichlet"}, ("--score", "dirichlet"), "as in alpha=0.5.", "as in --alpha 0.5."),
    "alpha of another score": (
        {"alpha": 2.0},
        ("--alpha", "2"),
        "leave out alpha or",
        "leave out --alpha or",
    ),
    "max_clique": (
        {"max_clique": 1, "require": [("a", "b")]},
        ("--max-clique", "1", "--require", "a,b"),
        "allow max_clique=2.",
        "allow --max-clique 2.",
    ),
    "encoding": (
        {"backend": "native", "encoding": "paper"},
        ("--backend", "native", "--encoding", "paper"),
        "leave encoding out",
        "leave --encoding out",
    ),
    "resume": ({"resume": "in.csv"}, ("--resume", "in.csv"), "leave resume out", "leave --resume out"),
    "proof": ({"proof": "folder"}, ("--proof", "folder"), "give proof a new", "give --proof a new"),
}


@pytest.mark.parametrize("name", WRONG)
def test_options_of_learn_are_named_as_they_were_given(name: str, call: Callable, tmp_path: Path) -> None:
    arguments, words, in_python, on_command_line = WRONG[name]
    rows = "".join(f"{a},{b}\n" for a, b in zip(TABLE["a"], TABLE["b"], strict=True))
    (tmp_path / "in.csv").write_text("a,b\n" + rows)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    done = call("learn", "in.csv", *words)
    assert done.returncode == 2
    assert on_command_line in done.stderr
    with pytest.raises(InputError) as caught:
        cl.learn("in.csv", **arguments)
    assert in_python in str(caught.value)
    assert "--" not in str(caught.value)


def test_too_many_columns_for_a_backend(call: Callable, tmp_path: Path) -> None:
    codes = np.random.default_rng(1).integers(0, 2, (60, 12))
    names = [f"v{i}" for i in range(12)]
    rows = "".join(",".join(map(str, row)) + "\n" for row in codes)
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + rows)
    done = call("learn", "wide.csv", "--backend", "exhaustive")
    assert done.returncode == 2 and "--" in done.stderr
    with pytest.raises(InputError) as caught:
        cl.learn(tmp_path / "wide.csv", backend="exhaustive")
    assert "--" not in str(caught.value)


def test_what_a_file_lacks_is_said_in_the_same_words(call: Callable, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"schema": ')
    (tmp_path / "p").mkdir()
    for command, read, in_python, on_command_line in (
        (("plot", "r.json", "-o", "x.svg"), cl.Result.load, "Result.save", "--json"),
        (("verify", "p"), cl.verify, "learn(proof=…)", "learn --proof"),
        (("compare", "r.json", "r.json"), cl.Result.load, "Result.save", "--json"),
    ):
        done = call(*command)
        assert done.returncode == 2 and on_command_line in done.stderr
        with pytest.raises(ChordlearnError) as caught:
            read(tmp_path / command[1])
        assert in_python in str(caught.value) and "--" not in str(caught.value)


def test_data_that_are_gone(call: Callable, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("a,b\n" + "x,u\ny,v\n" * 20)
    result = cl.learn(str(path))
    result.save(tmp_path / "r.json")
    path.unlink()
    assert "give them as DATA." in call("verify", "r.json").stderr
    with pytest.raises(InputError, match=r"give them as data\."):
        cl.verify(result)


def test_the_estimator_names_its_own_parameters() -> None:
    pytest.importorskip("sklearn")
    rows = np.array([["x", "u"], ["y", "v"]] * 20)
    learner = cl.ChordalNetworkLearner(criterion="dirichlet")
    with pytest.raises(ValueError, match=r"as in alpha=0.5\."):
        learner.fit(rows)
    with pytest.raises(ValueError) as caught:
        cl.ChordalNetworkLearner(missing="error").fit(np.array([["x", None], ["y", "v"]] * 20, dtype=object))
    assert "missing" in str(caught.value)
    error = InputError(
        f"Use {option('drop', ['id'])}, {option('score', 'bic')} or {option('missing', 'drop')}."
    )
    from chordlearn.analysis.estimator import OWN_NAMES

    assert error.renamed(OWN_NAMES) == 'Use X.drop(columns=["id"]), criterion="bic" or missing="drop".'
    assert set(OWN_NAMES) & set(learner.get_params()) == set()


def test_a_sentence_within_a_sentence_keeps_its_options() -> None:
    inner = InputError(f"Leave {option('resume')} out; see {either('Result', '--json')}.")
    outer = InputError(f"file: {inner.sentence}")
    assert str(outer) == "file: Leave resume out; see Result."
    assert outer.on_command_line() == "file: Leave --resume out; see --json."
