"""`chordlearn data`: every readable table is described, and the command that it prints learns from it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from chordlearn.data import read
from chordlearn.errors import InputError
from messy import MESSY, Messy


def in_shell(line: str, folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a line as a user pastes it."""
    path = f"{Path(command).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "COLUMNS": "80"},
        timeout=300,
    )


@pytest.mark.parametrize("table", MESSY, ids=lambda table: table.name)
def test_from_a_messy_table_to_a_report(table: Messy, call, command: str, tmp_path: Path) -> None:
    path = table.write(tmp_path)
    name = f"./{path.name}" if path.name.startswith("-") else path.name
    described = call("data", name, "--json", "d.json")
    assert described.returncode == 0, described.stderr
    account = json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))
    verdicts = {column["name"]: column["verdict"] for column in account["columns"]}
    assert verdicts | table.verdicts == verdicts
    last = described.stdout.splitlines()[-1]
    if not table.left:
        assert last == "None of its columns can be learned from; give the table other columns."
        assert account["command"] is None
        return
    assert last == account["command"]
    learned = in_shell(f"{last} --report report.html --json r.json", tmp_path, command)
    assert learned.returncode == 0, learned.stderr
    result = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert result["status"] == "optimal"
    assert set(result["variables"]) == table.left
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", MESSY, ids=lambda table: table.name)
def test_learn_names_all_problems_and_ends_with_the_command(table: Messy, call, tmp_path: Path) -> None:
    path = table.write(tmp_path)
    name = f"./{path.name}" if path.name.startswith("-") else path.name
    account = json.loads(call("data", name, "--json", "-").stdout)
    done = call("learn", name)
    if not account["problems"]:
        assert done.returncode == 0
        return
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(account["command"] or account["why_no_command"])
    with pytest.raises(InputError) as caught:
        read(path)
    for problem in account["problems"]:
        assert problem in str(caught.value)


def test_tables_of_counts_are_recognised_and_learned_from(measuring_data: Path, call) -> None:
    tables = sorted((measuring_data / "tables").glob("*.csv"))
    assert len(tables) >= 6
    for path in tables:
        refused = call("learn", path)
        assert refused.returncode == 2
        assert "this looks like a contingency table: use --counts count" in refused.stderr
        assert refused.stderr.endswith(f"chordlearn learn {path} --counts count\n")
        assert call("learn", path, "--counts", "count").returncode == 0
        rows = json.loads(call("data", path, "--json", "-").stdout)["rows"]
        assert rows == read(path, counts="count").rows


def test_names_with_commas_spaces_and_quotes(call, tmp_path: Path) -> None:
    names = ["a, b", "c d", "it's", "x=y", "plain", "-v"]
    header = ",".join(f'"{name}"' for name in names)
    (tmp_path / "t.csv").write_text(header + "\n" + "x,u,1,2,n,0\ny,u,2,1,m,1\nx,w,1,3,m,1\n" * 5)
    done = call(
        "learn",
        "t.csv",
        "--drop",
        "a, b",
        "--drop",
        "it's,-v",
        "--discretize",
        "x=y=quantile:2",
        "--json",
        "-",
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["variables"] == ["c d", "x=y", "plain"]
    assert result["states"][1] == ["<2", ">=2"]
    done = call("learn", "t.csv", "--columns", "a, b", "--columns", 'plain,"it\'s"', "--json", "-")
    assert json.loads(done.stdout)["variables"] == ["a, b", "plain", "it's"]


def test_a_table_whose_names_are_not_sound_is_described(call, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,a\n1,x,2\n2,y,1\n")
    done = call("data", "t.csv")
    assert done.returncode == 0
    assert "a (column 3)" in done.stdout
    assert "more than one column named 'a'" in done.stdout
    assert call("learn", "t.csv").returncode == 2


def test_a_long_command_is_left_to_data(call, tmp_path: Path) -> None:
    columns = [f"identifier of the {number}th kind" for number in range(40)]
    rows = [
        ",".join(f"v{number} {column}" for column in range(40)) + f",{number % 2}" for number in range(60)
    ]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*columns, "a"]), *rows]))
    done = call("learn", "t.csv")
    assert done.stderr.endswith(": chordlearn data t.csv\n")
    command = call("data", "t.csv").stdout.splitlines()[-1]
    assert command.count("--drop") == 40


def test_what_was_cut_is_listed(call, tmp_path: Path) -> None:
    rows = [f"{number % 2},{1 + number % 5},{number / 7:.2f},{number % 30}" for number in range(150)]
    (tmp_path / "t.csv").write_text("\n".join(["flag,likert,dose,age", *rows]))
    done = call(
        "learn", "t.csv", "--discretize", "quantile:3", "--discretize", "age=width:2", "--json", "r.json"
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    assert [len(states) for states in result["states"]] == [2, 3, 3, 2]
    (note,) = result["details"]["reading"]
    assert note.startswith("Cut into classes: likert (<3, 3..4, >=4)") and "age (<14.5, >=14.5)" in note
    assert note in done.stderr
    kept = call("learn", "t.csv", "--discretize", "quantile:3,likert=keep")
    assert "Columns of numbers left as they are: likert (5 values)." in kept.stderr
    assert call("verify", "r.json").returncode == 0
