"""The function and the command: what they say, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.errors import InputError, TooLargeError
from conftest import RunCommand


def test_the_document(call: RunCommand, tmp_path: Path) -> None:
    done = call("posterior", "heart", "--json", "p.json", "--samples", 200, "--draws", "d.jsonl", "--seed", 5)
    assert done.returncode == 0, done.stderr
    assert "mental–phys" in done.stdout and "-6731.068398" in done.stdout
    document = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    found = cl.posterior("heart")
    expected = found.to_dict()
    assert document["schema"] == "chordlearn/posterior@1" and document["method"] == "exact"
    for field in ("log_evidence", "best", "expected_edges", "median", "variables", "rows", "data_sha256"):
        assert document[field] == expected[field]
    assert [edge["probability"] for edge in document["edges"]] == [p.value for p in found.edges.values()]
    assert document["samples"] == {"count": 200, "file": "d.jsonl"}
    head, *lines = map(json.loads, (tmp_path / "d.jsonl").read_text(encoding="utf-8").splitlines())
    assert head["schema"] == "chordlearn/draws@1" and len(lines) == 200
    drawn = found.sample(200, seed=5)
    assert [line["cliques"] for line in lines] == [[list(c) for c in one.cliques] for one in drawn]
    for edge in document["edges"]:
        assert edge["drawn"] == sum((edge["a"], edge["b"]) in one.edges for one in drawn) / 200
    # Both are replaced, as files of their kind.
    again = call("posterior", "heart", "--json", "p.json", "--samples", 2, "--draws", "d.jsonl")
    assert again.returncode == 0, again.stderr


def test_json_alone_on_stdout(call: RunCommand) -> None:
    done = call("posterior", "heart", "--max-clique", 2, "--forbid", "smoke,phys", "--json", "-")
    document = json.loads(done.stdout)
    assert document["constraints"]["max_clique"] == 2 and document["samples"] is None
    edge = next(e for e in document["edges"] if (e["a"], e["b"]) == ("smoke", "phys"))
    assert edge["probability"] == 0


def test_bic_is_said_to_approximate() -> None:
    found = cl.posterior("heart", score="bic")
    assert "BIC approximates" in found.note
    assert cl.posterior("heart").note == ""


def test_an_edge_prior_changes_the_odds_of_an_edge_alone() -> None:
    columns = ["smoke", "phys"]
    even, odds = (
        cl.posterior("heart", columns=columns, edge_prior=prior).edges["smoke", "phys"].value
        for prior in (0.0, -2.0)
    )
    assert odds / (1 - odds) == pytest.approx(even / (1 - even) * 0.1353352832366127, rel=1e-9)


def test_the_median_network_is_chordal_where_the_likely_edges_are_not() -> None:
    # A cycle of four in which each edge is likely, and no chord is.
    values = [0.0] * 16
    for a, b in ((0, 1), (1, 2), (2, 3), (0, 3)):
        values[1 << a | 1 << b] = 4.0
    for chord in (5, 10):
        values[chord] = -4.0
    import numpy as np

    table = cl.ScoreTable(tuple("abcd"), np.array(values), max_size=4)
    found = cl.posterior(table)
    likely = {edge for edge, p in found.edges.items() if p.value > 0.5}
    assert set(found.median.edges) | set(found.left_out) == likely
    assert len(found.left_out) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"method": "certain"}, "no method 'certain'"),
        ({"score": "aic"}, "not a log marginal likelihood"),
        ({"time_limit": -1}, "must be a positive number"),
        ({"seed": -1}, "whole number"),
        ({"require": [("smoke", "nobody")]}, "no variable 'nobody'"),
        ({"require": ["smoke"]}, "pair of names"),
    ],
)
def test_bad_input_of_the_function(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        cl.posterior("heart", **arguments)


def test_bad_questions() -> None:
    found = cl.posterior("heart")
    with pytest.raises(InputError, match="no variable 'x'"):
        found.probability_complete(["smoke", "x"])
    with pytest.raises(InputError, match="name each once"):
        found.probability_separated("smoke", "smoke")
    with pytest.raises(InputError, match="at least 1"):
        found.sample(0)
    with pytest.raises(InputError, match="same variables"):
        found.probability(cl.ChordalNetwork.from_edges(["smoke", "phys"], []))
    assert found.probability(cl.learn("heart", max_clique=1)).value == pytest.approx(0, abs=1e-50)


def test_more_than_the_memory_holds_is_refused_before_it_is_taken() -> None:
    with pytest.raises(TooLargeError, match=r"needs .* GB of memory, and 1e-05 GB may be used"):
        cl.posterior("heart", method="exact", memory_limit=1e-5)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("heart", "--method", "certain"), "There is no method 'certain'"),
        (("heart", "--draws", "d.jsonl"), "say with --samples"),
        (("nothing.csv",), "nothing.csv"),
        (("heart", "--samples", "3", "--draws", "in.csv"), "not a file of networks drawn"),
    ],
)
def test_bad_input_of_the_command(
    call: RunCommand, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")
    done = call("posterior", *arguments)
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1
