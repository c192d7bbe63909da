"""Journals made to deceive: their networks are scored again, and count as proved by nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.analysis.resampling import resampled
from chordlearn.errors import InputError
from chordlearn.network.evaluation import score_network
from conftest import RunCommand

Line = dict[str, Any]
HEART = ["smoke", "mental", "phys", "systol", "protein", "family"]


def forge(path: Path, change: Callable[[Line], object]) -> None:
    """Change every network of a journal."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    networks = [json.loads(line) for line in lines]
    for network in networks:
        change(network)
    path.write_text("\n".join([header, *map(json.dumps, networks), ""]), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda line: line.update(cliques=[HEART], score=0.0), "does not score what it says"),
        (lambda line: line.update(score=line["score"] + 1e-3), "does not score what it says"),
        (lambda line: line.update(cliques=[HEART[:2], HEART[1:3], HEART[2:4]]), "not chordal"),
        (
            lambda line: line.update(cliques=[list(edge) for edge in pairwise([*HEART, HEART[0]])]),
            "not chordal",
        ),
    ],
    ids=["complete graph", "a score", "variables left out", "a cycle"],
)
def test_a_network_that_does_not_score_what_the_journal_says(
    change: Callable[[Line], object], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    cl.bootstrap("heart", samples=3, journal=path, threads=1)
    forge(path, change)
    with pytest.raises(InputError, match=f"cannot be resumed, because its network of sample 0 .*{why}"):
        cl.bootstrap("heart", samples=3, journal=path, threads=1)


@pytest.mark.parametrize(
    "options",
    [{"require": [("smoke", "family")]}, {"forbid": [("smoke", "phys")]}, {"max_clique": 1}],
    ids=["required", "forbidden", "too large"],
)
def test_a_network_that_breaks_the_constraints(options: dict[str, Any], tmp_path: Path) -> None:
    free, path = tmp_path / "free.jsonl", tmp_path / "journal.jsonl"
    cl.bootstrap("heart", samples=1, journal=free, threads=1)
    cl.bootstrap("heart", samples=1, journal=path, threads=1, **options)
    header = path.read_text(encoding="utf-8").splitlines()[0]
    path.write_text(f"{header}\n{free.read_text(encoding='utf-8').splitlines()[1]}\n", encoding="utf-8")
    with pytest.raises(InputError, match="breaks the constraints"):
        cl.bootstrap("heart", samples=1, journal=path, threads=1, **options)


def test_a_poor_network_with_its_true_score_is_not_proved(run: RunCommand, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    cl.bootstrap("heart", samples=4, seed=1, journal=path, threads=1)
    data, complete = cl.read("heart"), cl.ChordalNetwork.from_cliques(HEART, [HEART])

    def pretend(line: Line) -> None:
        score = score_network(complete, resampled(data, 1, line["sample"]), cl.BDeu())
        line.update(cliques=[HEART], score=score, status="optimal")

    forge(path, pretend)
    found = cl.bootstrap("heart", samples=5, seed=1, journal=path, threads=1)
    assert (found.proved, found.from_journal) == (1, 4)
    assert [r.status for r in found.replicates] == ["feasible"] * 4 + ["optimal"]
    done = run("bootstrap", "heart", "--samples", "5", "--seed", "1", "--journal", path)
    assert done.returncode == 0
    assert "0 proved, 5 from the journal (scored again, not proved again)" in " ".join(done.stdout.split())


def penalised_likelihood(_variables: tuple[str, ...], counts: Any, cells: float) -> float:
    return float((counts * np.log(counts / counts.sum())).sum() - cells)


def test_a_function_of_ones_own_scores_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    score = cl.CustomScore(penalised_likelihood)
    first = cl.bootstrap("heart", samples=2, journal=path, threads=1, score=score)
    again = cl.bootstrap("heart", samples=2, journal=path, threads=1, score=score)
    assert [r.score for r in again.replicates] == pytest.approx([r.score for r in first.replicates])
