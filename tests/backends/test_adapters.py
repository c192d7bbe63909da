"""Adapters of programs that are hard to come by: the real program where it is found, else a stand-in.

A stand-in is as strict as the program: it refuses flags, formats and weights that the program refuses, and
prints what the program prints. What it solves with is another solver.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chordlearn import learn
from chordlearn.backends.solvers.asp import CLASP_VARIABLE, LP2NORMAL_VARIABLE
from chordlearn.backends.solvers.child import find_program
from chordlearn.encodings.answers import OPTIMAL, SmtAnswers
from chordlearn.testing import check_backend

STAND_INS = Path(__file__).parent / "stand_ins"
PWBO, OPTIMATHSAT = "CHORDLEARN_PWBO", "CHORDLEARN_OPTIMATHSAT"


def said_by(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


def use(name: str, variable: str, folder: Path, monkeypatch: pytest.MonkeyPatch, version: str = "") -> Path:
    """The real program if there is one, of that version, else its stand-in as a program."""
    real = find_program((name,), variable)
    if real is not None and (not version or version in said_by(real, "--version")):
        return Path(real)
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_INS / name}.py" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv(variable, str(program))
    return program


@pytest.mark.parametrize("name", ["maxsat:pwbo", "maxsat:pwbo-ub"])
def test_pwbo(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use("pwbo", PWBO, tmp_path, monkeypatch)
    assert check_backend(name, effort="brief") > 10
    assert learn("heart", backend=name).status == "optimal"


@pytest.mark.parametrize("arguments", [["-search=UB"], ["-search-mode=ub", "-thread=2"], ["-thread=3"]])
def test_pwbo_is_strict(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = use("pwbo", PWBO, tmp_path, monkeypatch)
    model = tmp_path / "model.wcnf"
    model.write_text("p wcnf 1 1 5\n1 1 0\n", encoding="ascii")
    done = subprocess.run([program, *arguments, model], capture_output=True, text=True, timeout=60)
    assert "OPTIMUM" not in done.stdout


def test_pwbo_refuses_weights_beyond_32_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = use("pwbo", PWBO, tmp_path, monkeypatch)
    model = tmp_path / "model.wcnf"
    model.write_text("p wcnf 2 3 6000000001\n3000000000 1 0\n3000000000 2 0\n6000000001 -1 -2 0\n")
    done = subprocess.run([program, "-time-limit=10", model], capture_output=True, text=True, timeout=60)
    assert "o 3000000000" not in done.stdout


def test_optimathsat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_program(("optimathsat",), OPTIMATHSAT) is None:
        z3 = shutil.which("z3", path=str(Path(sys.executable).parent)) or shutil.which("z3")
        if z3 is None:
            pytest.skip("There is no program z3; pip install z3-solver has one.")
        monkeypatch.setenv("PATH", f"{Path(z3).parent}:/usr/bin:/bin")
    use("optimathsat", OPTIMATHSAT, tmp_path, monkeypatch)
    assert check_backend("smt:optimathsat", effort="brief") > 10


@pytest.mark.parametrize(
    "objectives",
    [
        "(objectives (x 12), partial search, range: [12, 20])",
        "(objectives (x (interval 12 20)))",
        "(objectives (x oo))",
        "",
    ],
)
def test_an_interrupted_search_is_not_optimal(objectives: str) -> None:
    seen: list[object] = []
    answers = SmtAnswers(seen.append, {"e_0_1": 1})
    for line in ("sat", objectives, "((e_0_1 true))"):
        answers.read(line)
    answers.finish()
    assert seen == [{1}]
    assert answers.claim != OPTIMAL


@pytest.mark.parametrize("name", ["asp:clasp", "asp:lp2normal"])
def test_clasp_before_version_3(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use("clasp", CLASP_VARIABLE, tmp_path, monkeypatch, "version 2.")
    use("lp2normal", LP2NORMAL_VARIABLE, tmp_path, monkeypatch)
    assert check_backend(name, effort="brief") > 10
    for encoding in ("paper", "paper-implied"):
        result = learn("heart", backend=name, encoding=encoding)
        assert result.status == "optimal"
    assert result.details["solver"] == (
        "clasp 2.1.3" if name == "asp:clasp" else "lp2normal 1.16 + clasp 2.1.3"
    )


@pytest.mark.parametrize(
    ("text", "option"),
    [("asp 1 0 0\n0\n", "--outf=0"), ("0\n0\nB+\n0\nB-\n0\n1\n", "--opt-mode=opt,5"), ("90 0\n0\n", "0")],
)
def test_old_clasp_is_strict(text: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clasp = use("clasp", CLASP_VARIABLE, tmp_path, monkeypatch, "version 2.")
    program = tmp_path / "program"
    program.write_text(text, encoding="ascii")
    assert "ERROR" in said_by(clasp, program, option)


def test_lp2normal_is_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    translator = use("lp2normal", LP2NORMAL_VARIABLE, tmp_path, monkeypatch)
    program = tmp_path / "program"
    program.write_text("0\n0\nB+\n0\nB-\n0\n1\n", encoding="ascii")
    assert "unknown argument" in said_by(translator, "-xy", program)
