from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.errors import ChordlearnError, InputError, TooLargeError
from chordlearn.scores import ScoreTable, is_score_file, read_scores, write_scores
from scores.score_reference import SHARED

SUFFIXES = [".score", ".dmst", ".jkl", ".scores"]
NAMELESS = {".score", ".dmst", ".jkl"}


def make_table(values, max_size, variables=None):
    values = np.array(values, dtype=float)
    n = len(values).bit_length() - 1
    values[np.bitwise_count(np.arange(1 << n)) > max_size] = -np.inf
    values[0] = 0.0
    return ScoreTable(tuple(variables or (f"x{i}" for i in range(n))), values, max_size)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 4))
    numbers = st.one_of(st.floats(-1e9, 1e6), st.just(-np.inf))
    values = draw(st.lists(numbers, min_size=1 << n, max_size=1 << n))
    names = draw(
        st.lists(st.text(st.characters(codec="utf-8"), max_size=5), min_size=n, max_size=n, unique=True)
    )
    return make_table(values, draw(st.integers(1, n)), names)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("suffix", [".score", ".dmst", ".scores"])
@settings(deadline=None, max_examples=30)
@given(table=tables())
def test_written_and_read_back(tmp_path_factory, suffix, packed, table):
    path = tmp_path_factory.mktemp("scores") / f"table{suffix}{packed}"
    write_scores(table, path)
    back = read_scores(path)
    assert back.max_size == table.max_size
    assert np.array_equal(back.values, table.values)
    if suffix not in NAMELESS:
        assert back.variables == table.variables
    assert (back.rows, back.source, back.function["name"]) == (None, str(path), "file")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@settings(deadline=None, max_examples=40)
@given(table=tables())
def test_local_scores_are_added_up_again(tmp_path_factory, table):
    closed = table.values.copy()
    for mask in range(len(closed)):
        if any(np.isneginf(closed[mask & ~(1 << i)]) for i in range(table.n)):
            closed[mask] = -np.inf
    path = tmp_path_factory.mktemp("scores") / "table.jkl"
    write_scores(ScoreTable(table.variables, closed, table.max_size), path)
    np.testing.assert_allclose(read_scores(path).values, closed, rtol=1e-12, atol=1e-6)


def test_the_hash_is_of_the_content(tmp_path):
    table = make_table(np.arange(8.0), 3)
    paths = [tmp_path / name for name in ("a.score", "b.dmst.gz", "c.scores")]
    for path in paths:
        write_scores(table, path)
    first, *others = [read_scores(path).sha256 for path in paths]
    assert len(first) == 64
    assert all(other == first for other in others)
    write_scores(make_table(np.arange(8.0) + 1e-9, 3), paths[0])
    assert read_scores(paths[0]).sha256 != first


def test_names_with_blanks_survive_in_the_plain_list(tmp_path):
    names = ("next\x85line", "blood pressure", 'the "best"', "#3", "Größe", "plain")
    table = make_table(-np.arange(64.0), 2, names)
    write_scores(table, tmp_path / "t.scores")
    assert read_scores(tmp_path / "t.scores").variables == names
    assert '-6.0 "blood pressure" "the \\"best\\""' in (tmp_path / "t.scores").read_text()


BBMARKOV_EXAMPLE = """3
0 4
-195.673828 2 1 2
-194.647797 1 2
-189.098404 1 1
-193.265869 0
1 4
-517.531555 1 2
-587.681213 1 0
-518.557739 2 0 2
-591.848389 0
2 4
-562.807800 2 0 1
-556.232178 1 1
-631.931213 1 0
-630.549072 0
"""


def write(path, content):
    path.write_text(content)
    return path


def test_local_scores_in_single_precision(tmp_path):
    table = read_scores(write(tmp_path / "example", BBMARKOV_EXAMPLE))
    assert table.variables == ("x0", "x1", "x2")
    assert table["x0", "x2"] == pytest.approx(-825.1970, abs=1e-3)
    assert table["x0", "x1", "x2"] == pytest.approx(-1343.7549, abs=1e-3)


def test_local_scores_with_names_and_few_parents(tmp_path):
    smoke, age = "smoke 3\n-1 0\n-2 1 age\n-3 1 bmi\n", "age 3\n-4 0\n-5 1 smoke\n-4 1 bmi\n"
    content = f"3\n{smoke}{age}bmi 3\n-6 0\n-8 1 smoke\n-6 1 age\n"
    table = read_scores(write(tmp_path / "t.jkl", content))
    assert (table.variables, table.max_size) == (("smoke", "age", "bmi"), 2)
    assert table["smoke", "bmi"] == -9.0
    assert np.isneginf(table.values[7])


def test_all_sets_listed_although_fewer_are_announced(tmp_path):
    table = read_scores(write(tmp_path / "t.score", "2 1\n0\n-1\n-2\n-4\n"))
    assert table.values.tolist() == [0.0, -1.0, -2.0, -np.inf]


def test_the_format_is_known_by_content(tmp_path):
    table = make_table(-np.arange(8.0), 3)
    for suffix in SUFFIXES:
        write_scores(table, tmp_path / f"t{suffix}")
        (tmp_path / f"t{suffix}").rename(tmp_path / "unnamed")
        np.testing.assert_allclose(read_scores(tmp_path / "unnamed").values, table.values)


def test_the_format_can_be_named(tmp_path):
    table = make_table([0.0, -1.0], 1)
    write_scores(table, tmp_path / "t.txt", format="dmst")
    assert read_scores(tmp_path / "t.txt", format="dmst").values.tolist() == [0.0, -1.0]
    with pytest.raises(InputError, match="DMST"):
        write_scores(table, tmp_path / "t.score")
        read_scores(tmp_path / "t.score", format="dmst")
    with pytest.raises(InputError, match="no score file format 'xml'"):
        read_scores(tmp_path / "t.txt", format="xml")
    with pytest.raises(InputError, match="name it with format"):
        write_scores(table, tmp_path / "t.txt")


def test_suffixes():
    assert is_score_file("a/b.score")
    assert is_score_file(Path("b.JKL.GZ"))
    assert not is_score_file("b.csv.gz")


WRONG = {
    "empty": ("t.score", "", "no score file format"),
    "truncated": ("t.score", "2 2\n0\n-1\n-2\n", "its end.*4 scores.*there are 3"),
    "too many": ("t.score", "1 1\n0\n-1\n-2\n", "line 4.*2 scores.*there are 3"),
    "rubbish": ("t.score", "2 2\n0\n-1\nrubbish\n-4\n", "line 4.*'rubbish'"),
    "two on a line": ("t.score", "2 2\n0\n-1 -2\n-3\n-4\n", "line 3.*'-1 -2'"),
    "not a number": ("t.score", "2 2\n0\n-1\nnan\n-4\n", "line 4.*'nan'"),
    "infinite": ("t.score", "2 2\n0\n-1\n\ninf\n-4\n", "line 5.*'inf'"),
    "underscore": ("t.score", "2 2\n0\n-1\n-1_0\n-4\n", "line 4.*'-1_0'"),
    "empty set": ("t.score", "1 1\n-5\n-1\n", "line 2.*empty set has the score -5.0"),
    "no variables": ("t.score", "0 0\n0\n", "line 1.*at least 1"),
    "set too large": ("t.score", "2 3\n0\n-1\n-2\n-3\n", "line 1.*between 1 and 2"),
    "dmst head": ("t.dmst", "DMST\n2\n", "its end.*head"),
    "dmst kind": ("t.dmst", "DMST\n1\nlocal_scores\ncolex_order 1\n0\n-1\n", "line 3.*subset_scores"),
    "dmst order": ("t.dmst", "DMST\n1\nsubset_scores\nlex_order 1\n0\n-1\n", "line 4.*colex_order"),
    "dmst number": ("t.dmst", "DMST\nx\nsubset_scores\ncolex_order 1\n0\n-1\n", "line 2.*'x'"),
    "dmst size": ("t.dmst", "DMST\n1\nsubset_scores\ncolex_order 2\n0\n-1\n", "line 4.*between"),
    "cussens cut": ("t.jkl", "2\n0 2\n-1 0\n-2 1 1\n", "its end.*only 1"),
    "cussens cut in block": ("t.jkl", "2\n0 2\n-1 0\n-2 1 1\n1 2\n-1 0\n", "its end.*missing"),
    "cussens surplus": ("t.jkl", "1\n0 1\n-1 0\nmore\n", "line 4.*after the last"),
    "cussens pruned": ("t.jkl", "2\n0 2\n-1 0\n-2 1 1\n1 1\n-1 0\n", "1 lacks its score for the parents 0"),
    "cussens head": ("t.jkl", "2\n0 2\n-1 0\n-2 1 1\n-1 0 1\n", "line 5.*name of a variable"),
    "cussens twice": ("t.jkl", "2\n0 1\n-1 0\n0 1\n-1 0\n", "line 4.*second time"),
    "cussens same parents": ("t.jkl", "1\n0 2\n-1 0\n-1 0\n", "line 4.*second time"),
    "cussens unknown parent": ("t.jkl", "1\n0 1\n-1 1 7\n", "line 3.*no variable 7"),
    "cussens own parent": ("t.jkl", "1\n0 1\n-1 1 0\n", "line 3.*own parent"),
    "cussens parents": ("t.jkl", "1\n0 1\n-1 2 0\n", "line 3.*2 different parents"),
    "cussens score": ("t.jkl", "1\n0 1\nnan 0\n", "line 3.*'nan'"),
    "cussens inconsistent": ("t.jkl", "2\n0 2\n-1 0\n-5 1 1\n1 2\n-1 0\n-2 1 0\n", "add up to"),
    "plain without empty set": ("t.scores", "-1 a\n-2 b\n-3 a b\n", r"set \{\} is missing"),
    "plain empty set": ("t.scores", "3\n-1 a\n", "line 1.*must have 0"),
    "plain missing": ("t.scores", "0\n-1 a\n-2 b\n-2 c\n-3 a b\n-3 b c\n", r"set \{a, c\} is missing"),
    "plain cut": (
        "t.scores",
        "# 2 variables, sets of at most 2\n0\n-1 a\n-2 b\n",
        "not what the file's head says",
    ),
    "plain twice": ("t.scores", "0\n-1 a\n-2 a\n", "line 3.*"),
    "plain repeated": ("t.scores", "0\n-1 a\n-2 b\n-3 a b\n-3 b a\n", "line 5.*second time"),
    "plain same": ("t.scores", "0\n-1 a\n-2 a a\n", "line 3.*twice"),
    "plain unknown": ("t.scores", "0\n-1 a\n-2 a z\n", "line 3.*'z'"),
    "plain score": ("t.scores", "0\n-1 a\nx b\n", "line 3.*'x'"),
    "plain quote": ("t.scores", '0\n-1 "a\n', "line 2.*quote"),
    "plain escape": ("t.scores", '0\n-1 "\\q"\n', "line 2.*JSON"),
    "plain nothing": ("t.scores", "# nothing\n", "at least 1"),
    "text": ("t.data", "Hello world\n", "no score file format"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files(tmp_path, case):
    name, content, message = WRONG[case]
    with pytest.raises(InputError, match=message) as caught:
        read_scores(write(tmp_path / name, content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(deadline=None, max_examples=60)
@given(cut=st.integers(0, 200), extra=st.binary(max_size=4))
def test_damaged_files_give_an_error_or_a_table(tmp_path_factory, suffix, cut, extra):
    path = tmp_path_factory.mktemp("scores") / f"t{suffix}"
    write_scores(make_table(-np.arange(8.0), 2), path)
    content = path.read_bytes()
    path.write_bytes(content[:cut] + extra + content[cut + 2 :])
    try:
        assert not np.isnan(read_scores(path).values).any()
    except ChordlearnError as error:
        assert str(path) in str(error)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_scores(tmp_path / "absent.score")
    with pytest.raises(InputError, match="cannot be read"):
        read_scores(tmp_path)
    (tmp_path / "binary.score").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a text file"):
        read_scores(tmp_path / "binary.score")
    (tmp_path / "cut.score.gz").write_bytes(gzip.compress(b"1 1\n0\n-1\n")[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        read_scores(tmp_path / "cut.score.gz")
    with pytest.raises(InputError, match="cannot be written"):
        write_scores(make_table([0.0, -1.0], 1), tmp_path / "no" / "folder.score")
    with pytest.raises(TooLargeError, match="60 variables"):
        read_scores(write(tmp_path / "large.score", "60 2\n0\n"))


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.score"
    write_scores(make_table([0.0, -1.0], 1), path)
    broken = ScoreTable(("a", "b"), np.array([0.0, 1.0]), 2)
    with pytest.raises(IndexError):
        write_scores(broken, path)
    assert read_scores(path).values.tolist() == [0.0, -1.0]
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.score"]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared score files are not here")
@pytest.mark.parametrize(("name", "n"), [("nursery", 9), ("bridges", 12), ("flare", 13)])
def test_the_files_of_junctors_authors(name, n):
    table = read_scores(SHARED / "scores" / f"{name}.score")
    assert (table.n, table.max_size, table.values[0]) == (n, n, 0.0)
    assert np.isfinite(table.values).all()
