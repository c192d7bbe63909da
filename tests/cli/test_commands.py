"""The smaller commands: verify, score, solvers, data, --version and the help texts."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest


def test_version_and_help(call) -> None:
    assert call("--version").stdout.strip() == f"chordlearn {version('chordlearn')}"
    for arguments in ([], ["--help"], ["-h"]):
        done = call(*arguments)
        assert done.returncode == 0
        for name in ("learn", "score", "verify", "solvers", "data"):
            assert name in done.stdout


@pytest.mark.parametrize("name", ["learn", "score", "verify", "solvers", "data"])
def test_help_of_each_command(name: str, call) -> None:
    done = call(name, "--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Usage: chordlearn" in done.stdout


def test_verify_accepts_what_was_learned(call) -> None:
    assert call("learn", "heart", "--json", "r.json").returncode == 0
    for data in ([], ["heart"]):
        done = call("verify", "r.json", *data)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "✓" in done.stdout
        assert "✗" not in done.stdout


def test_verify_reads_the_data_as_they_were_read(call, tmp_path: Path) -> None:
    rows = "x,0,u,9\ny,1,?,8\nx,1,u,9\ny,0,v,9\n" * 8
    (tmp_path / "table.csv").write_text("a,b,c,junk\n" + rows)
    done = call("learn", "table.csv", "--drop", "junk", "--missing", "category", "--json", "r.json")
    assert done.returncode == 0, done.stderr
    assert call("verify", "r.json").returncode == 0
    assert call("verify", "r.json", "table.csv").returncode == 0
    (tmp_path / "table.csv").write_text("a,b,c,junk\n" + rows + "x,0,v,9\n")
    assert call("verify", "r.json").returncode == 1


def change_score(result: dict) -> None:
    result["score"] += 0.001


def change_bound(result: dict) -> None:
    result["bound"] -= 1


def drop_edge(result: dict) -> None:
    result["edges"].pop()


def change_clique(result: dict) -> None:
    result["cliques"][0] = result["cliques"][0][:-1]


def change_separator(result: dict) -> None:
    result["separators"][0] = ["family"]


def change_hash(result: dict) -> None:
    result["data_sha256"] = "0" * 64


@pytest.mark.parametrize(
    "change", [change_score, change_bound, drop_edge, change_clique, change_separator, change_hash]
)
def test_verify_rejects_a_change(change, call, tmp_path: Path) -> None:
    call("learn", "heart", "--json", "r.json")
    result = json.loads((tmp_path / "r.json").read_text())
    change(result)
    (tmp_path / "r.json").write_text(json.dumps(result))
    done = call("verify", "r.json", "heart")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "✗" in done.stdout
    assert "Traceback" not in done.stderr


def test_verify_against_a_score_file(call, tmp_path: Path) -> None:
    call("score", "heart", "-o", "heart.score")
    call("learn", "heart.score", "--json", "r.json")
    assert call("verify", "r.json").returncode == 0
    assert call("verify", "r.json", "heart.score").returncode == 0
    (tmp_path / "heart.score").unlink()
    done = call("verify", "r.json")
    assert done.returncode == 2
    assert "heart.score" in done.stderr


def test_solvers(call) -> None:
    done = call("solvers")
    assert done.returncode == 0
    assert "native" in done.stdout
    assert "exhaustive" in done.stdout
    assert "✓" in done.stdout


def test_data_lists_and_describes(call, tmp_path: Path) -> None:
    done = call("data")
    assert done.returncode == 0
    assert "heart" in done.stdout
    assert "econ" in done.stdout
    done = call("data", "heart")
    assert "1,841 rows" in done.stdout
    for name in ("smoke", "mental", "phys", "systol", "protein", "family"):
        assert name in done.stdout
    (tmp_path / "table.csv").write_text("colour,b\n" + "red,0\nblue,1\nred,1\n" * 4)
    done = call("data", "table.csv")
    assert done.returncode == 0, done.stderr
    assert "red" in done.stdout
    assert "8" in done.stdout


def test_as_a_process_of_its_own(run) -> None:
    assert run("--version").stdout == f"chordlearn {version('chordlearn')}\n"
    module = [sys.executable, "-m", "chordlearn", "--version"]
    assert subprocess.check_output(module, text=True) == f"chordlearn {version('chordlearn')}\n"
