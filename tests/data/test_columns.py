"""What columns are taken for (numbers with exceptions, dates, identifiers, counts), and what is done then."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from chordlearn.data import read, survey
from chordlearn.data.dataset import constant_columns, copies
from chordlearn.data.ordered_rows import read_rows
from chordlearn.errors import InputError

COIN = ["n", "y"] * 200


def measurements(seed: int = 1, count: int = 400) -> list[str]:
    draw = random.Random(seed)
    return [f"{draw.gauss(10, 3):.2f}" for _ in range(count)]


def column(values, **options):
    (found,) = (one for one in survey({"x": values, "coin": COIN}, **options).columns if one["name"] == "x")
    return found


@pytest.mark.parametrize(
    ("exceptions", "remark"),
    [
        (["<0.3"] * 30, "'<0.3' (30) counted as just below"),
        (["> 99"] * 3, "'> 99' (3) counted as just above"),
        (["≤1"], "'≤1' (1) counted as that number"),
        (["lost", "not done"], "'lost' (1), 'not done' (1) kept as a state of its own"),
        (["n/a", "-7.5"], ""),
    ],
)
def test_numbers_with_a_few_exceptions(exceptions, remark):
    values = exceptions + measurements()[len(exceptions) :]
    found = column(values)
    assert (found["type"], found["verdict"]) == ("number", "numbers to cut")
    assert remark in found["advice"]
    states = read({"x": values, "coin": COIN}, discretize="quantile:3", missing="category").states[0]
    assert len(states) == 3 + ("lost" in exceptions) * 2 + ("n/a" in exceptions)
    assert set(states) - {"lost", "not done", "?"} == set(states[:3])


def test_bounds_fall_into_the_class_beside_them():
    values = ["<0.3"] * 100 + ["0.3"] * 50 + ["0.5"] * 100 + ["7"] * 50 + [">7"] * 100
    data = read({"x": values}, discretize="x=quantile:4")
    assert data.states[0] == ("<0.3", "0.3..0.5", "0.5..7", ">=7")
    assert data.column_counts("x").tolist() == [100, 50, 100, 150]


@pytest.mark.parametrize(
    ("write", "style"),
    [
        (lambda text: text.replace(".", ","), "commas are decimal"),
        (lambda text: f"1,{int(float(text) * 10):03d}", "commas separate thousands"),
        (lambda text: f"1.{int(float(text) * 10):03d},5", "commas are decimal"),
    ],
)
def test_commas(write, style):
    texts = measurements()
    written = [write(text) for text in texts]
    assert style in column(written)["advice"]
    cut = read({"x": written, "plain": texts}, discretize="quantile:3")
    assert cut.arities == (3, 3)
    if style == "commas are decimal" and written[0].count(".") == 0:
        assert cut.states[0] == cut.states[1]
        assert copies(cut) == [["x", "plain"]]


def test_texts_are_not_numbers():
    houses = [f"{number % 40}{'abcdefg'[number % 7]}" for number in range(400)]
    assert column(houses)["type"] == "text"
    assert column(["<18", "18..64", ">=65", "18..64"] * 100)["type"] == "text"
    with pytest.raises(InputError, match="holds texts"):
        read({"x": houses}, discretize="x=quantile:3")


@pytest.mark.parametrize(
    "write",
    [
        "{0:04d}-{1:02d}-{2:02d}",
        "{2}.{1}.{0}",
        "{1}/{2}/{0}",
        "{0:04d}-{1:02d}-{2:02d} 12:{2:02d}:07.5",
        "{2}-Mar-{0}",
    ],
)
def test_dates(write):
    values = [write.format(2000 + number % 20, 1 + number % 12, 1 + number % 28) for number in range(400)]
    found = column(values)
    assert (found["type"], found["verdict"]) == ("date", "date")
    with pytest.raises(InputError, match="holds dates") as caught:
        read({"x": values, "coin": COIN})
    assert str(caught.value).endswith('This works: chordlearn.learn(data, drop=["x"])')
    few = [values[number % 3] for number in range(400)]
    assert column(few)["verdict"] == "date"
    assert len(read({"x": few, "coin": COIN}).states[0]) == 3
    assert read({"x": values, "coin": COIN}, discretize="x=keep").variables == ("x", "coin")


def test_dates_of_a_data_frame():
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 2, 3), eager=True)
    frame = pl.DataFrame({"day": days, "x": [1, 2] * 200})
    assert [one["verdict"] for one in survey(frame).columns] == ["date", "fine"]


def test_lists_and_bytes_are_described_and_refused_with_the_rest():
    frame = pl.DataFrame(
        {"tags": [["a"], ["b", "c"]] * 30, "raw": [b"x"] * 60, "id": range(60), "s": COIN[:60]}
    )
    found = survey(frame)
    assert [one["verdict"] for one in found.columns] == ["no labels", "no labels", "row identifier", "fine"]
    assert found.options == {"drop": ["tags", "raw", "id"]}
    with pytest.raises(InputError, match=r"'id' .*'tags' \(List\(String\)\), 'raw' \(Binary\)"):
        read(frame)


def test_every_column_of_numbers_is_cut_when_asked():
    table = {
        "flag": [number % 2 for number in range(400)],
        "likert": [1 + number % 5 for number in range(400)],
        "age": [20 + number % 60 for number in range(400)],
        "sex": COIN,
    }
    assert read(table).arities == (2, 5, 60, 2)
    assert read(table, discretize="quantile:3").arities == (2, 3, 3, 2)
    assert read(table, discretize="width:5").arities == (2, 5, 5, 2)
    assert read(table, discretize=["quantile:3", "likert=keep"]).arities == (2, 5, 3, 2)
    assert read(table, discretize={"age": "width:4"}).arities == (2, 5, 4, 2)
    (cut, left) = read(table, discretize="quantile:3,likert=keep").notes
    assert cut == "Cut into classes: age (<39, 39..58, >=58)."
    assert left == "Columns of numbers left as they are: likert (5 values)."


def test_new_rows_find_the_classes_of_old_exceptions():
    values = ["<0,3", "lost", *(text.replace(".", ",") for text in measurements()[2:])]
    data = read({"x": values}, discretize="quantile:3")
    assert data.states[0][3:] == ("lost",)
    rows = read_rows({"x": ["<0,3", "-5", "1000", "lost", None, "99,5"]})
    assert rows.codes(["x"], data.states).ravel().tolist() == [0, 0, 2, 3, -1, 2]


CELLS = {"a": list("xxyyzz"), "b": list("uvuvuv")}


@pytest.mark.parametrize(
    "name", ["count", "Freq", "N", "Häufigkeit", "weight", "num", "cases", "number of patients", "n_obs"]
)
def test_counts_are_recognised_by_name_and_distinct_rows(name):
    table = {**CELLS, name: [3, 0, 5, 2, 2, 9]}
    with pytest.raises(InputError) as caught:
        read(table)
    assert f'this looks like a contingency table: use counts="{name}"' in str(caught.value)
    assert 'counts="none"' in str(caught.value)
    assert survey(table).options == {"counts": name}
    assert survey(table).rows == read(table, counts=name).rows == 21
    assert read(table, counts="none").variables == ("a", "b", name)


def test_what_is_no_table_of_counts():
    assert read({"a": list("xxyyzz"), "count": [1, 2, 1, 2, 1, 1]}).variables == (
        "a",
        "count",
    )  # A row twice.
    assert read({**CELLS, "count": [1.5, 2, 3, 4, 5, 6]}).variables == ("a", "b", "count")
    assert read({**CELLS, "number of rooms": [1, 2, 3, 4, 5, 6]}).arities == (3, 2, 6)
    assert read({**CELLS, "count": [1, 2, 3, 4, 5, 6]}, discretize="count=keep").arities == (3, 2, 6)
    # People, no two alike, with their weight in kilograms: no pair of equal rows would be expected.
    people = {f"q{index}": [(number >> index) & 1 for number in range(0, 60_000, 501)] for index in range(16)}
    weights = [60 + number % 9 for number in range(len(people["q0"]))]
    assert len(read({**people, "weight": weights}).variables) == 17
    with pytest.raises(InputError, match="contingency"):
        read({**people, "count": weights})


def test_counts_beyond_what_can_be_added_are_described_and_refused():
    table = {**CELLS, "count": [2**52 + number for number in range(6)]}
    found = survey(table)
    assert [column["name"] for column in found.columns] == ["a", "b", "count"]
    (problem,) = found.to_dict()["problems"]
    assert problem.endswith('more than 2^53; scale them down (or counts="none" if it is a variable)')
    assert (found.options, found.why_not) == (None, "Mend its counts first.")
    for options in ({}, {"columns": ["a"]}, {"counts": "count"}):
        with pytest.raises(InputError, match=r"more than 2\^53"):
            read(table, **options)
    assert read(table, counts="none").variables == ("a", "b", "count")


def test_an_index_does_not_hide_a_table_of_counts():
    cells = {
        "row": range(1, 65),
        **{f"v{index}": [(cell >> index) & 1 for cell in range(64)] for index in range(6)},
    }
    table = {**cells, "count": [cell % 7 for cell in range(64)]}
    assert survey(table).options == {"drop": ["row"], "counts": "count"}


def test_columns_chosen_from_a_table_of_counts(tmp_path):
    table = pl.DataFrame({**CELLS, "c": list("ppqqpp"), "count": [3, 0, 5, 2, 2, 9]})
    with pytest.raises(InputError, match='use counts="count"'):
        read(table, columns=["a", "c"])
    assert read(table, columns=["a", "c"], counts="count").rows == 21
    assert read(table, drop=["count", "c"]).rows == 6


def test_a_column_called_none_is_never_one_of_counts():
    table = {**CELLS, "none": [1, 2, 3, 4, 5, 6]}
    assert read(table, counts="none").variables == ("a", "b", "none")


def test_states_of_rows_with_count_zero_are_declared_and_named():
    table = {"a": ["x", "y", "z"], "b": ["u", "v", "u"], "n": [3, 4, 0]}
    data = read(table, counts="n")
    assert data.states[0] == ("x", "y", "z")
    assert data.notes == ("States that never occur, but are declared or have the count 0: a (z).",)
    enum = pl.Series(["x"] * 3 + ["y"] * 4, dtype=pl.Enum(["x", "y", "z"]))
    declared = read(pl.DataFrame({"a": enum, "b": ["u"] * 3 + ["v"] * 4}))
    assert declared.sha256 == data.sha256
    assert declared.notes == data.notes


def test_too_many_values_do_not_hide_the_other_columns(monkeypatch):
    monkeypatch.setattr("chordlearn.data.gathering.MOST_LABELS", 300)
    table = {
        "key": [f"k{number}" for number in range(900)],
        "x": measurements(2, 900),
        "s": ["a", "b", "b"] * 300,
    }
    found = survey(table, discretize="x=quantile:3")
    assert [one["verdict"] for one in found.columns] == ["row identifier", "fine", "fine"]
    assert found.options == {"drop": ["key"], "discretize": "x=quantile:3"}


def test_copies_and_constants():
    table = {"a": [0, 1, 0, 2], "b": ["x", "y", "x", "z"], "c": [1, 1, 0, 0], "d": [0, 0, 1, 1], "k": [7] * 4}
    data = read(table)
    assert copies(data) == [["a", "b"], ["c", "d"]]
    assert constant_columns(data) == ["k"]
    assert survey(table).copies == [["a", "b"], ["c", "d"]]


def test_columns_that_part_only_in_the_last_row() -> None:
    # The first rows distinguish most columns, but not these.
    a = np.arange(10_000) % 5
    table = {"a": a, "b": a + 1, "late": a.copy(), "k": np.zeros(10_000), "l": np.zeros(10_000)}
    table["late"][-1] = (a[-1] + 1) % 5
    table["l"][-1] = 1
    data = read(table)
    assert copies(data) == [["a", "b"]]
    assert constant_columns(data) == ["k"]
