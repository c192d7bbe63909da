"""The smaller commands: verify, score, solvers, data, --version and the help texts."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest


def test_version_and_help(run) -> None:
    assert run("--version").stdout.strip() == f"chordlearn {version('chordlearn')}"
    for arguments in ([], ["--help"], ["-h"]):
        done = run(*arguments)
        assert done.returncode == 0
        for name in ("learn", "score", "verify", "solvers", "data"):
            assert name in done.stdout


@pytest.mark.parametrize("name", ["learn", "score", "verify", "solvers", "data"])
def test_help_of_each_command(name: str, run) -> None:
    done = run(name, "--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Usage: chordlearn" in done.stdout


def test_verify_accepts_what_was_learned(run) -> None:
    assert run("learn", "heart", "--json", "r.json").returncode == 0
    for data in ([], ["heart"]):
        done = run("verify", "r.json", *data)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "✓" in done.stdout
        assert "✗" not in done.stdout


def test_verify_reads_the_data_as_they_were_read(run, tmp_path: Path) -> None:
    rows = "x,0,u,9\ny,1,?,8\nx,1,u,9\ny,0,v,9\n" * 8
    (tmp_path / "table.csv").write_text("a,b,c,junk\n" + rows)
    done = run("learn", "table.csv", "--drop", "junk", "--missing", "category", "--json", "r.json")
    assert done.returncode == 0, done.stderr
    assert run("verify", "r.json").returncode == 0
    assert run("verify", "r.json", "table.csv").returncode == 0
    (tmp_path / "table.csv").write_text("a,b,c,junk\n" + rows + "x,0,v,9\n")
    assert run("verify", "r.json").returncode == 1


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
def test_verify_rejects_a_change(change, run, tmp_path: Path) -> None:
    run("learn", "heart", "--json", "r.json")
    result = json.loads((tmp_path / "r.json").read_text())
    change(result)
    (tmp_path / "r.json").write_text(json.dumps(result))
    done = run("verify", "r.json", "heart")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "✗" in done.stdout
    assert "Traceback" not in done.stderr


def test_verify_against_a_score_file(run, tmp_path: Path) -> None:
    run("score", "heart", "-o", "heart.score")
    run("learn", "heart.score", "--json", "r.json")
    assert run("verify", "r.json").returncode == 0
    assert run("verify", "r.json", "heart.score").returncode == 0
    (tmp_path / "heart.score").unlink()
    done = run("verify", "r.json")
    assert done.returncode == 2
    assert "heart.score" in done.stderr


def test_solvers(run) -> None:
    done = run("solvers")
    assert done.returncode == 0
    assert "native" in done.stdout
    assert "exhaustive" in done.stdout
    assert "✓" in done.stdout


def test_data_lists_and_describes(run, tmp_path: Path) -> None:
    done = run("data")
    assert done.returncode == 0
    assert "heart" in done.stdout
    assert "econ" in done.stdout
    done = run("data", "heart")
    assert "1841" in done.stdout
    for name in ("smoke", "mental", "phys", "systol", "protein", "family"):
        assert name in done.stdout
    (tmp_path / "table.csv").write_text("colour,b\n" + "red,0\nblue,1\nred,1\n" * 4)
    done = run("data", "table.csv")
    assert done.returncode == 0, done.stderr
    assert "red" in done.stdout
    assert "8" in done.stdout


def test_python_m(run, tmp_path: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "chordlearn", "--version"], capture_output=True, text=True)
    assert done.stdout.strip() == f"chordlearn {version('chordlearn')}"
