"""Tables counted in parts are the tables that are read as a whole."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

import chordlearn as cl
from chordlearn.cluster import Cluster, Threads
from chordlearn.errors import InputError
from chordlearn.remote import counting
from chordlearn.remote.counting import count_part, counted_on, stamp_of

ROWS = 997


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "a": ["01?"[k * 7919 % 3] for k in range(ROWS)],
            "weight": [str(k * 104729 % 5) for k in range(ROWS)],
            "c": ["later" if k % 11 == 0 else "x,y" for k in range(ROWS)],
        }
    )


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "LEAST_BYTES", 1 << 9)
    monkeypatch.setattr(counting, "MOST_BYTES", 1 << 11)
    monkeypatch.setattr(counting, "LEAST_ROWS", 50)


def write(frame: pl.DataFrame, folder: Path, kind: str) -> object:
    if kind == "parquet":
        frame.write_parquet(folder / "t.parquet")
        return folder / "t.parquet"
    if kind == "pattern":
        frame[:400].write_csv(folder / "p1.csv")
        frame[400:].select("c", "a", "weight").write_parquet(folder / "p2.parquet")
        return str(folder / "p?.*")
    if kind == "list":
        frame[:10].write_csv(folder / "one.csv")
        frame[10:].write_csv(folder / "two.tsv", separator="\t")
        return [folder / "one.csv", folder / "two.tsv"]
    text = frame.write_csv()
    if kind == "gzip":
        (folder / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
        return folder / "t.csv.gz"
    if kind == "windows":
        text = text.replace("\n", "\r\n").removesuffix("\r\n")
    if kind == "lines in values":
        text = text.replace("later", '"la\nter"')
    (folder / "t.csv").write_text(text, encoding="utf-8", newline="")
    return folder / "t.csv"


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", ["text", "parquet", "pattern", "list", "gzip", "windows", "lines in values"])
def test_the_same_table(kind: str, frame: pl.DataFrame, tmp_path: Path) -> None:
    source = write(frame, tmp_path, kind)
    options = {"missing": "category"} | ({"drop": "c"} if kind == "lines in values" else {})
    whole = cl.read(source, **options)
    parts = cl.read(counted_on(Threads(2), source, fewest_bytes=0), **options)
    assert (parts.sha256, parts.source, parts.options) == (whole.sha256, whole.source, whole.options)
    assert parts.rows == ROWS


@pytest.mark.usefixtures("small_parts")
def test_workers_count(cluster: Cluster, frame: pl.DataFrame, tmp_path: Path) -> None:
    source = write(frame, tmp_path, "text")
    found = cl.read(counted_on(cluster, source, fewest_bytes=0), missing="drop", columns="c,a")
    assert found.sha256 == cl.read(source, missing="drop", columns="c,a").sha256


@pytest.mark.usefixtures("small_parts")
def test_options_of_reading_hold(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    lines = "".join(f"{k % 7}.5,{k % 2},{k % 3 + 1}\n" for k in range(500))
    source.write_text(f"size,kind,times\n{lines}")
    options = {"counts": "times", "discretize": "size=quantile:3"}
    found = cl.read(counted_on(Threads(1), source, fewest_bytes=0), **options)
    assert found.sha256 == cl.read(source, **options).sha256


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    ("line", "sentence"),
    [("1,2", "Line 1002 of .* has 2 fields"), ("1,\udcff,3", "not UTF-8 text \\(line 1002\\)")],
    ids=["ragged", "latin"],
)
def test_what_is_wrong_is_told_as_always(line: str, sentence: str, tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    text = "a,b,c\n" + "0,1,0\n" * 1000 + line + "\n" + "1,0,1\n" * 1000
    source.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=sentence):
        cl.read(counted_on(Threads(1), source, fewest_bytes=0))


@pytest.mark.usefixtures("small_parts")
def test_another_file_of_that_name_is_not_counted(frame: pl.DataFrame, tmp_path: Path) -> None:
    source = Path(str(write(frame, tmp_path, "text")))
    stamp, size = stamp_of(source), source.stat().st_size
    part = (str(source), stamp, "text", len("a,weight,c\n"), size, ["a"])
    assert count_part(*part)["weights"].sum() == ROWS
    source.write_text(source.read_text().replace("later", "sooner"))
    assert count_part(*part) is None


def test_small_and_other_sources_stay_as_they_are(tmp_path: Path) -> None:
    small = tmp_path / "t.csv"
    small.write_text("a,b\n1,2\n")
    table = {"a": [1, 2]}
    for source in ("heart", small, "nowhere.csv", table, tmp_path):
        assert counted_on(Threads(1), source) is source
