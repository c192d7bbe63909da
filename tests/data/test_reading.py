"""The same table gives the same data set, whatever it came in."""

import csv
import gzip
import json
from collections import Counter

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.data import bundled, describe, read

TABLE = {"a": ["1", "2", "10", "1"], "b b": ["x", "é", "x,y", "x"], "=c": ["n", "n", "n", "n"]}
CSV = 'a,b b,=c\n1,x,n\n2,é,n\n10,"x,y",n\n1,x,n\n'


def same(left, right):
    return left.sha256 == right.sha256 and left.variables == right.variables and left.states == right.states


def texts(tmp_path):
    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    yield put("plain.csv", CSV)
    yield put("no_final_line_end.csv", CSV.rstrip("\n"))
    yield put("windows.csv", CSV.replace("\n", "\r\n"))
    yield put("bom.csv", b"\xef\xbb\xbf" + CSV.encode())
    yield put(
        "bom_windows_quoted.csv",
        b"\xef\xbb\xbf" + CSV.replace("a,b b", '"a","b b"').replace("\n", "\r\n").encode(),
    )
    yield put("blank_lines.csv", "\n\n" + CSV.replace("\n", "\n\n"))
    yield put("spaces.csv", CSV.replace("x,n", " x , n "))
    yield put("packed.csv.gz", gzip.compress(CSV.encode()))
    yield put("packed_without_suffix.csv", gzip.compress(CSV.encode()))
    unquoted = CSV.replace('"x,y"', "x;y").replace(",", "\t").replace("x;y", "x,y")
    yield put("tabs.tsv", unquoted)
    yield put("tabs.txt", unquoted)
    yield put("tabs.csv", unquoted)
    yield put("semicolons.data", unquoted.replace("\t", ";"))
    yield put("bars", unquoted.replace("\t", "|"))
    yield put("[odd]*.csv", CSV)
    parquet = tmp_path / "table.parquet"
    pl.DataFrame(TABLE).write_parquet(parquet)
    yield parquet


def test_every_file_format_gives_the_same(tmp_path):
    expected = read(TABLE)
    for path in texts(tmp_path):
        assert same(read(path), expected), path.name
        assert same(read(str(path)), expected), path.name


FRAMES = {
    "pandas": pd.DataFrame(TABLE),
    "pandas integers": pd.DataFrame(TABLE).astype({"a": int}),
    "pandas floats": pd.DataFrame(TABLE).astype({"a": float}),
    "pandas objects": pd.DataFrame({**TABLE, "a": pd.Series([1, 2.0, "10", True + 0], dtype=object)}),
    "pandas categories": pd.DataFrame(TABLE).astype("category"),
    "polars": pl.DataFrame(TABLE),
    "polars lazy": pl.DataFrame(TABLE).lazy(),
    "polars floats": pl.DataFrame(TABLE).cast({"a": pl.Float32}),
    "polars enum": pl.DataFrame(TABLE).cast({"=c": pl.Enum(["n"]), "b b": pl.Categorical}),
    "pyarrow": pa.table(TABLE),
    "pyarrow dictionary": pa.table({**TABLE, "=c": pa.array(TABLE["=c"]).dictionary_encode()}),
    "narwhals": nw.from_native(pl.DataFrame(TABLE)),
    "dict of arrays": {name: np.array(values) for name, values in TABLE.items()},
    "dict of series": {"a": pl.Series([1, 2, 10, 1]), "b b": pd.Series(TABLE["b b"]), "=c": tuple("nnnn")},
    "structured": np.array(list(zip(*TABLE.values(), strict=True)), dtype=[(name, "U9") for name in TABLE]),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same(kind):
    assert same(read(FRAMES[kind]), read(TABLE))


def test_coding():
    data = read(TABLE)
    assert data.states == (("1", "2", "10"), ("x", "x,y", "é"), ("n",))
    assert data.codes.tolist() == [[0, 0, 0], [1, 2, 0], [2, 1, 0]]
    assert data.weights.tolist() == [2, 1, 1]
    assert data.rows == 4
    assert data.arities == (3, 3, 1)
    assert not data.codes.flags.writeable


def test_texts_keep_leading_zeros(tmp_path):
    path = tmp_path / "zeros.csv"
    path.write_text("a,b\n01,1.0\n1,1\n")
    assert read(path).states == (("01", "1"), ("1", "1.0"))


def test_data_row_equal_to_the_header(tmp_path):
    path = tmp_path / "echo.csv"
    path.write_text("a,b\na,b\na,c\na,b\n")
    assert read(path).weights.tolist() == [2, 1]


def test_quotes_in_the_middle_of_a_value(tmp_path):
    path = tmp_path / "inches.csv"
    path.write_text('size,n\n5",1\n"say ""hi""",2\n')
    assert read(path).states[0] == ('5"', 'say "hi"')


def test_spaces_between_columns(tmp_path):
    path = tmp_path / "aligned.txt"
    path.write_text("a   b  c\nx   1  u\n yy 2  u \n")
    assert read(path).states == (("x", "yy"), ("1", "2"), ("u",))


def test_single_column_ignores_blank_lines(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a\n1\n\n2\n\n")
    assert read(path).rows == 2


def test_several_columns_of_real_numbers():
    data = read({"a": [0.5, 1.0, 0.5], "b": [2.0, 2.0, 3.5], "c": np.array([1, 2, 2], dtype=np.float32)})
    assert data.states == (("0.5", "1"), ("2", "3.5"), ("1", "2"))


def test_array_names():
    data = read(np.array([[0, 1], [1, 1]]))
    assert data.variables == ("X0", "X1")
    assert data.source == "numpy array"
    masked = np.ma.masked_array([[0, 1], [1, 1]], mask=[[True, False], [False, False]])
    assert read(masked, missing="category").states == (("1", "?"), ("1",))


def test_counts_and_states_of_zero_cells():
    table = {"a": ["x", "y", "z", "x"], "b": [0, 1, 1, 0], "n": [2, 3, 0, 5]}
    data = read(table, counts="n")
    assert data.states == (("x", "y", "z"), ("0", "1"))
    assert data.weights.tolist() == [7, 3]
    assert data.column_counts("a").tolist() == [7, 3, 0]
    assert describe(data)["notes"] == [
        "States that never occur, but are declared or have the count 0: a (z)."
    ]


def test_counts_equal_repeated_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,n\nx,1,2\ny,0,1.0\n")
    assert same(read(path, counts="n"), read({"a": ["x", "x", "y"], "b": [1, 1, 0]}))


def test_declared_states():
    frame = pd.DataFrame({"a": pd.Categorical([1, 2, None], categories=[3, 2, 1]), "b": ["u", "v", "w"]})
    assert read(frame, missing="drop").states == (("1", "2", "3"), ("u", "v"))
    enum = pl.DataFrame({"a": pl.Series(["x"], dtype=pl.Enum(["x", "y"]))})
    assert read(enum).states == (("x", "y"),)


def test_declared_enum_survives_parquet(tmp_path):
    path = tmp_path / "enum.parquet"
    pl.DataFrame({"a": pl.Series(["x"], dtype=pl.Enum(["x", "y"]))}).write_parquet(path)
    assert read(path).states == (("x", "y"),)


def test_missing_values():
    table = {"a": ["1", "?", "10", "9"], "b": [1.0, None, float("nan"), 2.0]}
    assert read(table, missing="category").states == (("1", "9", "10", "?"), ("1", "2", "?"))
    assert read(table, missing="drop").states == (("1", "9"), ("1", "2"))
    assert read({"a": ["None", "none", "na"]}).arities == (3,)


def test_missing_value_in_a_cell_of_count_zero():
    data = read({"a": ["x", "?"], "n": [3, 0]}, counts="n")
    assert data.rows == 3
    assert data.states == (("x",),)


def test_discretize():
    table = {"x": np.arange(1000) / 7, "g": [0, 1] * 500}
    quarters = read(table, discretize="quantile:4")
    assert quarters.arities == (4, 2)
    assert quarters.column_counts("x").tolist() == [250] * 4
    fifths = read(table, discretize="width:5")
    assert fifths.arities == (5, 2)
    assert fifths.states[0][0].startswith("<") and fifths.states[0][-1].startswith(">=")
    assert abs(fifths.column_counts("x") - 200).max() <= 1
    named = read({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}, discretize="a=width:2")
    assert named.states == (("<2.5", ">=2.5"), ("1", "2", "3", "4"))
    assert read(table, discretize={"x": "width:3"}).arities == (3, 2)
    assert read({"zip": list(range(80)) * 2}, discretize="zip=keep").arities == (80,)


def test_discretize_keeps_missing_apart():
    values = [*range(0, 2000, 7), None]
    data = read({"a": values}, missing="category", discretize="quantile:2")
    assert len(data.states[0]) == 3
    assert data.column_counts("a")[-1] == 1


def test_discretize_constant_and_ties():
    assert read({"a": [5, 5]}, discretize="a=quantile:4").states == (("all",),)
    assert read({"a": [5, 5]}, discretize="a=width:4").arities == (1,)
    assert read({"a": [0] * 90 + [1] * 10}, discretize="a=quantile:4").column_counts("a").tolist() == [90, 10]


def test_columns_without_a_name_are_called_by_their_place(tmp_path):
    path = tmp_path / "index.csv"
    path.write_text(",a,b\n1,x,y\n2,y,x\n")
    assert read(path).variables == ("column 1", "a", "b")
    assert read(path, drop="column 1").variables == ("a", "b")


def test_selection_and_its_order():
    data = read("heart", columns="family, smoke")
    assert data.variables == ("family", "smoke")
    assert same(data, read("heart").select(["family", "smoke"]))
    assert same(data, read(read("heart"), columns=["family", "smoke"]))
    assert read("heart", drop=["smoke"]).variables == ("mental", "phys", "systol", "protein", "family")
    assert read(data) is data


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"columns": "c,a", "missing": "category"},
        {"drop": ("n",), "missing": "drop"},
        {"counts": "n", "missing": "category", "discretize": {"a": "width:2"}},
        {"counts": "n", "columns": ["a"], "discretize": "a=quantile:2"},
    ],
)
def test_options_read_the_same_again(tmp_path, options):
    path = tmp_path / "t.csv"
    path.write_text("a,c,n\n1,x,2\n2,y,0\n3,?,1\n" if options else "a,c,n\n1,x,2\n")
    data = read(path, **options)
    assert json.loads(json.dumps(data.options)) == data.options
    assert same(read(data.source, **data.options), data)
    selected = data.select(["a"])
    if options.get("missing") != "drop":
        assert same(read(selected.source, **selected.options), selected)


def test_bundled_name_wins_over_a_bare_file_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heart").write_text("a\n1\n")
    assert read("heart").rows == 1841
    assert read("./heart").rows == 1


@pytest.mark.parametrize("entry", bundled(), ids=lambda entry: entry.name)
def test_bundled(entry):
    data = read(entry.name)
    assert data.variables == tuple(entry.variables)
    assert data.rows == entry.rows
    assert data.options == {}
    account = describe(data)
    assert account["reference"] == entry.source
    assert all(variable["meaning"] for variable in account["variables"])


def test_repr_and_frame():
    data = read({"a": [1, 1, 2], "count": ["x", "x", "y"]})
    assert repr(data) == "Dataset(2 variables, 3 rows (2 distinct), from 'dict': a 2, count 2)"
    frame = data.to_frame()
    assert frame.columns == ["a", "count", "count_"]
    assert same(read(frame, counts="count_"), data)


def test_many_columns_are_read_in_seconds(tmp_path):
    width = 3000
    path = tmp_path / "wide.csv"
    path.write_text(
        ",".join(f"v{i}" for i in range(width)) + "\n" + (",".join("01" * (width // 2)) + "\n") * 20
    )
    data = read(path)
    assert len(data.variables) == width
    assert data.weights.tolist() == [20]


LABELS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=3)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(LABELS, LABELS, st.integers(0, 3)), min_size=1, max_size=30))
def test_written_and_read_again(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("a", "b", "c"), *rows])
    data = read(path, missing="category")
    decoded: Counter[tuple[str, ...]] = Counter()
    for codes, weight in zip(data.codes.tolist(), data.weights.tolist(), strict=True):
        decoded[tuple(labels[code] for labels, code in zip(data.states, codes, strict=True))] = weight
    tokens = {"?", "NA", "N/A", "n/a", "NaN", "nan", "NAN"}
    wanted = Counter(tuple("?" if str(value) in tokens else str(value) for value in row) for row in rows)
    assert decoded == wanted
    assert data.codes.tolist() == sorted(data.codes.tolist())
    assert same(read(data.to_frame(), counts="count", missing="category"), data)
