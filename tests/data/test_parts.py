"""Several files are read as if they were one."""

from __future__ import annotations

import gzip
import os

import polars as pl
import pytest

import chordlearn as cl
from chordlearn.data import read
from chordlearn.data.ordered_rows import read_rows
from chordlearn.errors import InputError

FRAME = pl.DataFrame(
    {
        "a": [1, 2, 10, 2, None, 1, 1, 3] * 3,
        "b": ["x", "y", "x", "z ", "y", None, "?", "x"] * 3,
        "n": [1, 0, 2, 3, 1, 1, 5, 1] * 3,
    }
)
OPTIONS = [
    {"missing": "drop"},
    {"missing": "category", "counts": "n"},
    {"columns": "b,n", "missing": "category"},
]


@pytest.fixture
def folder(tmp_path):
    for index, start in enumerate((0, 5, 6, 17)):
        end = (5, 6, 17, 24)[index]
        part = FRAME[start:end]
        part.write_csv(tmp_path / f"part-{index}.csv")
        part.write_parquet(tmp_path / f"part-{index}.parquet")
    FRAME.write_csv(tmp_path / "all.csv")
    return tmp_path


def refused(source, **options):
    with pytest.raises(InputError) as caught:
        read(source, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("options", OPTIONS)
def test_parts_equal_the_whole(folder, options, monkeypatch):
    whole = read(folder / "all.csv", **options)
    csv = sorted(folder.glob("part-*.csv"))
    parquet = sorted(folder.glob("part-*.parquet"))
    sources = [
        str(folder / "part-*.csv"),
        folder / "part-?.parquet",
        csv,
        parquet[::-1],
        tuple(map(str, csv)),
        [*csv[:2], *parquet[2:]],
        [str(folder / "part-[01].csv"), parquet[2], parquet[3]],
        os.pathsep.join(map(str, csv)),
    ]
    for source in sources:
        data = read(source, **options)
        assert data.sha256 == whole.sha256
        assert data.states == whole.states
        assert read(data.source, **data.options).sha256 == whole.sha256
    monkeypatch.chdir(folder)
    assert read("part-*.csv", **options).sha256 == whole.sha256
    assert read("**/part-*.csv", **options).sha256 == whole.sha256


def test_types_may_differ_between_parts(tmp_path):
    values = {
        "integers": [1, 2],
        "texts": ["2", "b"],
        "floats": [1.0, None],
        "flags": [True, False],
        "none": [None, None],
    }
    for name, column in values.items():
        pl.DataFrame({"a": column}).write_parquet(tmp_path / f"{name}.parquet")
    enum = pl.Series("a", ["b"], dtype=pl.Enum(["b", "c"]))
    enum.to_frame().write_parquet(tmp_path / "enum.parquet")
    data = read(tmp_path / "*.parquet", missing="category")
    assert data.states == (("1", "2", "False", "True", "b", "c", "?"),)
    assert data.weights.tolist() == [2, 2, 1, 1, 2, 3]
    labels = read_rows(tmp_path / "*.parquet").codes(["a"], data.states)
    assert sorted(labels.ravel().tolist()) == [0, 0, 1, 1, 2, 3, 4, 4, 6, 6, 6]


def test_columns_go_by_name(folder):
    FRAME[5:6].select("n", "b", "a").write_csv(folder / "part-1.csv")
    whole = read(folder / "all.csv", missing="category")
    assert read(folder / "part-*.csv", missing="category").sha256 == whole.sha256
    rows = read_rows(folder / "part-*.csv")
    assert rows.frame.columns == ["a", "b", "n"]
    assert rows.frame["n"].to_list() == [str(n) for n in FRAME["n"]]


def test_files_with_other_columns_are_refused(folder):
    (folder / "part-2.csv").write_text("a,c,d,n\n1,2,3,4\n")
    assert refused(folder / "part-*.csv") == (
        f"{folder / 'part-2.csv'} lacks 'b' and has 'c', 'd' besides, unlike {folder / 'part-0.csv'}; "
        "give files that have the same columns."
    )
    (folder / "part-2.csv").write_text("a,b,n,n\n1,2,3,4\n")
    assert "more than one column named 'n'" in refused(folder / "part-*.csv")


def test_a_part_may_be_without_rows(folder):
    whole = read(folder / "all.csv", missing="category")
    (folder / "part-4.csv").write_text("a,b,n\n")
    assert read(folder / "part-*.csv", missing="category").sha256 == whole.sha256
    (folder / "part-5.csv").write_text("")
    assert "part-5.csv is empty" in refused(folder / "part-*.csv")
    (folder / "none-1.csv").write_text("a,b\n")
    (folder / "none-2.csv").write_text("a,b\n")
    assert "no data rows" in refused(folder / "none-*.csv")


def test_what_is_wrong_is_said_of_the_file(folder):
    with (folder / "part-2.csv").open("a") as stream:
        stream.write("1,2\n")
    assert f"of {folder / 'part-2.csv'} has 2 fields" in refused(folder / "part-*.csv")
    (folder / "part-2.csv").write_bytes(gzip.compress(b"a,b,n\n1,x,1\n" * 50)[:-9])
    assert "part-2.csv is a damaged or cut-off gzip file" in refused(folder / "part-*.csv")


def test_files_that_are_not_there(folder):
    assert "No file matches" in refused(folder / "none*.csv")
    assert "no file" in refused([folder / "part-1.csv", folder / "none.csv"])
    assert "no file" in refused(f"{folder / 'part-1.csv'}{os.pathsep}{folder / 'none.csv'}")
    assert f"{folder}/*.csv" in refused(folder)
    refused([])


def test_a_name_with_special_characters_is_a_name_first(folder):
    (folder / "part-*.csv").write_text("z\n1\n")
    assert read(folder / "part-*.csv").variables == ("z",)
    (folder / "[a]").mkdir()
    (folder / "[a]" / "1.csv").write_text("z\n1\n")
    data = read([folder / "part-*.csv", folder / "[a]" / "1.csv"])
    assert read(data.source).rows == data.rows == 2


def test_apostrophes_are_read_as_they_are(tmp_path):
    (tmp_path / "1.csv").write_text("'=a\n'=x\ny\n")
    (tmp_path / "2.csv").write_text("'=a\ny\n'=z\n")
    data = read(tmp_path / "?.csv")
    assert data.variables == ("'=a",) and data.states == (("'=x", "'=z", "y"),)


def test_hidden_files_and_folders_do_not_match(folder):
    (folder / ".part-9.csv").write_text("z\n1\n")
    (folder / "part-9.csv").mkdir()
    assert read(folder / "*part-*.csv", missing="category").rows == 24


def test_results_find_their_parts_again(folder):
    for source in (str(folder / "part-*.csv"), sorted(folder.glob("part-*.csv"))):
        result = cl.learn(source, missing="category")
        assert cl.verify(result).complete
        assert cl.fit(result).provenance["rows"] == 24
    (folder / "part-3.csv").write_text("a,b,n\n1,x,1\n")
    assert not cl.verify(result).ok
