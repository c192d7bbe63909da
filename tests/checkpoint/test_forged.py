"""Checkpoints made to deceive, with a checksum that fits: none of them makes a proof."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.data import Dataset
from chordlearn.errors import InputError
from chordlearn.network.evaluation import score_network
from chordlearn.pipeline.checkpoints import checksum
from wide_tables import tangled

Document = dict[str, Any]
EMPTY: Document = {"edges": {"array": "int32", "shape": [0, 2], "values": []}}


def forge(file: Path, change: Callable[[Document], object]) -> None:
    """Change a checkpoint and give it the checksum that its new content has."""
    document = json.loads(file.read_text(encoding="utf-8"))
    document.pop("sha256")
    change(document)
    document["sha256"] = checksum(document)
    file.write_text(json.dumps(document), encoding="utf-8")


def independent(table: Dataset) -> float:
    """The score of the network without edges."""
    return score_network(cl.ChordalNetwork.from_edges(table.variables, []), table, cl.BDeu())


@pytest.mark.parametrize("starts", [1, 2])
def test_a_bound_in_a_file_is_not_taken(starts: int, tmp_path: Path) -> None:
    table, file = tangled(12, rows=300), tmp_path / "run.json"
    options: dict[str, Any] = {"backend": "search", "starts": starts}
    honest = cl.learn(table, checkpoint=file, **options)
    assert honest.status == "feasible"

    def claim(document: Document) -> None:
        document["bound"] = document["score"]
        for state in document["search"]["state"].values() if starts > 1 else ():
            state.update(bound=state["score"], ended=True)

    forge(file, claim)
    resumed = cl.learn(table, resume=file, **options)
    assert (resumed.status, resumed.edges) == ("feasible", honest.edges)
    assert resumed.bound == pytest.approx(honest.bound, abs=1e-9)


def test_a_poor_network_with_a_bound_proves_nothing(tmp_path: Path) -> None:
    table, file = tangled(19, rows=300), tmp_path / "run.json"
    cl.learn(table, checkpoint=file, time_limit=0.05)
    score = independent(table)
    forge(file, lambda document: document.update(score=score, edges=[], bound=score, search={}))
    resumed = cl.learn(table, resume=file, time_limit=0.001)
    assert resumed.status == "feasible"
    assert resumed.bound > resumed.score


@pytest.mark.usefixtures("without_highs")
@pytest.mark.parametrize("starts", [1, 2])
def test_a_bound_beside_a_wide_search_is_not_taken(starts: int, tmp_path: Path) -> None:
    table, file = tangled(30), tmp_path / "run.json"
    cl.learn(table, checkpoint=file, time_limit=1, starts=starts)

    def claim(document: Document) -> None:
        document["bound"] = document["score"]
        states = document["search"].get("state") or {}
        for state in states.values() if starts > 1 else ():
            state.update(bound=state["score"], ended=True)

    forge(file, claim)
    assert cl.learn(table, resume=file, time_limit=0.5, starts=starts).status == "feasible"


@pytest.mark.parametrize("starts", [1, 2])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_forest_in_a_file_is_not_the_best_one(seed: int, starts: int, tmp_path: Path) -> None:
    """With cliques of two the best forest is the optimum: the one that is found, not the one in the file."""
    table, file = tangled(30), tmp_path / "run.json"
    options: dict[str, Any] = {"max_clique": 2, "starts": starts}
    best = cl.learn(table, checkpoint=file, **options)
    score = independent(table)

    def claim(document: Document) -> None:
        document.update(score=score, edges=[], bound=score)
        states = document["search"]["state"]
        for state in states.values() if starts > 1 else (states,):
            state.update(EMPTY, score=score, ended=True)
            state.get("search", {}).update(EMPTY, score=score, ended=True)

    forge(file, claim)
    resumed = cl.learn(table, resume=file, seed=seed, **options)
    assert (resumed.status, resumed.edges) == ("optimal", best.edges)
    assert resumed.score == pytest.approx(best.score, abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [{"forbid": [("x0", "x1")]}, {"require": [("x0", "x7")]}, {"max_clique": 2}],
    ids=["forbidden", "required", "too large"],
)
@pytest.mark.parametrize("columns", [8, 30])
def test_a_network_that_breaks_the_constraints_is_refused(
    columns: int, options: dict[str, Any], tmp_path: Path
) -> None:
    table, file, honest = tangled(columns), tmp_path / "run.json", tmp_path / "honest.json"
    cl.learn(table, checkpoint=honest, time_limit=0.5, require=[("x0", "x1"), ("x0", "x2"), ("x1", "x2")])
    cl.learn(table, checkpoint=file, time_limit=0.5, **options)
    other = json.loads(honest.read_text(encoding="utf-8"))
    forge(file, lambda document: document.update(score=other["score"], edges=other["edges"], search={}))
    with pytest.raises(InputError, match="The network of the checkpoint breaks the constraints"):
        cl.learn(table, resume=file, time_limit=0.5, **options)


@pytest.mark.parametrize("field", ["score", "edges"])
def test_the_networks_of_several_starts_are_scored_again(field: str, tmp_path: Path) -> None:
    table, file = tangled(12), tmp_path / "run.json"
    options: dict[str, Any] = {"backend": "search", "starts": 2}
    cl.learn(table, checkpoint=file, **options)

    def claim(document: Document) -> None:
        first = document["search"]["state"]["0"]
        first[field] = 0.0 if field == "score" else EMPTY["edges"]

    forge(file, claim)
    with pytest.raises(InputError, match="does not score what the checkpoint says"):
        cl.learn(table, resume=file, **options)
