"""States that are declared whether or not they occur, and states that a network has not seen."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_score

import chordlearn as cl
from chordlearn.errors import InputError, UnseenWarning
from conftest import RunCommand
from scores.score_reference import SHARED

TABLE = {"a": ["x", "y", "x", "y"] * 5, "n": [1, 2, 1, 2] * 5}
STATES: dict[str, list[Any]] = {"a": ["x", "y", "z"], "n": [1, 2, 10]}


def files(folder: Path) -> list[Path]:
    (folder / "states.json").write_text(json.dumps(STATES))
    lines = [f"{name},{state}" for name, states in STATES.items() for state in states]
    (folder / "states.csv").write_text("\n".join(["column,state", *lines]))
    return [folder / "states.json", folder / "states.csv"]


def test_declared_states_count(tmp_path: Path) -> None:
    data = cl.read(TABLE, states=STATES)
    assert data.states == (("x", "y", "z"), ("1", "2", "10"))
    for path in files(tmp_path):
        assert cl.read(TABLE, states=path).sha256 == data.sha256
    plain, result = cl.learn(TABLE, score="bic"), cl.learn(data, score="bic")
    # The pair has 9 joint states instead of 4.
    assert plain.score - result.score == pytest.approx(0.5 * np.log(20) * 5)
    assert result.status == "optimal"
    assert cl.verify(result, data).ok
    network = cl.fit(result, data)
    assert network.states == data.states
    assert 0 < network.marginal("a")["z"] < network.marginal("a")["x"]
    network.export(tmp_path / "net.bif")
    assert "z" in (tmp_path / "net.bif").read_text()


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": pd.Categorical(["x", "y"] * 9, ["x", "y", "z"]), "b": [0, 1, 1] * 6}),
        pl.DataFrame(
            {"a": ["x", "y"] * 9, "b": [0, 1, 1] * 6}, schema_overrides={"a": pl.Enum(["x", "y", "z"])}
        ),
        pa.table(
            {
                "a": pa.DictionaryArray.from_arrays(pa.array([0, 1] * 9), pa.array(["x", "y", "z"])),
                "b": [0, 1, 1] * 6,
            }
        ),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_categorical_types_declare_states_unless_told_not_to(table: Any) -> None:
    assert cl.read(table).states[0] == ("x", "y", "z")
    assert cl.read(table, states="occurring").states[0] == ("x", "y")
    assert cl.read(table, states={"a": ["x", "y", "w"]}).states[0] == ("w", "x", "y")


@pytest.mark.parametrize(
    ("states", "sentence"),
    [
        ({"a": ["x"]}, "Column 'a' holds 'y', which states does not declare; add"),
        ({"b": ["x"]}, "no column 'b' for states"),
        ({"a": "xy"}, "must be a list of states"),
        ({"a": [None]}, "declares no state of 'a'"),
        ("absent.json", "cannot be read"),
    ],
)
def test_wrong_declarations_get_a_sentence(states: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        cl.read(TABLE, states=states)


def test_unseen_states_are_missing_and_counted() -> None:
    network = cl.fit(cl.learn(TABLE), TABLE)
    rows = {"a": ["x", "new", "newer"], "n": [1, 2, 3]}
    found = cl.evaluate(network, rows)
    assert found.unseen == {"a": 2, "n": 1}
    assert found.log_likelihoods[1] == pytest.approx(np.log(network.marginal("n")["2"]))
    assert found.log_likelihoods[2] == pytest.approx(0)
    assert "2 values of 'a' and 1 of 'n': states" in found.unseen_in_words
    filled = cl.impute(network, rows)
    assert filled.frame["a"].to_list()[:2] == ["x", "y"]
    assert filled.unseen == {"a": 2, "n": 1}
    with pytest.warns(UnseenWarning, match="2 values of 'a'"):
        assert network.predict(rows, "n")[1] in "12"
    with pytest.raises(InputError, match="'a' has no state 'new'"):
        cl.evaluate(network, rows, unseen="error")
    with pytest.raises(InputError, match="unseen does not know 'guess'"):
        network.log_likelihood(rows, unseen="guess")


def test_the_command_line(tmp_path: Path, run: RunCommand) -> None:
    pl.DataFrame(TABLE).write_csv(tmp_path / "table.csv")
    (tmp_path / "new.csv").write_text("a,n\nx,1\nnew,2\n")
    path = files(tmp_path)[0]
    learned = run("learn", "table.csv", "--states", path, "--json", "r.json", "--save", "n.chord.json")
    assert learned.returncode == 0, learned.stderr
    assert run("verify", "r.json").returncode == 0
    assert json.loads((tmp_path / "r.json").read_text())["states"][0] == ["x", "y", "z"]
    shown = run("evaluate", "n.chord.json", "new.csv", "--json", "-")
    assert json.loads(shown.stdout)["unseen"] == {"a": 1}
    assert "1 value of 'a': states" in " ".join(shown.stderr.split())
    refused = run("evaluate", "n.chord.json", "new.csv", "--unseen", "error")
    assert refused.returncode == 2
    assert "has no state 'new'" in " ".join(refused.stderr.split())


def test_nips_evaluates_its_test_rows() -> None:
    folder = SHARED / "debd" / "nips"
    if not folder.exists():
        pytest.skip("the shared data are not here")
    columns = [f"v{i}" for i in range(170, 220)]
    train = cl.read(str(folder / "nips.train.csv"), columns=columns)
    network = cl.fit(cl.learn(train, max_clique=2, time_limit=2), train)
    found = cl.evaluate(network, str(folder / "nips.test.csv"))
    assert np.isfinite(found.log_likelihoods).all()
    assert list(found.unseen) == ["v188"]


@pytest.mark.parametrize(("name", "columns"), [("flare1", None), ("voting", 8), ("mushroom", 6)])
def test_cross_validation_has_no_nan(name: str, columns: int | None) -> None:
    path = SHARED / "uci" / f"{name}.csv"
    if not path.exists():
        pytest.skip("the shared data are not here")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False).iloc[:, :columns]
    learner = cl.ChordalNetworkLearner(missing="category", max_clique=3, threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)
        assert np.isfinite(cross_val_score(learner, frame, cv=3)).all()
