"""Rows that live in an engine are counted there, and come out as if they had been collected."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import narwhals as nw
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chordlearn as cl
from chordlearn.data import Dataset
from chordlearn.data.ordered_rows import read_rows
from chordlearn.errors import InputError, TooLargeError

ROWS = 600
CONNECTIONS: list[Any] = []
"""Tables of older versions of DuckDB do not keep theirs open."""


def of_polars(frame: pl.DataFrame) -> Any:
    return frame.lazy()


def of_duckdb(frame: pl.DataFrame) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed (the extra test)")
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.execute("create table kept as select * from given")
    CONNECTIONS.append(connection)
    return connection.table("kept")


def of_dask(frame: pl.DataFrame) -> Any:
    pytest.importorskip("dask", reason="dask is not installed: pip install 'chordlearn[dask]'")
    pytest.importorskip("pandas", reason="pandas is not installed: pip install 'chordlearn[pandas]'")
    try:
        import dask.dataframe as dd
    except (ImportError, FutureWarning):
        pytest.skip("this dask's data frames need a package of their own: pip install 'dask[dataframe]'")
    return dd.from_pandas(frame.to_pandas(), npartitions=3)


def of_ibis(frame: pl.DataFrame) -> Any:
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    return ibis.memtable(frame.to_arrow())


Engine = Callable[[pl.DataFrame], Any]
ENGINES = pytest.mark.parametrize("engine", [of_polars, of_duckdb, of_dask, of_ibis])


@pytest.fixture
def heights(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows came from an engine, each time."""
    seen: list[int] = []
    collect = nw.LazyFrame.collect

    def counted(frame: Any, *arguments: Any, **more: Any) -> Any:
        found = collect(frame, *arguments, **more)
        seen.append(len(found))
        return found

    monkeypatch.setattr(nw.LazyFrame, "collect", counted)
    return seen


def assert_as_collected(source: Any, **options: Any) -> Dataset:
    collected = nw.from_native(source).lazy().collect("polars").to_native()
    expected, found = cl.read(collected, **options), cl.read(source, **options)
    assert found.sha256 == expected.sha256
    assert (found.variables, found.states) == (expected.variables, expected.states)
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.weights.tolist() == expected.weights.tolist()
    return found


def mixed() -> pl.DataFrame:
    """Columns of all kinds of values, some of them missing; rows repeat themselves."""

    def column(values: list[Any], kind: Any) -> pl.Series:
        return pl.Series([values[row * 7919 % 30 % len(values)] for row in range(ROWS)], dtype=kind)

    return pl.DataFrame(
        {
            " int ": column([1, 2, None, -3], pl.Int32),
            "flag": column([True, None, False], pl.Boolean),
            "number": column([1.0, 0.5, math.nan, -0.0, 0.0, None], pl.Float64),
            "text": column(["x", " x ", "?", "", "NA", None, "é"], pl.String),
            "kind": column(["b", "a", None], pl.Categorical),
            "day": column([datetime.date(2020, 1, 1), None], pl.Date),
            "price": column([Decimal("1.50"), Decimal("2.00"), None], pl.Decimal(5, 2)),
            "times": column([1, 2, 0], pl.Int64),
        }
    )


@ENGINES
@pytest.mark.parametrize(
    "options",
    [
        {"missing": "category", "counts": None},
        {"missing": "drop", "counts": "times"},
        {"missing": "category", "columns": ["text", "int"]},
        {"missing": "drop", "drop": ["times"], "discretize": "number=quantile:2"},
    ],
    ids=str,
)
def test_all_kinds_of_values(engine: Engine, options: dict[str, Any]) -> None:
    found = assert_as_collected(engine(mixed()), **options)
    assert found.rows > len(found.weights)


@ENGINES
def test_missing_values_are_refused_as_ever(engine: Engine) -> None:
    with pytest.raises(InputError, match="missing"):
        cl.read(engine(mixed()))


@pytest.mark.parametrize("engine", [of_duckdb, of_dask, of_ibis])
def test_only_distinct_rows_come_here(engine: Engine, heights: list[int]) -> None:
    frame = pl.DataFrame({"a": [0, 1] * 5000, "b": ["x", "y", "x", "z"] * 2500})
    data = cl.read(engine(frame))
    assert (data.rows, len(data.weights), heights) == (10_000, 3, [3])


@pytest.mark.parametrize("engine", [of_duckdb, of_dask, of_ibis])
def test_more_rows_than_fit_are_refused(
    engine: Engine, heights: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = engine(pl.DataFrame({"a": range(1000), "b": [1, 2] * 500}))
    monkeypatch.setattr("chordlearn.data.tables.available_bytes", lambda: 100 * 3 * 32.0)
    with pytest.raises(TooLargeError, match="more than 100 distinct rows"):
        cl.read(source)
    assert heights == [101]


@ENGINES
def test_learning(engine: Engine) -> None:
    frame = cl.read("heart").to_frame().with_columns(pl.col("count").cast(pl.Int64))
    source = engine(frame)
    result = cl.learn(source, counts="count")
    assert result.score == pytest.approx(cl.learn("heart").score, abs=1e-9)


@ENGINES
def test_every_row_in_its_order(engine: Engine) -> None:
    frame = mixed().select("text", "flag")
    states = [["x", "é"], ["False", "True"]]
    expected = read_rows(frame).codes(["text", "flag"], states)
    assert read_rows(engine(frame)).codes(["text", "flag"], states).tolist() == expected.tolist()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-2, 2),
            st.none() | st.booleans(),
            st.none() | st.sampled_from([0.0, -0.0, 1.0, 1.5, math.nan, 2.0**60, math.inf]),
            st.none() | st.sampled_from(["", "a", "A", " a", "0", "null", "None", "ä", "a\u0308"]),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_rows(rows: list[tuple[Any, ...]]) -> None:
    kinds = {"a": pl.Int64, "b": pl.Boolean, "c": pl.Float64, "d": pl.String}
    frame = pl.DataFrame(rows, schema=kinds, orient="row")
    for engine in (of_polars, of_duckdb):
        assert_as_collected(engine(frame), missing="category")


def test_a_query_that_fails_gets_one_sentence() -> None:
    source = of_duckdb(pl.DataFrame({"a": ["1", "two"], "b": [1, 2]})).project("cast(a as int) as a, b")
    with pytest.raises(InputError, match=r"^The data frame cannot be read \(.*; check its columns\.$"):
        cl.read(source)


def test_lists_are_refused() -> None:
    source = of_duckdb(pl.DataFrame({"a": [[1], [2]], "b": [1, 2]}))
    with pytest.raises(InputError, match=r"column 'a' \(List"):
        cl.read(source)
