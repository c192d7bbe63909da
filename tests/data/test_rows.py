"""Rows in their own order, coded with the states of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from chordlearn.data.ordered_rows import read_rows
from chordlearn.errors import InputError

NAMES, STATES = ["a", "b"], [["x", "y"], ["1", "2", "10"]]
EXPECTED = [[0, 2], [1, -1], [0, 0], [-1, 1]]
COLUMNS: dict[str, list[Any]] = {
    "a": ["x", "y", "x", None],
    "b": [10, None, 1, 2],
    "other": [1.5, 2.5, 3.5, 4.5],
}


def sources(folder: Path) -> dict[str, object]:
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(folder / "t.csv")
    frame.write_csv(folder / "t.tsv", separator="\t")
    frame.write_parquet(folder / "t.parquet")
    (folder / "quoted.csv").write_text('"a",b\n"x",10\n y ,?\n"x",1\nNA,2\n')
    enum = pl.Enum(["unused", "y", "x"])
    return {
        "csv": str(folder / "t.csv"),
        "tsv": folder / "t.tsv",
        "parquet": folder / "t.parquet",
        "quoted": folder / "quoted.csv",
        "polars": frame,
        "enum": frame.with_columns(pl.col("a").cast(enum)),
        "pandas": pd.DataFrame(COLUMNS),
        "categories": pd.DataFrame(COLUMNS).astype({"a": "category"}),
        "dict": COLUMNS,
        "objects": np.array([COLUMNS["a"], COLUMNS["b"]], dtype=object).T,
    }


@pytest.mark.parametrize(
    "kind",
    ["csv", "tsv", "parquet", "quoted", "polars", "enum", "pandas", "categories", "dict", "objects"],
)
def test_every_source_gives_the_same_codes(kind: str, tmp_path: Path) -> None:
    names = ["X0", "X1"] if kind == "objects" else NAMES
    assert read_rows(sources(tmp_path)[kind]).codes(names, STATES).tolist() == EXPECTED


def test_spaces_between_columns(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a  b\n x   10 \ny ? \nx 1\nNA 2\n")
    assert read_rows(tmp_path / "t.txt").codes(NAMES, STATES).tolist() == EXPECTED


def test_missing_may_be_a_state() -> None:
    rows = read_rows({"a": ["x", None]})
    assert rows.codes(["a"], [["x", "?"]]).tolist() == [[0], [1]]


def test_intervals() -> None:
    rows = read_rows({"a": [-5, 0.999, 1, 2.4, 2.5, 99, None]})
    assert rows.codes(["a"], [["<1", "1..2.5", ">=2.5"]]).ravel().tolist() == [0, 0, 1, 1, 2, 2, -1]
    assert rows.codes(["a"], [["all"]]).ravel().tolist() == [0, 0, 0, 0, 0, 0, -1]
    with pytest.raises(InputError, match="no state '1'"):
        rows.codes(["a"], [["<1", "2..2.5", ">=2.5"]])


def test_counts() -> None:
    assert read_rows({"a": ["x", "y"], "n": [3, 0]}, counts="n").weights.tolist() == [3, 0]
    with pytest.raises(InputError, match="no count"):
        read_rows({"a": ["x", "y"], "n": [3, -1]}, counts="n")


def test_what_does_not_fit_gets_one_sentence() -> None:
    rows = read_rows({"a": ["x", "z"], "n": list(range(2))})
    with pytest.raises(InputError, match="'a' has no state 'z' in this network; its states are x, y"):
        rows.codes(["a"], [["x", "y"]])
    assert rows.codes(["a"], [["x", "y"]], unseen="missing").tolist() == [[0], [-1]]
    with pytest.raises(InputError, match="no column 'b', which the network needs"):
        rows.codes(["b"], [["x"]])
    assert rows.codes(["b"], [["x"]], optional=["b"]).tolist() == [[-1], [-1]]
    with pytest.raises(InputError, match="no rows"):
        read_rows({"a": []})
