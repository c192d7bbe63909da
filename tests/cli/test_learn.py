"""`chordlearn learn`: what it prints and what it writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

FIELDS = [
    "schema",
    "status",
    "score",
    "bound",
    "gap",
    "stopped_by",
    "variables",
    "edges",
    "cliques",
    "separators",
    "junction_tree",
    "score_function",
    "rows",
    "backend",
    "encoding",
    "scaling",
    "candidates",
    "seconds",
    "seed",
    "versions",
    "data_sha256",
]


def learned(run, *arguments: object) -> dict[str, Any]:
    done = run("learn", *arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_heart_as_a_statistician_reads_it(run) -> None:
    done = run("learn", "heart")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "optimal, proved" in done.stdout
    assert "-6732.459258" in done.stdout
    for clique in ("smoke – phys – protein", "mental – phys", "systol – protein", "family"):
        assert clique in done.stdout


@pytest.mark.parametrize("width", [20, 40, 60, 200])
def test_narrow_and_wide_terminals(width: int, run) -> None:
    done = run("learn", "econ", env={"COLUMNS": str(width)})
    assert done.returncode == 0
    assert "-2695.956501" in done.stdout
    if width >= 40:
        assert max(map(len, done.stdout.splitlines())) <= width


def test_json_has_all_fields(run) -> None:
    result = learned(run, "heart")
    assert [field for field in FIELDS if field not in result] == []
    assert result["schema"] == "chordlearn/result@1"
    assert result["status"] == "optimal"
    assert result["score"] == pytest.approx(-6732.459258, abs=1e-6)
    assert sorted(map(sorted, result["cliques"])) == [
        ["family"],
        ["mental", "phys"],
        ["phys", "protein", "smoke"],
        ["protein", "systol"],
    ]
    assert result["rows"] == 1841
    assert {"chordlearn", "python", "numpy"} <= result["versions"].keys()
    assert {"read", "score", "solve"} <= result["seconds"].keys()


@pytest.mark.parametrize(
    ("arguments", "optimum", "tolerance"),
    [
        (["econ"], -2695.956501084, 1e-8),
        (["heart", "--score", "dirichlet", "--alpha", "0.5"], -6719.518274220, 1e-8),
        (["heart", "--score", "jeffreys"], -6719.518274220, 1e-8),
        (["econ", "--score", "dirichlet", "--alpha", "0.5"], -2674.546768267, 1e-8),
        (["heart", "--score", "bic"], -6726.799042358, 1e-8),
        (["econ", "--score", "bic"], -2697.583212753, 1e-8),
        (["heart", "--backend", "exhaustive"], -6732.459257736, 1e-8),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_known_optima(arguments: list[str], optimum: float, tolerance: float, call) -> None:
    result = learned(call, *arguments)
    assert result["status"] == "optimal"
    assert result["score"] == pytest.approx(optimum, abs=tolerance)


@pytest.mark.parametrize(
    ("file", "options", "optimum"),
    [
        ("scores/nursery.score", [], -125991.575788),
        ("tables/heart_reinis_table.csv", ["--counts", "count"], -6732.459258),
        ("uci/nursery.csv", [], -125991.575788),
    ],
)
def test_measuring_data(file: str, options: list[str], optimum: float, call, measuring_data: Path) -> None:
    result = learned(call, measuring_data / file, *options)
    assert result["status"] == "optimal"
    assert result["score"] == pytest.approx(optimum, abs=1e-5)


def test_constraints(call) -> None:
    result = learned(call, "heart", "--max-clique", 2, "--require", "smoke,family", "--forbid", "mental,phys")
    edges = {frozenset(edge) for edge in result["edges"]}
    assert {"smoke", "family"} in edges
    assert {"mental", "phys"} not in edges
    assert max(map(len, result["cliques"])) <= 2
    done = call("learn", "heart", "--max-clique", 2)
    assert "cliques of at most 2" in done.stdout


def test_columns_and_drop(call) -> None:
    assert learned(call, "heart", "--columns", "smoke,mental", "--columns", "phys")["variables"] == [
        "smoke",
        "mental",
        "phys",
    ]
    assert "family" not in learned(call, "heart", "--drop", "family")["variables"]


def test_files(call, tmp_path: Path) -> None:
    saved = [tmp_path / name for name in ("r.json", "g.graphml", "g.dot", "G.CSV")]
    arguments = [word for path in saved for word in ("--save", path)]
    done = call("learn", "heart", "--json", "same.json", "--trace", "t.jsonl", *arguments)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "r.json").read_text())["status"] == "optimal"
    assert json.loads((tmp_path / "same.json").read_text()).keys() == json.loads(saved[0].read_text()).keys()
    assert (tmp_path / "g.dot").read_text().count(" -- ") == 5
    edges = ElementTree.parse(tmp_path / "g.graphml").findall(".//{*}edge")
    assert len(edges) == 5
    matrix = list(csv.reader((tmp_path / "G.CSV").read_text().splitlines()))
    assert sum(row.count("1") for row in matrix[1:]) == 10
    events = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert events
    assert all({"t", "stage", "score", "bound"} <= event.keys() for event in events)
    assert sorted(event["t"] for event in events) == [event["t"] for event in events]
    assert {path.name for path in tmp_path.iterdir()} == {
        "r.json",
        "g.graphml",
        "g.dot",
        "G.CSV",
        "same.json",
        "t.jsonl",
    }


def test_score_file_instead_of_data(call) -> None:
    assert call("score", "heart", "-o", "heart.score").returncode == 0
    result = learned(call, "heart.score")
    assert result["score"] == pytest.approx(-6732.459258, abs=1e-5)
    assert result["rows"] is None


def test_terminal_without_unicode(run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("größe,b\n" + "0,0\n1,1\n" * 5)
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run("learn", "table.csv", env=ascii_only)
    assert done.returncode == 0, done.stderr
    assert "optimal" in done.stdout
    done = run("learn", "table.csv", "--json", "-", env=ascii_only)
    assert json.loads(done.stdout)["variables"] == ["größe", "b"]


def test_next_best_networks(call, tmp_path: Path) -> None:
    done = call("learn", "heart", "--top", 2, "--backend", "exhaustive")
    assert done.returncode == 0
    assert "-6733.331602" in done.stdout
    assert done.stderr == ""
    (tmp_path / "table.csv").write_text("a\n0\n1\n")
    done = call("learn", "table.csv", "--top", 2, "--backend", "exhaustive")
    assert "found 1 of the 2 networks requested" in done.stderr


def test_an_encoding_for_a_backend_without_any_is_refused(call) -> None:
    done = call("learn", "heart", "--encoding", "paper", "--backend", "exhaustive")
    assert done.returncode == 2
    assert "The backend exhaustive has no encodings; leave --encoding out" in done.stderr
