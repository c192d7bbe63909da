"""The commands on a learned network."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import chordlearn as cl
from chordlearn.errors import InputError

COMMANDS = [
    "query",
    "mpe",
    "sample",
    "evaluate",
    "impute",
    "update",
    "export",
    "compare",
    "edges",
    "bootstrap",
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with the network of heart as a network file and as a result."""
    result = cl.learn("heart", threads=1)
    result.save(tmp_path / "result.json")
    cl.fit(result).save(tmp_path / "net.chord.json")
    return tmp_path


def answer(done: subprocess.CompletedProcess[str]) -> dict:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("chordlearn: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name: str, call) -> None:
    done = call(name, "--help")
    assert done.returncode == 0
    assert "Usage: chordlearn" in done.stdout
    assert "--json" in done.stdout


def test_learn_saves_networks_with_tables(call, tmp_path: Path) -> None:
    names = ["net.chord.json", "net.bif", "net.XMLBIF", "net.uai", "net.net", "r.json"]
    done = call("learn", "heart", *(word for name in names for word in ("--save", name)))
    assert done.returncode == 0, done.stderr
    net = cl.load_network(tmp_path / "net.chord.json")
    assert net.provenance["data"] == {"source": "heart", "options": {}}
    assert net.provenance["data_sha256"] == cl.read("heart").sha256
    assert (tmp_path / "net.uai").read_text().startswith("MARKOV")
    assert json.loads((tmp_path / "r.json").read_text())["schema"] == "chordlearn/result@1"
    assert call("verify", "r.json").returncode == 0


def test_learn_reads_a_table_once_and_remembers_how(call, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,junk\n" + "x,0,1\ny,1,2\n?,1,3\n" * 9)
    options = ("--drop", "junk", "--missing", "category", "--save", "n.chord.json", "--json", "r.json")
    done = call("learn", "t.csv", *options)
    assert done.returncode == 0, done.stderr
    # To take over a data set that was read takes a hundredth of that.
    assert json.loads((tmp_path / "r.json").read_text())["seconds"]["read"] > 1e-4
    net = cl.load_network(tmp_path / "n.chord.json")
    assert net.provenance["data"]["options"] == {"drop": ["junk"], "missing": "category"}
    assert net.states[0] == ("x", "y", "?")
    assert answer(call("edges", "n.chord.json", "--json", "-"))["edges"][0]["edge"] == ["a", "b"]


def test_scores_have_no_tables(call) -> None:
    assert call("score", "heart", "-o", "heart.scores").returncode == 0
    assert "no data to count" in sentence(call("learn", "heart.scores", "--save", "n.chord.json"))
    assert call("learn", "heart.scores", "--json", "r.json").returncode == 0
    assert "no rows to draw" in sentence(call("bootstrap", "heart.scores"))
    assert "learned from scores" in sentence(call("query", "r.json", "P(smoke)"))
    assert call("query", "r.json", "P(smoke)", "--data", "heart").returncode == 0


@pytest.mark.parametrize("file", ["net.chord.json", "result.json"])
def test_query(file: str, call, saved: Path) -> None:
    net = cl.load_network(saved / "net.chord.json")
    found = answer(call("query", file, "P(smoke | phys=y, protein=n)", "--json", "-"))
    assert found["query"] == "P(smoke | phys=y, protein=n)"
    expected = net.marginal("smoke", given={"phys": "y", "protein": "n"}).to_dict()
    assert found["probabilities"] == pytest.approx(expected, abs=1e-15)
    joint = answer(call("query", file, "P(smoke, systol=y)", "--json", "-"))["probabilities"]
    assert [entry["states"] for entry in joint] == [
        {"smoke": "n", "systol": "y"},
        {"smoke": "y", "systol": "y"},
    ]
    assert joint[0]["probability"] == pytest.approx(net.joint(["smoke", "systol"])["n", "y"], abs=1e-15)
    shown = call("query", file, "P(smoke)")
    assert shown.returncode == 0
    assert f"{net.marginal('smoke')['y']:.6f}" in shown.stdout


def test_query_writes_a_file_and_shows_the_table(call, saved: Path) -> None:
    done = call("query", "net.chord.json", "P(smoke)", "--json", "answer.json")
    assert "probability" in done.stdout
    assert json.loads((saved / "answer.json").read_text())["query"] == "P(smoke)"


def test_wrong_questions_and_files(call, saved: Path) -> None:
    assert "no variable 'nobody'" in sentence(call("query", "net.chord.json", "P(nobody)"))
    assert "no state 'q'" in sentence(call("query", "net.chord.json", "P(smoke | phys=q)"))
    assert "cannot be understood" in sentence(call("query", "net.chord.json", "smoke"))
    assert "cannot be read" in sentence(call("query", "absent.chord.json", "P(smoke)"))
    (saved / "cut.chord.json").write_text((saved / "net.chord.json").read_text()[:500])
    assert "cut off" in sentence(call("query", "cut.chord.json", "P(smoke)"))
    assert "twice" in sentence(call("mpe", "net.chord.json", "--given", "phys=y", "-g", "phys=n"))
    assert "has no suffix" in sentence(call("export", "net.chord.json", "net.bif", "net.xyz"))
    assert not (saved / "net.bif").exists()
    assert "suffix" in sentence(call("sample", "net.chord.json", "-o", "rows.xyz"))
    (saved / "odd.csv").write_text("smoke,mental,phys,systol,protein,family\nq,y,y,y,y,y\n")
    assert "'smoke' has no state 'q'" in sentence(
        call("evaluate", "net.chord.json", "odd.csv", "--unseen", "error")
    )


def test_mpe(call, saved: Path) -> None:
    found = answer(call("mpe", "net.chord.json", "--given", "phys=y", "--json", "-"))
    best = cl.load_network(saved / "net.chord.json").mpe({"phys": "y"})
    assert found["states"] == best.states
    assert found["probability"] == pytest.approx(best.probability)
    assert found["given"] == {"phys": "y"}
    assert "given the evidence" in call("mpe", "net.chord.json", "--given", "phys=y").stdout


def test_sample(call, saved: Path) -> None:
    done = call("sample", "net.chord.json", "-n", 5, "--seed", 3, "--given", "phys=y")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert len(rows) == 5
    assert {row["phys"] for row in rows} == {"y"}
    found = answer(call("sample", "net.chord.json", "-n", 5, "--seed", 3, "-g", "phys=y", "--json", "-"))
    assert found["rows"] == [list(row.values()) for row in rows]
    assert call("sample", "net.chord.json", "-n", 2000, "-o", "rows.parquet").returncode == 0
    assert answer(call("evaluate", "net.chord.json", "rows.parquet", "--json", "-"))["rows"] == 2000


def test_evaluate(call, saved: Path) -> None:
    found = answer(call("evaluate", "net.chord.json", "heart", "--json", "-", "--rows", "rows.csv"))
    net = cl.load_network(saved / "net.chord.json")
    data = cl.read("heart")
    total = float((net.log_likelihood(data) * data.weights).sum())
    assert found["rows"] == 1841
    assert found["log_likelihood"] == pytest.approx(total)
    assert found["log_likelihood_per_row"] == pytest.approx(total / 1841)
    assert found["variables"]["mental"]["accuracy"] == pytest.approx(
        float(((net.predict(data, "mental") == data.to_frame()["mental"].to_numpy()) * data.weights).sum())
        / 1841
    )
    logs = [
        float(row["log_likelihood"]) for row in csv.DictReader((saved / "rows.csv").read_text().splitlines())
    ]
    assert logs == pytest.approx(net.log_likelihood("heart").tolist())
    assert "log-likelihood" in call("evaluate", "net.chord.json", "heart").stdout


def test_evaluate_says_when_rows_are_impossible(call, saved: Path) -> None:
    structure = cl.ChordalNetwork.from_cliques("ab", ["ab"])
    net = cl.fit(structure, {"a": [0, 1], "b": [0, 1]}, method="maximum-likelihood")
    net.save(saved / "sharp.chord.json")
    (saved / "rows.csv").write_text("a,b\n0,0\n0,1\n1,\n")
    found = answer(call("evaluate", "sharp.chord.json", "rows.csv", "--json", "-"))
    assert found["log_likelihood"] is None
    assert found["impossible_rows"] == 1
    assert found["variables"]["b"]["accuracy"] == 0.5
    assert "1 of 3 rows are impossible" in call("evaluate", "sharp.chord.json", "rows.csv").stdout


def test_impute(call, saved: Path) -> None:
    text = "id,smoke,mental,phys,systol,protein\n7,?,n,y,n,y\n 8,n,,NA,y,n\n9,y,y,y,y,y\n"
    (saved / "gaps.csv").write_text(text)
    found = answer(call("impute", "net.chord.json", "gaps.csv", "-o", "whole.csv", "--json", "-"))
    assert found["filled"] == {"smoke": 1, "mental": 1, "phys": 1, "systol": 0, "protein": 0, "family": 3}
    rows = list(csv.DictReader((saved / "whole.csv").read_text().splitlines()))
    assert [row["id"].strip() for row in rows] == ["7", "8", "9"]
    net = cl.load_network(saved / "net.chord.json")
    best = net.mpe({"smoke": "n", "systol": "y", "protein": "n"}).states
    assert {name: rows[1][name] for name in net.variables} == best
    assert rows[2]["smoke"] == "y"
    assert (
        call(
            "learn", "gaps.csv", "--drop", "id", "--missing", "category", "--save", "c.chord.json"
        ).returncode
        == 0
    )
    assert (
        "'missing' is a state of 'smoke'" in call("impute", "c.chord.json", "gaps.csv", "-o", "c.csv").stderr
    )
    done = call("impute", "net.chord.json", "gaps.csv", "-o", "drawn.csv", "--draw", "--seed", 1)
    assert "6 values filled in" in done.stdout


def test_export(call, saved: Path) -> None:
    names = ["a.bif", "a.xmlbif", "a.uai", "a.net", "a.graphml", "a.dot", "a.csv", "a.chord.json"]
    assert answer(call("export", "result.json", *names, "--json", "-"))["files"] == names
    assert all((saved / name).stat().st_size for name in names)
    assert call("query", "a.chord.json", "P(smoke)").returncode == 0


def test_compare(call, saved: Path) -> None:
    cl.learn("heart", forbid=[("smoke", "phys")], threads=1).save(saved / "other.json")
    found = answer(call("compare", "net.chord.json", "other.json", "--json", "-"))
    first, second = cl.load_network(saved / "net.chord.json"), cl.Result.load(saved / "other.json")
    mine, theirs = set(first.edges), set(second.edges)
    assert found["structural_hamming_distance"] == len(mine ^ theirs)
    assert {tuple(edge) for edge in found["only_in_first"]} == mine - theirs
    assert found["score_difference"] == pytest.approx(second.score - first.provenance["score"])
    cl.learn("heart", score="bic", threads=1).save(saved / "bic.json")
    found = answer(call("compare", "net.chord.json", "bic.json", "--json", "-"))
    assert found["score_difference"] is None
    assert "different score functions" in found["why_no_scores"]
    found = answer(call("compare", "net.chord.json", "bic.json", "--data", "heart", "--json", "-"))
    assert found["scores"][0] == pytest.approx(first.provenance["score"])
    assert found["score_difference"] <= 1e-9
    cl.learn("econ", threads=1).save(saved / "econ.json")
    assert "not on the same variables" in sentence(call("compare", "net.chord.json", "econ.json"))
    assert "structural Hamming distance 0" in call("compare", "net.chord.json", "result.json").stdout


def test_edges(call, saved: Path) -> None:
    found = answer(call("edges", "net.chord.json", "--json", "-"))["edges"]
    result = cl.Result.load(saved / "result.json")
    assert {tuple(entry["edge"]) for entry in found} == set(result.edges)
    assert [entry["loss"] for entry in found] == sorted((entry["loss"] for entry in found), reverse=True)
    relearned = answer(call("edges", "result.json", "--relearn", "--json", "-"))["edges"]
    by_removal = {tuple(entry["edge"]): entry["loss"] for entry in found}
    for entry in relearned:
        edge = tuple(entry["edge"])
        best = cl.learn("heart", forbid=[edge], threads=1).score
        assert entry["loss"] == pytest.approx(result.score - best, abs=1e-6)
        assert entry["loss"] <= by_removal[edge] + 1e-6
    assert "mental–phys" in call("edges", "net.chord.json").stdout


def test_bootstrap(call, saved: Path) -> None:
    arguments = ("bootstrap", "heart", "--samples", 12, "--threads", 1, "--journal", "b.jsonl", "--json", "-")
    found = answer(call(*arguments))
    assert found["samples"] == found["proved"] == 12
    assert found["edges"][0] == {"edge": ["mental", "phys"], "frequency": 1.0, "in_best_network": True}
    lines = (saved / "b.jsonl").read_text().splitlines()
    assert len(lines) == 13
    # A cut line and five lost networks: only those are learned again.
    (saved / "b.jsonl").write_text("\n".join(lines[:8]) + "\n" + lines[8][:20])
    again = answer(call(*arguments))
    assert (again["proved"], again["from_journal"]) == (5, 7)
    assert again | {"proved": 12, "from_journal": 0} == found
    assert sorted((saved / "b.jsonl").read_text().splitlines()) == sorted(lines)
    assert "its seed is another" in sentence(call(*arguments, "--seed", 1))
    assert "its score_function is another" in sentence(call(*arguments, "--score", "bic"))
    shown = call("bootstrap", "heart", "--samples", 3)
    assert "3 networks of resampled data, each proved" in shown.stdout


@pytest.mark.parametrize("text", ["nonsense\n", "{}\n", "[]\n", "no end of the line"])
def test_bootstrap_does_not_overwrite_a_foreign_file(text: str, call, tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(text)
    assert "is not the journal of a bootstrap" in sentence(call("bootstrap", "heart", "--journal", "b.jsonl"))
    with pytest.raises(InputError, match="it is no journal"):
        cl.bootstrap("heart", samples=2, journal=tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_text() == text


def test_an_interrupted_bootstrap_reports_what_it_has(command: str, tmp_path: Path) -> None:
    arguments = ["bootstrap", "econ", "--samples", "100000", "--journal", "b.jsonl", "--json", "-"]
    process = subprocess.Popen(
        [command, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    journal = tmp_path / "b.jsonl"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 4):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert 3 <= json.loads(output)["samples"] <= journal.read_bytes().count(b"\n")
