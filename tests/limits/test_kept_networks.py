"""A network that was found comes back, whatever goes wrong afterwards, with a sentence about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from backends.programs_that_misbehave import write_fake
from chordlearn.errors import FalseClaimError, UnfinishedWarning
from conftest import RunCommand
from wide_tables import tangled


def chained(columns: int, rows: int) -> np.ndarray:
    """Each column is nearly the exclusive or of the three before it, which no small clique can say."""
    rng = np.random.default_rng(2)
    table = rng.integers(0, 2, (rows, columns))
    for i in range(3, columns):
        noisy = rng.random(rows) < 0.5
        table[:, i] = np.where(noisy, table[:, i], table[:, i - 1] ^ table[:, i - 2] ^ table[:, i - 3])
    return table


def write(table: np.ndarray, path: Path) -> Path:
    np.savetxt(path, table, "%d", ",", header=",".join(f"c{i}" for i in range(table.shape[1])), comments="")
    return path


def test_a_block_of_more_variables_than_a_table_of_all_sets_has(run: RunCommand, tmp_path: Path) -> None:
    table = write(chained(32, 60), tmp_path / "t.csv")
    options = ("--max-clique", 4, "--backend", "maxsat:rc2", "--time-limit", 60, "--json", "r.json")
    ended = run("learn", table, *options)
    assert ended.returncode == 0, ended
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["status"] in ("optimal", "feasible")
    assert result["score"] <= result["bound"] < result["score"] + 100
    assert cl.verify(tmp_path / "r.json", table).ok


def test_a_problem_that_is_too_large_for_a_backend() -> None:
    # The larger a set, the better it scores, so that no bound excludes the largest.
    sizes = np.bitwise_count(np.arange(1 << 13)).astype(float)
    values = sizes**2 + np.random.default_rng(5).normal(scale=0.3, size=len(sizes)) * (sizes > 0)
    scores = cl.ScoreTable(tuple(f"x{i}" for i in range(13)), values, 13)
    with pytest.warns(UnfinishedWarning, match="cliques of up to 12 variables.*max_clique=12"):
        result = cl.learn(scores, backend="ilp:cuts")
    assert result.status == "feasible"
    assert result.score <= result.bound < np.inf
    assert "max_clique=12" in result.details["failure"]


@pytest.mark.parametrize("what", ["crashes", "is killed", "prints rubbish", "says nothing"])
def test_a_solver_that_fails(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    data = tangled(8)
    with pytest.warns(UnfinishedWarning, match="maxsat:uwrmaxsat"):
        result = cl.learn(data, backend="maxsat:uwrmaxsat")
    assert result.status == "feasible"
    assert "uwrmaxsat" in result.details["failure"]
    assert cl.verify(result, data).ok


@pytest.mark.parametrize("what", ["wrong optimum", "wrong cost", "claims there is none", "has no network"])
@pytest.mark.parametrize("options", [{}, {"reduce": False}])
def test_a_solver_that_lies(
    what: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
    data = tangled(8)
    with pytest.raises(FalseClaimError, match="maxsat:uwrmaxsat claims") as lie:
        cl.learn(data, backend="maxsat:uwrmaxsat", **options)
    assert lie.value.exit_code == 4
    if lie.value.result is not None or not options:
        result = lie.value.result
        assert isinstance(result, cl.Result)
        assert result.status == "feasible"
        assert cl.verify(result, data).ok


def test_what_a_lie_does_not_cost_is_written(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake("wrong cost", tmp_path)))
    ended = run("learn", "heart", "--backend", "maxsat:uwrmaxsat", "--json", "r.json", "--save", "n.dot")
    assert ended.returncode == 4
    assert "maxsat:uwrmaxsat claims the cost" in ended.stderr
    assert json.loads((tmp_path / "r.json").read_text())["status"] == "feasible"
    assert (tmp_path / "n.dot").exists()


def test_in_blocks_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = cl.read(write(chained(27, 60), tmp_path / "t.csv"))
    for what, kind in (("crashes", UnfinishedWarning), ("wrong cost", FalseClaimError)):
        monkeypatch.setenv("CHORDLEARN_UWRMAXSAT", str(write_fake(what, tmp_path)))
        if kind is UnfinishedWarning:
            with pytest.warns(UnfinishedWarning):
                result: object = cl.learn(data, max_clique=3, backend="maxsat:uwrmaxsat", time_limit=12)
        else:
            with pytest.raises(FalseClaimError) as lie:
                cl.learn(data, max_clique=3, backend="maxsat:uwrmaxsat", time_limit=12)
            result = lie.value.result
        assert isinstance(result, cl.Result)
        # The cuts may have proved it before the backend was asked.
        assert result.status != "none"
        assert cl.verify(result, data).ok
