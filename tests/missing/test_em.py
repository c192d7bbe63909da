"""Learning from missing values: what it finds, what it says, and what it never claims."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

import chordlearn as cl
from chordlearn.errors import InputError
from conftest import RunCommand


def chain(rows: int = 400, seed: int = 0, holes: float = 0.2) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of a chain a – b – c with d apart: whole, and with holes."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.85, a, 1 - a)
    c = np.where(rng.random(rows) < 0.85, b, rng.integers(0, 3, rows))
    whole = pl.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, rows)})
    gaps = {name: rng.random(rows) < holes for name in whole.columns}
    return whole, whole.with_columns(
        pl.when(pl.Series(gaps[name])).then(None).otherwise(pl.col(name)).alias(name)
        for name in whole.columns
    )


def test_it_finds_what_whole_rows_show() -> None:
    whole, gaps = chain()
    result = cl.learn(gaps, missing="em", threads=1)
    assert result.edges == cl.learn(whole).edges == (("a", "b"), ("b", "c"))
    missing = result.details["missing"]
    assert missing["values"] == sum(gaps.null_count().row(0))
    assert missing["columns"]["a"] == gaps["a"].null_count()
    assert missing["rows"] == gaps.height - gaps.drop_nulls().height
    assert result.rows == gaps.height
    assert result.states == (("0", "1"), ("0", "1"), ("0", "1", "2"), ("0", "1"))


def test_it_never_claims_to_be_optimal() -> None:
    result = cl.learn(chain()[1], missing="em", threads=1)
    assert result.status == "feasible"
    assert result.bound == result.gap == np.inf
    assert [claim.status for claim in result.claims] == ["feasible"]
    em = result.details["em"]
    assert em["fixed_point"] and em["step_proved"]
    assert "local optimum of EM, the best of 3 starts, not proved optimal" in result.status_in_words
    assert "local optimum" in em["promise"]
    for start in em["starts"]:
        assert all(step["structure"]["status"] == "optimal" for step in start["steps"])
    assert result.score == em["objective"] == max(start["objective"] for start in em["starts"])
    assert cl.Result.from_json(result.to_json()).to_dict() == result.to_dict()


@pytest.mark.parametrize("score", ["bic", "aic"])
def test_no_step_lowers_the_penalised_likelihood(score: str) -> None:
    gaps = chain(150, seed=3, holes=0.35)[1]
    result = cl.learn(gaps, missing="em", score=score, threads=1)
    for start in result.details["em"]["starts"]:
        objectives = [step["objective"] for step in start["steps"]]
        assert all(later >= earlier - 1e-3 for earlier, later in pairwise(objectives))
    sizes = dict(zip("abcd", (2, 2, 3, 2), strict=True))

    def free(names: tuple[str, ...]) -> int:
        return math.prod(sizes[name] for name in names) - 1

    cells = sum(map(free, result.cliques)) - sum(map(free, result.separators))
    penalty = cells * (0.5 * np.log(gaps.height) if score == "bic" else 1.0)
    assert result.score == pytest.approx(result.details["em"]["log_likelihood"] - penalty, abs=1e-2)


def test_the_network_is_best_for_the_counts_that_it_expects() -> None:
    from chordlearn.network.completions import Completions

    data = cl.read(chain()[1], missing="em")
    result = cl.learn(data, threads=1)
    network = cl.fit(result, data)
    expected = Completions(data).expected(network).rows
    again = cl.learn(expected)
    assert again.status == "optimal"
    assert again.edges == result.edges
    assert cl.verify(again, expected).ok


def test_without_gaps_it_is_plain_learning() -> None:
    whole = chain()[0]
    result = cl.learn(whole, missing="em")
    assert result.status == "optimal"
    assert "em" not in result.details


def test_the_certificate_checks_what_it_can(tmp_path: Path) -> None:
    gaps = chain()[1]
    gaps.write_csv(tmp_path / "table.csv")
    result = cl.learn(str(tmp_path / "table.csv"), missing="em", threads=1)
    report = cl.verify(result)
    assert report.ok
    verdicts = {check.name: check.verdict for check in report.checks}
    assert verdicts["data"] == verdicts["chordality"] == "passed"
    assert verdicts["score"] == "skipped"
    assert "word of the learner" in report.on_trust
    assert not cl.verify({**result.to_dict(), "status": "optimal"}).ok


def test_tables_reports_and_questions(tmp_path: Path) -> None:
    whole, gaps = chain()
    gaps.write_csv(tmp_path / "table.csv")
    result = cl.learn(str(tmp_path / "table.csv"), missing="em", threads=1)
    network = cl.fit(result)
    assert network.marginal("b")["1"] == pytest.approx(float(whole["b"].to_numpy().mean()), abs=0.05)
    assert np.isfinite(network.log_likelihood(gaps)).all()
    assert cl.evaluate(network, gaps).log_likelihood > cl.evaluate(network, whole).log_likelihood
    assert len(cl.edge_strengths(network)) == len(result.edges)
    result.report(tmp_path / "page.html")
    assert "local optimum of EM" in (tmp_path / "page.html").read_text()
    network.save(tmp_path / "net.chord.json")
    loaded = cl.load_network(tmp_path / "net.chord.json")
    assert loaded.marginal("a").to_dict() == network.marginal("a").to_dict()


def test_imputation_gives_frequencies_of_edges() -> None:
    gaps = chain(200)[1]
    found = cl.learn(gaps, missing="impute:6", threads=1).details["imputations"]
    assert found["tables"] == found["proved"] == 6
    frequency = {tuple(one["edge"]): one["frequency"] for one in found["edges"]}
    assert frequency["a", "b"] == frequency["b", "c"] == 1.0
    assert all(0 < one <= 1 for one in frequency.values())
    assert found == cl.learn(gaps, missing="impute:6", threads=1).details["imputations"]


def test_weights_constraints_and_limits() -> None:
    gaps = chain(150)[1].with_columns(w=pl.Series(np.random.default_rng(0).exponential(size=150)))
    result = cl.learn(gaps, missing="em", weights="w", forbid=[("a", "b")], require=[("a", "d")], threads=1)
    assert ("a", "d") in result.edges
    assert ("a", "b") not in result.edges
    assert result.rows == pytest.approx(gaps["w"].sum(), abs=1e-9)
    assert cl.verify(result, cl.read(gaps, missing="em", weights="w")).ok
    stopped = cl.learn(cl.read(gaps, missing="em", weights="w"), time_limit=1e-3)
    assert stopped.status in ("feasible", "none")
    assert stopped.stopped_by == "time limit"


def test_what_was_found_when_interrupted_is_kept() -> None:
    class Impatient:
        def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
            if "as a state" in detail:
                raise KeyboardInterrupt

    result = cl.learn(chain(150)[1], missing="em", threads=1, observer=Impatient())
    assert result.stopped_by == "interrupted"
    assert result.status == "feasible"
    assert [start["start"] for start in result.details["em"]["starts"]] == ["the complete rows"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"missing": "guess"}, "error, drop, category, em or impute:M"),
        ({"missing": "impute:0"}, "error, drop, category, em or impute:M"),
        ({"missing": "em", "top": 3}, "leave out top"),
        ({"missing": "em", "proof": "folder"}, "leave out proof"),
    ],
)
def test_wrong_calls_get_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        cl.learn({"a": ["x", None, "y"], "b": [1, 2, 1]}, **options)


def test_a_column_without_values_is_refused() -> None:
    with pytest.raises(InputError, match="column 'b' has no values"):
        cl.learn({"a": ["x", "z", "y"], "b": [None, None, None]}, missing="em")


def test_what_needs_whole_rows_says_so() -> None:
    data = cl.read(chain(50)[1], missing="em")
    with pytest.raises(InputError, match="this needs whole rows"):
        cl.posterior(data)
    assert data.select(["b", "a"]).has_gaps
    assert data.to_frame()["a"].null_count() > 0


def test_cross_validation_with_gaps() -> None:
    frame = pd.DataFrame(chain(150)[1].to_dict(as_series=False), dtype=object)
    learner = cl.ChordalNetworkLearner(missing="em", threads=1)
    assert np.isfinite(cross_val_score(learner, frame, cv=3)).all()


def test_the_command_line(tmp_path: Path, run: RunCommand) -> None:
    chain(200)[1].write_csv(tmp_path / "table.csv")
    done = run("learn", "table.csv", "--missing", "impute:3", "--json", "r.json", "--save", "net.chord.json")
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.split())
    for words in (
        "local optimum of EM",
        "missing: ",
        "expected counts: exact",
        "fixed point",
        "3 completed tables",
    ):
        assert words in shown
    assert json.loads((tmp_path / "r.json").read_text())["status"] == "feasible"
    assert run("verify", "r.json").returncode == 0
    assert run("query", "net.chord.json", "P(a | c=0)").returncode == 0
