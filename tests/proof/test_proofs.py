"""Proofs from the data to the last check."""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.certificate.proofs import claim as claims
from chordlearn.errors import InputError, ProofError, TooLargeError
from chordlearn.proof import proving, searching
from chordlearn.scores import compute_scores, write_scores
from proof.proofs import followers, rewrite


@pytest.mark.parametrize("name", ["heart", "econ"])
def test_bundled_data_are_proved_whole(name: str, call, tmp_path: Path) -> None:
    done = call("learn", name, "--proof", "proof")
    assert done.returncode == 0, done.stderr
    texts = {path.name for path in (tmp_path / "proof").iterdir()}
    assert texts == {"README.txt", claims.CLAIM, *claims.ALWAYS, claims.BOUNDS, *claims.WITH_INSTANCE}
    # Every set is in the instance: nothing is believed but clauses and sums of whole numbers.
    assert (tmp_path / "proof" / claims.BOUNDS).read_text() == "open\n"
    verified = call("verify", "proof")
    assert verified.returncode == 0, verified.stdout
    assert "accepted: every check passed" in verified.stdout
    for line in ("integer scores", "threshold", "cores", "instance", "proof"):
        assert f"✓ {line}" in verified.stdout


SCORES = [("bic", {}), ("aic", {}), ("qnml", {}), ("dirichlet", {"alpha": 0.5}), ("bdeu", {"ess": 7.5})]


@pytest.mark.parametrize(("score", "parameters"), SCORES, ids=[name for name, _ in SCORES])
def test_every_score_function(score: str, parameters: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "proof"
    cl.learn("heart", score=score, **parameters, edge_prior=-0.25, proof=folder)
    assert cl.verify(folder).complete and cl.verify(folder).ok


@pytest.mark.parametrize("seed", range(4))
def test_excluded_sets_come_with_numbers_and_the_rest_is_refuted(seed: int, tmp_path: Path) -> None:
    data = followers(seed)
    cl.learn(data, proof=tmp_path / "proof")
    lines = (tmp_path / "proof" / claims.BOUNDS).read_text().splitlines()
    assert lines[0] == "round" and len(lines) > 30 and lines[-1] == "open"
    report = cl.verify(tmp_path / "proof", data)
    assert report.ok and report.complete


@pytest.mark.parametrize("seed", range(3))
def test_cases_where_the_sat_solver_gives_up(seed: int, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(searching, "MOST_CONFLICTS", 0)
    data = followers(seed)
    cl.learn(data, proof=tmp_path / "proof")
    names = {path.name for path in (tmp_path / "proof").iterdir()}
    assert names == {"README.txt", claims.CLAIM, *claims.ALWAYS, claims.BOUNDS}
    assert "split" in (tmp_path / "proof" / claims.BOUNDS).read_text()
    report = cl.verify(tmp_path / "proof", data)
    assert report.ok and report.complete


def small_table(seed: int) -> cl.Dataset:
    chance = np.random.default_rng(seed)
    arities = chance.integers(1, 4, int(chance.integers(1, 7)))
    rows = int(chance.integers(1, 60))
    columns = [chance.integers(0, arity, rows) for arity in arities]
    if len(columns) > 2 and seed % 3 == 0:
        columns[-1] = columns[0]
    return cl.read({f"v{i}": [f"s{code}" for code in column] for i, column in enumerate(columns)})


@pytest.mark.parametrize("seed", range(25))
def test_random_tables_with_constraints(seed: int, tmp_path: Path, monkeypatch) -> None:
    data = small_table(seed)
    monkeypatch.setattr(proving, "FEW_SETS", (0, 1000)[seed % 2])
    monkeypatch.setattr(searching, "MOST_CONFLICTS", (0, 20_000)[seed // 2 % 2])
    pairs = list(itertools.combinations(data.variables, 2))
    chance = np.random.default_rng(seed)
    drawn = [pairs[i] for i in chance.permutation(len(pairs))[:3]]
    chosen: dict[str, Any] = {
        "max_clique": 3 if seed % 5 else None,
        "require": drawn[:1],
        "forbid": drawn[1:],
    }
    result = cl.learn(data, proof=tmp_path / "proof", **chosen)
    report = cl.verify(tmp_path / "proof", data)
    assert report.ok and report.complete, report
    assert cl.learn(data, backend="exhaustive", **chosen).score == pytest.approx(result.score, abs=1e-6)


def test_a_score_file_with_sets_that_may_not_be(tmp_path: Path) -> None:
    path = tmp_path / "econ.score"
    table = cl.ScoreTable(
        tuple("abcde"), np.array([0.0, *(-3.0 * m.bit_count() - (m * 37 % 11) / 7 for m in range(1, 32))]), 5
    )
    values = np.array(table.values)
    values[0b00111] = -np.inf
    table = cl.ScoreTable(table.variables, values, 5)
    write_scores(table, path)
    cl.learn(path, proof=tmp_path / "proof")
    report = cl.verify(tmp_path / "proof")
    assert report.ok and report.complete, report


def test_ones_own_scores(tmp_path: Path) -> None:
    def mine(variables: tuple[str, ...], counts: np.ndarray, cells: float) -> float:
        return float((counts * np.log(counts / counts.sum())).sum() - 2.5 * cells)

    data = cl.read("heart")
    result = cl.learn(data, score=cl.CustomScore(mine), proof=tmp_path / "proof")
    assert result.status == "optimal"
    assert not cl.verify(tmp_path / "proof", data).ok
    table = compute_scores(data, cl.CustomScore(mine))
    assert cl.verify(tmp_path / "proof", data, scores=lambda names: table[names]).ok


@pytest.mark.parametrize(("variables", "max_clique"), [(9, 2), (12, 3)])
def test_without_reduction_the_instance_has_every_set(
    variables: int, max_clique: int, tmp_path: Path
) -> None:
    data = followers(0, variables=variables)
    cl.learn(data, proof=tmp_path / "proof", reduce=False, max_clique=max_clique)
    assert (tmp_path / "proof" / claims.BOUNDS).read_text() == "open\n"
    assert cl.verify(tmp_path / "proof", data).ok


def test_other_data_are_not_what_was_proved(tmp_path: Path) -> None:
    cl.learn("heart", proof=tmp_path / "proof")
    other = cl.read({name: [0, 1] * 9 for name in cl.read("heart").variables})
    assert not cl.verify(tmp_path / "proof", other).ok


# What cannot be had


def test_nothing_is_written_without_an_optimum(call, tmp_path: Path) -> None:
    done = call("learn", "heart", "--backend", "search", "--proof", "proof", "--json", "heart.json")
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1 and "nothing to prove" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["heart.json"]
    assert "-6732.459258" in done.stdout


def test_too_many_variables_are_refused_before_the_work(tmp_path: Path) -> None:
    wide = {f"v{i}": [0, 1, 1, i % 2] for i in range(21)}
    with pytest.raises(TooLargeError, match=r"can have 20 variables .* these are 21; give max_clique=10"):
        cl.learn(wide, proof=tmp_path / "proof", score="qnml")
    with pytest.raises(TooLargeError, match="these are 300; give max_clique=2 or less"):
        cl.learn({f"v{i}": [0, 1] for i in range(300)}, proof=tmp_path / "proof", score="qnml", max_clique=3)
    with pytest.raises(TooLargeError, match="these are 5000; choose among them"):
        many = {f"v{i}": [0, 1] for i in range(5000)}
        cl.learn(many, proof=tmp_path / "proof", score="qnml", max_clique=4000)


@pytest.mark.parametrize("place", ["file", "full", "nowhere/proof"])
def test_a_place_that_is_taken_is_refused_before_the_work(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    with pytest.raises(InputError, match=r"new folder|does not exist"):
        cl.learn("heart", proof=tmp_path / place)
    assert (tmp_path / "file").read_text() == "mine"


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "proof").mkdir()
    cl.learn("heart", proof=tmp_path / "proof")
    assert cl.verify(tmp_path / "proof").ok


def test_a_time_limit_leaves_the_network_and_no_folder(tmp_path: Path, monkeypatch) -> None:
    def late(*arguments: Any) -> float:
        monkeypatch.setattr(searching, "time", SimpleNamespace(monotonic=lambda: math.inf))
        return progress(*arguments)

    progress = proving.Casework._progress
    monkeypatch.setattr(proving.Casework, "_progress", late)
    monkeypatch.setattr(searching, "MOST_CONFLICTS", 0)
    with pytest.raises(ProofError, match="time limit") as caught:
        cl.learn(followers(3), proof=tmp_path / "proof", time_limit=300)
    assert isinstance(caught.value.result, cl.Result) and caught.value.result.status == "optimal"
    assert not list(tmp_path.iterdir())


def test_a_proof_that_gets_too_long_is_not_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(searching, "MOST_CONFLICTS", 0)
    monkeypatch.setattr(proving, "MOST_CASES", 4)
    with pytest.raises(ProofError, match="more than the 4 cases"):
        cl.learn(followers(3), proof=tmp_path / "proof")
    assert not list(tmp_path.iterdir())


def test_an_interrupted_proof_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    def interrupted(*arguments: object) -> float:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        return 0.0

    monkeypatch.setattr(searching, "MOST_CONFLICTS", 0)
    monkeypatch.setattr(proving.Casework, "_progress", interrupted)
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(ProofError, match="interrupted") as caught:
        cl.learn(followers(3), proof=tmp_path / "proof")
    assert isinstance(caught.value.result, cl.Result)
    assert not list(tmp_path.iterdir())


def test_ctrl_c_once_the_proof_is_in_its_place_is_too_late(tmp_path: Path, monkeypatch) -> None:
    replace = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        replace(path, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    result = cl.learn("heart", proof=tmp_path / "proof")
    assert [path.name for path in tmp_path.iterdir()] == ["proof"]
    assert result.status == "optimal"
    assert cl.verify(tmp_path / "proof").ok


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.15])
def test_a_kill_leaves_a_whole_proof_or_none(moment: float, command: str, tmp_path: Path) -> None:
    script = (
        "import sys, chordlearn as cl\n"
        "from chordlearn import certificate, proof\n"
        "data = cl.read('econ'); cl.learn(data, backend='native')\n"
        "print('ready', flush=True)\n"
        "cl.learn(data, proof='proof')\n"
    )
    python = Path(command).with_name("python")
    running = subprocess.Popen([python, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE)
    assert running.stdout is not None and running.stdout.readline() == b"ready\n"
    time.sleep(moment)
    running.kill()
    running.wait()
    running.stdout.close()
    folder = tmp_path / "proof"
    assert not folder.exists() or cl.verify(folder, "econ").ok


def test_a_folder_without_a_proof_is_said_so(call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = call("verify", "empty")
    assert done.returncode == 2
    assert (
        done.stderr
        == "chordlearn: empty holds no proof: it has no claim.json; give what learn --proof wrote.\n"
    )


@pytest.mark.parametrize("name", [claims.CLAIM, claims.RESULT, claims.SCORES, claims.LEMMAS])
def test_what_might_never_end_is_not_read(name: str, call, tmp_path: Path) -> None:
    cl.learn("heart", proof=tmp_path / "proof")
    (tmp_path / "proof" / name).unlink()
    os.mkfifo(tmp_path / "proof" / name)
    done = call("verify", "proof")
    assert done.returncode in (1, 2)
    assert f"it has no {name}" in done.stderr or f"{name} is not there, or no file" in done.stdout


def test_the_first_thing_wrong_ends_the_check(call, tmp_path: Path) -> None:
    call("learn", "heart", "--proof", "proof")
    cores = (tmp_path / "proof" / claims.CORES).read_text().splitlines(keepends=True)
    rewrite(tmp_path / "proof", claims.CORES, "".join(cores[:-1]))
    done = call("verify", "proof")
    assert done.returncode == 1
    assert "✗ cores: the 4 cores show a cost of" in done.stdout
    assert "✗ instance" not in done.stdout and "rejected: cores" in done.stdout


# Programs of others


@pytest.mark.parametrize(
    ("says", "accepted"),
    [("echo 's VERIFIED'", True), ("echo 's NOT VERIFIED'; exit 1", False), ("exit 0", False)],
)
def test_other_checkers_are_asked_where_installed(
    says: str, accepted: bool, tmp_path: Path, monkeypatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "drat-trim"
    # Shows that it was given the instance and a proof without hints.
    program.write_text(f'#!/bin/sh\ngrep -q "^p cnf" "$1" && grep -q "^0$" "$2" || exit 3\n{says}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    cl.learn("heart", proof=tmp_path / "proof")
    report = cl.verify(tmp_path / "proof")
    assert report.ok == accepted
    assert [check.name for check in report][-1] == "drat-trim"


def test_the_explanation_speaks_of_every_file(tmp_path: Path) -> None:
    cl.learn("heart", proof=tmp_path / "proof")
    text = (tmp_path / "proof" / "README.txt").read_text()
    for name in (claims.CLAIM, *claims.ALWAYS, *claims.WITH_INSTANCE):
        assert name in text
    assert "-6732.459258" in text and max(map(len, text.splitlines())) <= 120
    claim = json.loads((tmp_path / "proof" / claims.CLAIM).read_text())
    assert claim["schema"] == "chordlearn/proof@1"
