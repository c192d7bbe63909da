"""A column of weights: read, learned from, checked, proved, resampled and streamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import chordlearn as cl
from chordlearn.data.fractions import unit_of
from chordlearn.errors import InputError
from conftest import RunCommand


def survey(rows: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.8, a, 1 - a)
    c = np.where(rng.random(rows) < 0.7, b, rng.integers(0, 3, rows))
    return pl.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, rows)})


def test_two_for_every_row_is_every_row_twice() -> None:
    frame = survey()
    doubled = cl.read(pl.concat([frame, frame]))
    weighted = cl.read(frame.with_columns(w=pl.lit(2.0)), weights="w")
    assert weighted.weights.dtype == np.int64
    assert weighted.sha256 == doubled.sha256
    assert cl.learn(weighted).score == cl.learn(doubled).score


def test_halves_make_wholes() -> None:
    frame = survey()
    halves = pl.concat([frame, frame]).with_columns(w=pl.lit(0.5))
    assert cl.read(halves, weights="w").sha256 == cl.read(frame).sha256


@pytest.fixture
def weighted() -> pl.DataFrame:
    frame = survey()
    return frame.with_columns(w=np.random.default_rng(1).exponential(1.0, frame.height).round(4))


def test_how_a_table_is_cut_into_batches_does_not_show(
    weighted: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = cl.read(weighted, weights="w")
    assert expected.rows == pytest.approx(weighted["w"].sum(), abs=1e-9)
    assert unit_of(expected.weights) < 1e-9
    assert cl.read(weighted.sample(fraction=1.0, shuffle=True, seed=3), weights="w").sha256 == expected.sha256
    assert cl.read(weighted.lazy(), weights="w").sha256 == expected.sha256
    weighted.write_csv(tmp_path / "all.csv")
    weighted.head(100).write_parquet(tmp_path / "part-1.parquet")
    weighted.tail(-100).write_parquet(tmp_path / "part-2.parquet")
    monkeypatch.setattr("chordlearn.data.tables.MOST_BATCH_ROWS", 7)
    for source in (weighted, str(tmp_path / "all.csv"), str(tmp_path / "part-*.parquet")):
        assert cl.read(source, weights="w").sha256 == expected.sha256


def test_the_whole_way(weighted: pl.DataFrame, tmp_path: Path) -> None:
    weighted.write_csv(tmp_path / "table.csv")
    source = str(tmp_path / "table.csv")
    result = cl.learn(source, weights="w", proof=tmp_path / "proof")
    assert result.status == "optimal"
    assert result.rows == pytest.approx(weighted["w"].sum(), abs=1e-9)
    assert cl.verify(result).ok
    assert cl.verify(tmp_path / "proof").ok
    assert cl.Result.from_json(result.to_json()) == result
    for backend in ("exhaustive", "search", "asp:clingo"):
        assert cl.learn(source, weights="w", backend=backend).score == pytest.approx(result.score, abs=1e-5)
    network = cl.fit(result)
    share = float(weighted.filter(pl.col("a") == 1)["w"].to_numpy().sum() / weighted["w"].to_numpy().sum())
    assert cl.fit(result, method="maximum-likelihood").marginal("a")["1"] == pytest.approx(share)
    found = cl.evaluate(network, source, weights="w")
    assert found.log_likelihood == pytest.approx(
        float(network.log_likelihood(source) @ weighted["w"].to_numpy())
    )
    again = cl.bootstrap(source, weights="w", samples=3)
    assert again.proved == 3
    assert again.original.score == result.score
    assert cl.posterior(source, weights="w").edges["a", "b"].value > 0.5
    assert len(cl.edge_strengths(network)) == len(result.edges)


def test_many_columns(weighted: pl.DataFrame) -> None:
    rng = np.random.default_rng(5)
    noise = {f"x{i}": rng.integers(0, 2, weighted.height) for i in range(28)}
    result = cl.learn(weighted.with_columns(**noise), weights="w", time_limit=3)
    assert cl.verify(result, cl.read(weighted.with_columns(**noise), weights="w")).ok
    assert ("a", "b") in result.edges


def test_a_proof_with_many_columns(weighted: pl.DataFrame, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    noise = {f"x{i}": rng.integers(0, 2, weighted.height) for i in range(20)}
    data = cl.read(weighted.with_columns(**noise), weights="w")
    result = cl.learn(data, max_clique=2, proof=tmp_path / "proof")
    assert result.status == "optimal"
    assert cl.verify(tmp_path / "proof", data).ok
    other = weighted.with_columns(**noise, w=pl.col("w").shuffle(seed=1))
    assert not cl.verify(tmp_path / "proof", cl.read(other, weights="w")).ok
    with pytest.raises(InputError, match=r"fractions for weights.*give max_clique="):
        cl.learn(data, proof=tmp_path / "other")


def test_a_changed_weight_is_found(weighted: pl.DataFrame) -> None:
    result = cl.learn(weighted, weights="w")
    other = weighted.with_columns(w=pl.when(pl.int_range(pl.len()) == 3).then(9.0).otherwise(pl.col("w")))
    assert not cl.verify(result, cl.read(other, weights="w")).ok
    forged = {**result.to_dict(), "score": result.score + 1e-3}
    assert not cl.verify(forged, cl.read(weighted, weights="w")).ok


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"weights": "x"}, "no column 'x' for weights"),
        ({"weights": "w", "counts": "b"}, "counts or weights, not both"),
        ({"weights": "bad"}, "Column 'bad' holds '-1', which is no weight"),
        ({"weights": "zero"}, "All numbers in column 'zero' are zero"),
        ({"weights": "gap"}, "holds a missing value, which is no weight"),
    ],
)
def test_wrong_weights_get_a_sentence(options: dict[str, Any], sentence: str) -> None:
    table = {"a": [1, 2, 1], "b": [1, 1, 2], "w": [0.5, 1, 2], "bad": [1, -1, 2], "zero": [0, 0, 0]}
    with pytest.raises(InputError, match=sentence):
        cl.read({**table, "gap": [1.5, None, 2]}, columns=["a", "b"], **options)


def test_the_command_line(weighted: pl.DataFrame, tmp_path: Path, run: RunCommand) -> None:
    weighted.write_csv(tmp_path / "table.csv")
    shown = run("learn", tmp_path / "table.csv", "--weights", "w", "--json", tmp_path / "r.json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads((tmp_path / "r.json").read_text())["data"]["options"] == {"weights": "w"}
    assert run("verify", tmp_path / "r.json").returncode == 0
    described = run("data", tmp_path / "table.csv", "--weights", "w", "--json", "-")
    assert json.loads(described.stdout)["command"].endswith("--weights w")
