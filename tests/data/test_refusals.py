"""Each kind of bad input gets one sentence with its cause and its fix."""

import contextlib
import gzip
import os

import numpy as np
import polars as pl
import pytest

from chordlearn.data import read
from chordlearn.errors import InputError
from endings import ends_well


def refused(source, **options):
    with pytest.raises(InputError) as caught:
        read(source, **options)
    message = caught.value.on_command_line()
    assert "\n" not in message
    assert ends_well(message)
    return message


@pytest.fixture
def write(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def many(count, value):
    return "a,b\n" + "".join(f"{value(i)},{i % 2}\n" for i in range(count))


FILES = {
    "empty": ("", "is empty"),
    "only blank lines": ("\n \n\n", "is empty"),
    "header only": ("a,b\n", "no data rows"),
    "too few fields": ("a,b\n1,2\n\n1\n", "Line 4 "),
    "too many fields": ("a,b\n1,2\n1,2,3\n", "Line 3 "),
    "too many fields in the first row": ("a,b\n1,2,3\n1,2,3\n", "Line 2 "),
    "ragged and quoted": ('a,b\n"1,2"\n1,2\n', "Line 2 "),
    "ragged after a quoted line break": ('a,b\n"x\ny",2\n1\n', "Line 4 "),
    "open quote": ('a,b\n1,"2\n3,4\n', "quotes"),
    "repeated names": ("a,b,a\n1,2,3\n", "more than one column named 'a'"),
    "no header": ("0,1,0\n1,1,0\n", "header"),
    "control character in a name": ("a,b\x1b[31m\n1,2\n", "control character"),
    "control character in a value": ("a,b\n1,x\x07y\n", "control character"),
    "separator character in a value": ("a,b\n1,x\x1fy\n", "control character"),
    "binary": (bytes(range(256)) * 4, "not a text table"),
    "zero byte late": (b"a,b\n" + b"1,2\n" * 40000 + b"1,\x00\n", "not a text table"),
    "old line ends": ("a,b\r1,2\r", "carriage returns"),
    "fractions": (many(100, lambda i: f"{i * 0.37:.2f}"), "--discretize quantile:3"),
    "many integers": (many(300, lambda i: i * i % 151), "--discretize quantile:3"),
    "running number": (many(100, lambda i: i + 1), "--drop a"),
    "names of rows": (many(100, lambda i: f"row{i}"), "--drop a"),
    "too many states": (many(12_000 * 2, lambda i: f"s{i % 12_000}"), "more than 10000"),
}


@pytest.mark.parametrize("case", FILES)
def test_bad_file(write, case):
    content, phrase = FILES[case]
    assert phrase in refused(write(content))


@pytest.mark.parametrize(
    ("values", "phrase"),
    [
        ("1,-2", "'-2'"),
        ("1,1.5", "'1.5'"),
        ("1,x", "'x'"),
        ("1,", "missing value"),
        ("0,0", "zero"),
        ("1,1e300", "2^53"),
        ("1,inf", "'inf'"),
    ],
)
def test_bad_counts(write, values, phrase):
    rows = "".join(f"s,{value}\n" for value in values.split(","))
    assert phrase in refused(write("a,n\n" + rows), counts="n")


def test_missing_file_and_near_bundled_name(tmp_path):
    assert "no file" in refused(tmp_path / "none.csv")
    assert "did you mean heart?" in refused("hart")
    assert "econ, heart" in refused("zzz")
    assert "download" in refused("https://example.org/a.csv")
    assert "no file" in refused("x" * 5000)
    assert "no file" in refused("a\0b")


def test_directory(tmp_path):
    assert "is a directory" in refused(tmp_path)


def test_device():
    assert "not a regular file" in refused("/dev/null")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(write):
    path = write("a\n1\n")
    path.chmod(0)
    assert "permissions" in refused(path)


def test_damaged_gzip(write):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 5000)
    assert "gzip" in refused(write(packed[: len(packed) // 2], "cut.csv.gz"))
    assert "gzip" in refused(write(packed[:10] + b"rubbish" + packed[17:], "bad.csv.gz"))
    assert "is empty" in refused(write(gzip.compress(b""), "empty.csv.gz"))


def test_damaged_parquet(tmp_path, write):
    good = tmp_path / "good.parquet"
    pl.DataFrame({"a": ["x", "y"] * 500}).write_parquet(good)
    content = good.read_bytes()
    assert "Parquet" in refused(write(content[: len(content) // 2], "cut.parquet"))
    assert "Parquet" in refused(write("a,b\n1,2\n", "text.parquet"))
    assert "Parquet" in refused(write(b"PAR1", "short.parquet"))


@pytest.mark.parametrize("position", range(4, 300, 37))
def test_changed_byte_in_parquet_never_escapes(tmp_path, position):
    path = tmp_path / "changed.parquet"
    pl.DataFrame({"a": ["x", "y"] * 500, "b": [1, 2] * 500}).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[position % len(content)] ^= 0xFF
    path.write_bytes(bytes(content))
    with contextlib.suppress(InputError):
        read(path)


def test_missing_values_are_named_with_counts(write):
    path = write("a,b,c\n?,1,x\n,1,NA\nu,1,y\n")
    assert refused(path) == (
        f"{path}: there are missing values in columns 'a' (2), 'c' (1); "
        "--missing drop leaves out their rows, --missing category makes them a state, "
        "--missing em learns from what there is. "
        f"This works: chordlearn learn {path} --drop a --missing category"
    )
    assert "leaves nothing" in refused(write("a,b\n?,1\n", "all.csv"), missing="drop")
    assert "error, drop, category, em or impute:M" in refused(path, missing="omit")


def test_unknown_columns_get_near_matches():
    assert "did you mean smoke?" in refused("heart", columns="smok,family")
    assert "did you mean smoke?" in refused("heart", drop=["Smoke"])
    assert "did you mean count?" in refused("heart", counts="counts")
    assert "No columns are left" in refused("heart", drop="smoke,mental,phys,systol,protein,family")
    assert "No columns are left" in refused("heart", columns=[])
    assert "more than once" in refused("heart", columns="smoke,smoke")


@pytest.mark.parametrize(
    "text", ["quantile", "quantile:1", "width:x", "bins:3", "quantile:4,width:5", "", "b=width:9999"]
)
def test_bad_discretize(text):
    assert "--discretize" in refused({"a": range(5), "b": range(5)}, discretize=text)


def test_discretizing_texts_or_unknown_columns():
    assert "texts" in refused({"a": ["x", "y"]}, discretize="a=width:2")
    assert "did you mean age?" in refused({"age": [1, 2]}, discretize="agee=width:2")
    assert "infinite" in refused({"a": [1.0, np.inf]}, discretize="a=width:2")


@pytest.mark.parametrize(
    "source",
    [
        None,
        3,
        [1, 2],
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.zeros((0, 2)),
        np.zeros((2, 0)),
        {},
        {"a": 1},
        {"a": "xyz"},
        {"a": [1], "b": [1, 2]},
        {"a": [[1], [2]]},
        {"a": [{}, {}]},
        pl.DataFrame(),
        pl.DataFrame({"a": [[1], [2]]}),
        pl.DataFrame({"a": [b"x"]}),
        pl.DataFrame({"": [1]}),
        pl.Series([1]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_no_table(source):
    refused(source)


def test_a_dataset_takes_only_a_selection():
    assert "read already" in refused(read("heart"), missing="drop")
