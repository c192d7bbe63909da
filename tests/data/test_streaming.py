"""A table gives the same data set however it is cut into batches, and no batch is larger than it may be."""

from __future__ import annotations

import csv
import gzip
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.data import read
from chordlearn.data.ordered_rows import read_rows
from chordlearn.errors import InputError, StoppedError, TooLargeError

TINY = {
    "text_blocks.BLOCK_BYTES": 16,
    "tables.BATCH_VALUES": 6,
    "distinct.FEW_ROWS": 3,
    "distinct.RANGE_WORDS": 2,
    "distinct.SAMPLES": 1,
    "coding.LONG_BATCH": 3,
}


@contextmanager
def sizes(**changed):
    """Read with batches of a few rows, so that everything that happens to large files happens."""
    with ExitStack() as stack:
        for name, value in {**TINY, **changed}.items():
            stack.enter_context(patch(f"chordlearn.data.{name}", value))
        yield


def assert_same(left, right):
    assert left.variables == right.variables
    assert left.states == right.states
    assert left.codes.dtype == right.codes.dtype
    assert left.codes.tolist() == right.codes.tolist()
    assert left.weights.tolist() == right.weights.tolist()
    assert left.sha256 == right.sha256
    assert left.options == right.options


TEXTS = st.sampled_from(
    ["x", " x", "y ", "é", "x,y", 'say "hi"', "1", "1.0", "01", "10", "9", "?", "NA", "-inf"]
)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 3)), min_size=1, max_size=40)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.sampled_from(["drop", "category"]),
        "counts": st.just("n"),
        "columns": st.sampled_from(["b", "b,a"]),
    },
)


def outcome(source, options):
    try:
        return read(source, **options)
    except InputError as error:
        return str(error)


@settings(deadline=None, max_examples=60)
@given(ROWS, OPTIONS, st.booleans())
def test_batches_of_text_do_not_matter(tmp_path_factory, rows, options, spans):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    rows = [(a, "two\nlines" if spans and a == "x" else b, n) for a, b, n in rows]
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("a", "b", "n"), *rows])
    whole = outcome(path, options)
    with sizes():
        batched = outcome(path, options)
    if isinstance(whole, str):
        assert isinstance(batched, str)
    else:
        assert_same(batched, whole)


VALUES = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-2, 2)), min_size=24, max_size=24),
    st.lists(
        st.one_of(st.none(), st.sampled_from([0.5, -0.0, 0.0, 1.0, 2.5, float("nan"), 1e300])),
        min_size=24,
        max_size=24,
    ),
    st.lists(st.one_of(st.none(), st.booleans()), min_size=24, max_size=24),
    st.lists(
        st.one_of(st.none(), st.sampled_from(["u", "v", " u", "?", "12", "3"])), min_size=24, max_size=24
    ),
    st.lists(st.integers(0, 10**9), min_size=24, max_size=24),
)


@settings(deadline=None, max_examples=40)
@given(VALUES, VALUES, st.sampled_from(["drop", "category"]), st.integers(1, 24))
def test_batches_of_parquet_do_not_matter(tmp_path_factory, a, b, missing, group):
    folder = tmp_path_factory.mktemp("parquet")
    frame = pl.DataFrame({"a": a, "b": b})
    frame.write_parquet(folder / "t.parquet", row_group_size=group)
    whole = outcome(folder / "t.parquet", {"missing": missing})
    with sizes():
        for source in (folder / "t.parquet", frame):
            batched = outcome(source, {"missing": missing})
            if isinstance(whole, str):
                assert isinstance(batched, str)
            else:
                assert_same(batched, whole)


@pytest.mark.parametrize("method", ["quantile:4", "width:5", "a=quantile:3"])
def test_intervals_do_not_depend_on_batches(tmp_path, method):
    rng = np.random.default_rng(1)
    a = np.concatenate([rng.normal(size=300), [1.0, 1.0, np.nan]])
    frame = pl.DataFrame({"a": a, "b": rng.integers(0, 2, 303), "c": rng.integers(0, 3000, 303) / 10})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    options = {"missing": "category", "discretize": method, "drop": "c" if method[0] == "a" else None}
    whole = read(frame, **options)
    with sizes():
        assert_same(read(tmp_path / "t.csv", **options), whole)
        assert_same(read(tmp_path / "t.parquet", **options), whole)


def test_many_rows_and_columns_in_many_batches(tmp_path):
    rng = np.random.default_rng(2)
    table = rng.integers(0, 7, (3000, 40))
    table[1500:] = table[:1500]
    frame = pl.DataFrame(table, schema=[f"v{i}" for i in range(40)])
    frame.write_parquet(tmp_path / "t.parquet")
    whole = read(frame)
    assert whole.weights.tolist() == [2] * 1500
    with sizes(**{"tables.BATCH_VALUES": 4000, "distinct.FEW_ROWS": 150, "distinct.RANGE_WORDS": 100}):
        assert_same(read(tmp_path / "t.parquet"), whole)


BAD = {
    "ragged": ("1,2,3\n", "Line 60 "),
    "ragged and quoted": ('"1,2"\n', "Line 60 "),
    "zero byte": ("1,\0\n", "not a text table"),
    "separator": ("1,x\x1f\n", "control"),
    "open quote": ('1,"2\n', "from line 60 on"),
    "ragged after a value of two lines": ('1,"2\n3"\n1,2,3\n', "Line 62 "),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_wrong_in_a_late_block_is_found_at_its_line(tmp_path, case, packed):
    bad, phrase = BAD[case]
    content = b"a,b\n" + b"1,2\n" * 58 + (bad if isinstance(bad, bytes) else bad.encode()) + b"1,2\n" * 9
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(content) if packed else content)
    with sizes(), pytest.raises(InputError) as caught:
        read(path)
    assert phrase in str(caught.value)


def test_a_gzip_file_that_breaks_off_late(tmp_path):
    packed = gzip.compress("".join(f"{i % 7},{i % 3}\n" for i in range(50_000)).encode())
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n") + packed[: len(packed) - 20])
    with sizes(**{"text_blocks.BLOCK_BYTES": 1 << 12}), pytest.raises(InputError, match="cut-off gzip"):
        read(path)
    path.write_bytes(gzip.compress(b"a,b\n") + packed)
    with sizes(**{"text_blocks.BLOCK_BYTES": 1 << 12}):
        assert read(path).rows == 50_000


def test_a_line_without_end_is_no_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1," + "2" * 1000 + "\n")
    with sizes(**{"text_blocks.LONGEST_LINE": 100}), pytest.raises(InputError, match="a line of more than"):
        read(path)


def many_rows(path: Path, rows: int = 2000) -> Path:
    pl.DataFrame({"a": np.arange(rows) % 3, "b": np.arange(rows) % 5}).write_csv(path)
    return path


def test_progress_counts_rows(tmp_path):
    told: list[int] = []
    with sizes(**{"text_blocks.BLOCK_BYTES": 400}):
        read(many_rows(tmp_path / "t.csv"), progress=told.append)
    assert told == sorted(told)
    assert told[0] == 0 and told[-1] == 2000
    assert len(set(told)) > 10


def test_time_runs_out_between_batches(tmp_path):
    told: list[int] = []

    def until_late(rows):
        told.append(rows)
        if rows:
            time.sleep(max(deadline - time.monotonic(), 0.0))

    path = many_rows(tmp_path / "t.csv")
    # A busy machine may need longer for the first rows.
    for seconds in (0.1, 1, 10, 100):
        deadline = time.monotonic() + seconds
        with (
            sizes(**{"text_blocks.BLOCK_BYTES": 400}),
            pytest.raises(StoppedError, match=r"Time was up when [\d,]+ rows"),
        ):
            read(path, progress=until_late, deadline=deadline)
        if told[-1]:
            break
    assert 0 < told[-1] < 2000


def test_an_interrupt_ends_reading_at_once(tmp_path):
    def interrupt(rows):
        if rows > 500:
            raise KeyboardInterrupt

    with sizes(**{"text_blocks.BLOCK_BYTES": 400}), pytest.raises(KeyboardInterrupt):
        read(many_rows(tmp_path / "t.csv"), progress=interrupt)


def test_rows_that_do_not_fit_in_memory_are_refused():
    table = np.random.default_rng(3).integers(0, 9, (5000, 12))
    with sizes(**{"tables.BATCH_VALUES": 6000}), pytest.raises(TooLargeError) as caught:
        read(table, memory_bytes=50_000)
    assert "distinct rows among the first" in str(caught.value)
    assert "(--columns, --drop)" in caught.value.on_command_line()
    assert read(table, memory_bytes=1e6).rows == 5000


def test_equal_rows_take_no_memory():
    table = np.random.default_rng(3).integers(0, 2, (5000, 4))
    with sizes(**{"tables.BATCH_VALUES": 400}):
        assert read(table, memory_bytes=20_000).rows == 5000


def test_values_that_do_not_fit_in_memory_are_refused():
    numbers = np.random.default_rng(4).normal(size=5000)
    with sizes(**{"tables.BATCH_VALUES": 500}), pytest.raises(TooLargeError) as caught:
        read({"x": numbers}, discretize="quantile:4", memory_bytes=100_000)
    assert "Column 'x' has " in str(caught.value) and 'drop="x"' in str(caught.value)


def test_a_hopeless_column_ends_reading_early():
    told: list[int] = []
    table = {"key": [f"k{i}" for i in range(9000)], "a": [0, 1, 1] * 3000}
    changed = {"tables.BATCH_VALUES": 200, "gathering.MOST_LABELS": 300}
    with sizes(**changed), pytest.raises(InputError, match=r"'key' .* identifies rows.*drop="):
        read(table, progress=told.append)
    assert told[-1] < 1000
    with sizes(**changed):
        assert read(table, drop="key").rows == 9000


def test_only_the_columns_asked_for_are_read(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"a": ["x", "y"] * 500, "b": [f"text {i}" for i in range(1000)]})
    frame.write_parquet(path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"text 500", b"\xff" * 8))
    assert read(path, columns="a").weights.tolist() == [500, 500]
    with pytest.raises(InputError, match="damaged"):
        read(path, columns="b")


def test_rows_in_order_from_values_of_several_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,x\n2,"x\ny"\n1,z\n')
    assert read_rows(path).frame["b"].to_list() == ["x", "x\ny", "z"]
