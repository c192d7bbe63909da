"""Optima that other programs have found, reached and proved on the same data."""

from __future__ import annotations

from pathlib import Path

import pytest

import chordlearn as cl

# From the manifest of the measuring data; most by Junctor, with three decimals.
OPTIMA = [
    ("uci/nursery.csv", "bdeu", -125991.576),
    ("uci/nursery.csv", "bic", -126321.106),
    ("uci/tictactoe.csv", "bdeu", -9517.223),
    ("gm/sachs_discretised.csv", "bdeu", -8582.995),
    ("uci/bridges.csv", "bdeu", -1711.072),
    ("uci/flare2.csv", "bdeu", -6713.663684),
    ("uci/voting.csv", "bdeu", -4642.766),
    ("debd/nltcs/nltcs.train.csv", "bdeu", -98716.3236),
]


@pytest.mark.parametrize("file,score,optimum", OPTIMA)
def test_optimum_of_a_table(measuring_data: Path, file: str, score: str, optimum: float) -> None:
    result = cl.learn(measuring_data / file, score=score, missing="category")
    assert result.status == "optimal"
    assert result.score == pytest.approx(optimum, abs=1e-3)
    assert cl.verify(result, measuring_data / file).ok


@pytest.mark.parametrize(
    "file,optimum", [("nursery", -125991.575788), ("bridges", -2630.457413), ("flare", -6713.663684)]
)
def test_optimum_of_a_score_file(measuring_data: Path, file: str, optimum: float) -> None:
    result = cl.learn(measuring_data / "scores" / f"{file}.score")
    assert result.status == "optimal"
    assert result.score == pytest.approx(optimum, abs=1e-6)


def test_small_cliques_of_nltcs(measuring_data: Path) -> None:
    result = cl.learn(measuring_data / "debd/nltcs/nltcs.train.csv", max_clique=3)
    assert result.status == "optimal"
    assert result.score == pytest.approx(-102112.157, abs=1e-3)


@pytest.mark.parametrize("data,runner_up", [("heart", -6733.332), ("econ", -2696.1215)])
def test_runner_up(data: str, runner_up: float) -> None:
    result = cl.learn(data, top=2)
    assert result.runners_up[0].score == pytest.approx(runner_up, abs=1e-3)
