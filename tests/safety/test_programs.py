"""Programs that others wrote see nothing of ours that they do not need, and leave nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.backends.solvers.child import own_directory, python_command, run_program
from chordlearn.errors import UnfinishedWarning
from chordlearn.system.processes import KEPT

SECRETS = dict.fromkeys(("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PYTHONSTARTUP"), "hidden")
ALLOWED = {*KEPT, "HOME", "TMPDIR", "LC_ALL", "PYTHONUSERBASE", "LC_CTYPE"}
"""The last one Python sets for itself."""
Read = Callable[[], dict[str, Any]]
STAND_IN = """
import json, os, resource, stat, sys
told = {
    "arguments": sys.argv[1:],
    "environment": dict(os.environ),
    "folder": os.getcwd(),
    "mode": stat.S_IMODE(os.stat(".").st_mode),
    "files": sorted(os.listdir("/proc/self/fd")),
    "stdin": os.readlink("/proc/self/fd/0"),
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "memory": resource.getrlimit(resource.RLIMIT_AS),
    "session": os.getsid(0) == os.getpid(),
    "new_rights": [line for line in open("/proc/self/status") if line.startswith("NoNewPrivs")],
}
with open(REPORT, "w") as file:
    json.dump(told, file)
print("s VERIFIED")
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Read]:
    """Makes a program of that name which writes down all it sees, and returns what reads that."""
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)

    def make(name: str) -> Read:
        report = tmp_path / "report.json"
        path = tmp_path / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!{sys.executable} -I\nREPORT = {str(report)!r}\n{STAND_IN}", encoding="utf-8")
        path.chmod(0o755)
        return lambda: json.loads(report.read_text())

    return make


def assert_confined(told: dict[str, Any]) -> None:
    assert set(told["environment"]) <= ALLOWED
    assert "hidden" not in told["environment"].values()
    assert told["stdin"] == "/dev/null"
    # The fourth is the folder that is being listed.
    assert len(told["files"]) <= 4
    assert not Path(told["folder"]).exists()


@pytest.mark.parametrize(
    ("variable", "backend"),
    [
        ("CHORDLEARN_UWRMAXSAT", "maxsat:uwrmaxsat"),
        ("CHORDLEARN_PWBO", "maxsat:pwbo"),
        ("CHORDLEARN_OPTIMATHSAT", "smt:optimathsat"),
        ("CHORDLEARN_CLASP", "asp:clasp"),
    ],
)
def test_solvers(
    variable: str,
    backend: str,
    stand_in: Callable[[str], Read],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = stand_in("a solver; touch pwned $(id)")
    monkeypatch.setenv(variable, str(tmp_path / "programs" / "a solver; touch pwned $(id)"))
    with pytest.warns(UnfinishedWarning, match=backend.partition(":")[2]):
        result = cl.learn("heart", backend=backend, memory_limit=4.0)
    assert result.status == "feasible"
    told = read()
    assert_confined(told)
    assert told["session"]
    assert told["mode"] == 0o700
    assert told["core"] == [0, 0]
    assert told["memory"][0] == 4e9
    if shutil.which("setpriv"):
        assert told["new_rights"] == ["NoNewPrivs:\t1\n"]


def test_checkers(stand_in: Callable[[str], Read], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = stand_in("drat-trim")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:{os.environ['PATH']}")
    cl.learn("heart", proof=tmp_path / "proof")
    assert cl.verify(tmp_path / "proof").ok
    told = read()
    assert_confined(told)
    assert set(told["environment"]) <= {"PATH", "LC_CTYPE"}


def test_our_own_children(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    lines: list[str] = []
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    with own_directory() as folder:
        ended = run_program(python_command("-c", code), on_line=lines.append, directory=folder)
    assert ended.returncode == 0
    assert set(json.loads(lines[0])) <= ALLOWED


def test_no_shell_reads_arguments(tmp_path: Path) -> None:
    lines: list[str] = []
    hostile = ["$(touch pwned)", "`id`", "; touch pwned", "a\nb", "*", "~", "-rf"]
    code = "import sys; print(repr(sys.argv[1:]))"
    run_program(python_command("-c", code, *hostile), on_line=lines.append, directory=tmp_path)
    assert lines == [repr(hostile)]
    assert list(tmp_path.iterdir()) == []


def test_modules_are_not_taken_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken')")
    lines: list[str] = []
    command = python_command("-c", "import json; print(json.dumps(1))")
    ended = run_program(command, on_line=lines.append, directory=tmp_path)
    assert (ended.returncode, lines) == (0, ["1"])


def test_folders_are_private_and_not_to_be_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old = os.umask(0)
    try:
        with own_directory() as one, own_directory() as other:
            assert {stat.S_IMODE(folder.stat().st_mode) for folder in (one, other)} == {0o700}
            assert one != other
            assert str(os.getpid()) not in one.name
    finally:
        os.umask(old)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("backend", ["maxsat:rc2", "asp:clingo", "search", "native"])
def test_nothing_in_the_shared_folder_but_private_ones(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: dict[str, int] = {}

    class Looking:
        def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
            seen.update({path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()})

    cl.learn("heart", backend=backend, observer=Looking())
    assert set(seen.values()) <= {0o700}
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_place_of_a_part_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if somebody had guessed the name under which a file is written."""
    import secrets

    from chordlearn.errors import InputError
    from chordlearn.system import files as writing

    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(secrets, "token_hex", lambda _count: "guessed")
    (tmp_path / ".chordlearn-guessed.part").symlink_to(victim)
    for nameless in (True, False):
        if not nameless:
            monkeypatch.setattr(writing, "_open_nameless", lambda _folder: None)
        with pytest.raises(InputError, match="exists"):
            writing.write_whole(tmp_path / "out.json", "new")
        assert victim.read_text() == "precious"
        assert not (tmp_path / "out.json").exists()
