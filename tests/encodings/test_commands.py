"""`encode` and `decode`, with a program that solves the file in between."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chordlearn as cl
from chordlearn.cli.app import run
from chordlearn.encodings import ENCODINGS
from encoding_checks.solving import solve_mps, solve_opb, solve_smt2, solve_wcnf

HEART = -6732.459258


def solve_lp(path: Path) -> str:
    command = [sys.executable, "-m", "clingo", "--quiet=1", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


SOLVERS = {"wcnf": solve_wcnf, "smt2": solve_smt2, "mps": solve_mps, "opb": solve_opb, "lp": solve_lp}


def encode_and_decode(folder, name, *options, tamper=lambda text: text):
    model = folder / name
    assert run(["encode", "heart", "-o", str(model), *options]) == 0
    (folder / "answer.txt").write_text(tamper(SOLVERS[model.suffix[1:]](model)))
    code = run(["decode", str(model), str(folder / "answer.txt"), "-o", str(folder / "result.json")])
    return code, folder / "result.json"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("language", SOLVERS)
def test_there_and_back(encoding, language, tmp_path):
    code, path = encode_and_decode(tmp_path, f"heart.{language}", "--encoding", encoding)
    assert code == 0
    result = cl.Result.load(path)
    assert result.score == pytest.approx(HEART, abs=1e-5)
    assert result.encoding == encoding
    assert "claimed by the solver" in result.stopped_by
    # Nobody but the solver knows that nothing is better.
    assert (result.status, result.bound) == ("feasible", math.inf)
    if language != "mps":
        assert HEART - 1e-6 <= result.details["claimed_bound"] <= HEART + 1e-3
    assert cl.verify(path).ok


def test_the_classic_form_of_wcnf(tmp_path):
    code, path = encode_and_decode(tmp_path, "heart.wcnf", "--format", "wcnf-classic")
    assert code == 0
    assert "\np wcnf " in (tmp_path / "heart.wcnf").read_text()
    assert cl.Result.load(path).score == pytest.approx(HEART, abs=1e-5)


def test_constraints_and_everything(tmp_path):
    options = ("--no-reduce", "--require", "smoke,family", "--forbid", "mental,phys", "--max-clique", "3")
    code, path = encode_and_decode(tmp_path, "heart.wcnf", *options)
    assert code == 0
    result = cl.Result.load(path)
    best = cl.learn("heart", require=[("smoke", "family")], forbid=[("mental", "phys")], max_clique=3)
    assert result.score == pytest.approx(best.score, abs=1e-6)
    assert ("smoke", "family") in result.edges
    assert cl.verify(path).ok


def test_coarse_scaling_claims_no_more_than_it_proves(tmp_path):
    code, path = encode_and_decode(tmp_path, "heart.wcnf", "--scale", "1000")
    assert code == 0
    result = cl.Result.load(path)
    assert result.status == "feasible" and result.scaling is not None
    assert result.details["claimed_bound"] == pytest.approx(result.score + 2 * result.scaling["max_error"])
    assert cl.verify(path).ok


def test_a_program_that_stops_within_its_gap_proves_nothing(tmp_path):
    """HiGHS and others call what is within 0.01 % of the bound optimal."""
    code, path = encode_and_decode(tmp_path, "heart.mps")
    assert code == 0
    result = cl.Result.load(path)
    assert (result.status, result.bound) == ("feasible", math.inf)
    assert "a gap that is not stated" in result.stopped_by


def test_an_answer_without_a_claim_is_feasible(tmp_path):
    code, path = encode_and_decode(
        tmp_path, "heart.wcnf", tamper=lambda text: text.replace("OPTIMUM FOUND", "SATISFIABLE")
    )
    assert code == 0
    assert cl.Result.load(path).status == "feasible"


def test_the_map_names_what_variables_mean(tmp_path):
    assert run(["encode", "heart", "--encoding", "paper", "-o", str(tmp_path / "heart.opb")]) == 0
    document = json.loads((tmp_path / "heart.opb.map.json").read_text())
    assert {"edge", "clique", "separator"} <= {key for entry in document["meanings"] for key in entry}
    assert document["origin"]["data"]["source"] == "heart"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["encode", "heart", "-o", "heart.txt"], "No language is named 'txt'"),
        (["encode", "heart", "-o", "heart.wcnf", "--encoding", "magic"], "no encoding 'magic'"),
        (["encode", "heart", "-o", "heart.wcnf", "--scale", "-1"], "positive number"),
        (["encode", "heart", "-o", "heart.wcnf", "--set", "chordality"], "NAME=on"),
        (["encode", "heart", "-o", "heart.wcnf", "--set", "magic=on"], "no option 'magic'"),
        (["decode", "nothing.wcnf", "answer.txt"], "cannot be read"),
    ],
)
def test_wrong_calls(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("s OPTIMUM FOUND\nv -1 0\n", "required edge"),
        ("rubbish", "no answer"),
        ("s UNSATISFIABLE\n", "no solution"),
    ],
)
def test_answers_that_cannot_be(answer, sentence, tmp_path, capsys):
    model = tmp_path / "heart.wcnf"
    assert run(["encode", "heart", "--require", "smoke,phys", "-o", str(model)]) == 0
    (tmp_path / "answer.txt").write_text(answer)
    assert run(["decode", str(model), str(tmp_path / "answer.txt")]) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_a_damaged_map(tmp_path, capsys):
    model = tmp_path / "heart.wcnf"
    assert run(["encode", "heart", "-o", str(model)]) == 0
    (tmp_path / "answer.txt").write_text("v 1 0\n")
    whole = json.loads((tmp_path / "heart.wcnf.map.json").read_text())
    for damage in ("{", "[]", json.dumps(whole | {"sets": 3}), json.dumps(whole | {"origin": {}})):
        (tmp_path / "heart.wcnf.map.json").write_text(damage)
        assert run(["decode", str(model), str(tmp_path / "answer.txt")]) == 2
        assert "Traceback" not in capsys.readouterr().err


EMPTY = {
    "wcnf": "o {cost}\ns OPTIMUM FOUND\nv {zeros}\n",
    "opb": "o {cost}\ns OPTIMUM FOUND\nv -x1\n",
    "lp": "Answer: 1\n\nOptimization: {cost}\nOPTIMUM FOUND\n",
    "smt2": "sat\n(objectives ((ite e_0_1 0.25 0.0) {value}))\n(model (define-fun e_0_1 () Bool false))\n",
    "mps": "Model status\nOptimal\n# Objective {cost}\ne_0_1 0\n",
}


def empty_network(language: str, cost: str) -> str:
    """What a solver would print that takes the network without edges for the best one."""
    return EMPTY[language].format(cost=cost, value=f"(- {cost})", zeros="0" * 2000)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("language", EMPTY)
def test_a_cost_that_is_not_that_of_the_network_is_refused(encoding, language, tmp_path, capsys):
    model, answer = tmp_path / f"heart.{language}", tmp_path / "answer.txt"
    assert run(["encode", "heart", "--encoding", encoding, "--no-reduce", "-o", str(model)]) == 0
    answer.write_text(empty_network(language, "12345"))
    capsys.readouterr()
    assert run(["decode", str(model), str(answer), "-o", str(tmp_path / "result.json")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert re.search(r"claims an optimum that costs 12345(\.0)?, but in this file its network costs", said)
    assert not (tmp_path / "result.json").exists()
    # Its true cost makes no optimum of it either: that would be the solver's bare word.
    true_cost = said.split("its network costs ")[1].split(";")[0]
    if language in ("wcnf", "opb", "lp"):
        answer.write_text(empty_network(language, true_cost))
        assert run(["decode", str(model), str(answer), "-o", str(tmp_path / "result.json")]) == 0
        result = cl.Result.load(tmp_path / "result.json")
        assert (result.status, result.edges, result.bound) == ("feasible", (), math.inf)
        assert "optimum, as claimed by the solver" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("language", ["smt2", "mps", "opb", "lp"])
def test_the_true_cost_is_found_in_what_solvers_print(encoding, language, tmp_path):
    from chordlearn.encodings.answers import read_answer
    from chordlearn.encodings.mapping import map_path, read_map

    code, _ = encode_and_decode(tmp_path, f"heart.{language}", "--encoding", encoding)
    mapping = read_map(map_path(tmp_path / f"heart.{language}"))
    printed = (tmp_path / "answer.txt").read_text()
    assert code == 0
    assert read_answer(printed, language, mapping.numbers).cost is not None
