"""Every kind of wrong input: one sentence on stderr, the right exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from endings import ends_well

GOOD = "a,b,c\n" + "x,0,u\ny,1,v\nx,1,u\ny,0,u\n" * 5


def assert_one_sentence(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert done.returncode == code, done.stderr
    sentence = done.stderr.strip()
    assert sentence.startswith("chordlearn: ")
    assert ends_well(sentence)
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    for word in words:
        assert word in sentence


FILES = {
    "empty": ("", [], ["empty"]),
    "header only": ("a,b\n", [], ["row"]),
    "ragged": ("a,b\n1,2\n1\n", [], []),
    "missing values": ("a,b\n1,?\n0,2\n", [], ["--missing", "b"]),
    "every row its own state": (
        "id,a\n" + "".join(f"p{i},{i % 2}\n" for i in range(200)),
        [],
        ["id", "--drop"],
    ),
    "continuous": ("w,a\n" + "".join(f"{i * 0.37 + 0.01 * i * i},{i % 2}\n" for i in range(200)), [], ["w"]),
    "duplicate names": ("a,a\n1,2\n2,1\n", [], ["a"]),
    "unknown column": (GOOD, ["--columns", "a,nonsense"], ["nonsense"]),
    "unknown column dropped": (GOOD, ["--drop", "nonsense"], ["nonsense"]),
    "unknown column of counts": (GOOD, ["--counts", "nonsense"], ["nonsense"]),
    "counts that are no numbers": (GOOD, ["--counts", "a"], ["a"]),
    "unbalanced quotes": (GOOD, ["--columns", 'a,"b'], ["--columns"]),
    "unknown way with missing values": (GOOD, ["--missing", "guess"], ["category"]),
    "unknown discretisation": (GOOD, ["--discretize", "magic:3"], ["quantile"]),
    "unknown score": (GOOD, ["--score", "nonsense"], ["nonsense", "bdeu"]),
    "negative sample size": (GOOD, ["--ess", "-1"], []),
    "parameter of another score": (GOOD, ["--score", "bic", "--alpha", "1"], ["alpha"]),
    "edge of one variable": (GOOD, ["--require", "a"], ["--require A,B"]),
    "edge to itself": (GOOD, ["--require", "a,a"], ["two different"]),
    "edge to nowhere": (GOOD, ["--forbid", "a,nonsense"], ["nonsense"]),
    "required and forbidden": (GOOD, ["--require", "a,b", "--forbid", "b,a"], ["both"]),
    "contradiction": (
        GOOD,
        ["--require", "a,b", "--require", "b,c", "--require", "a,c", "--max-clique", "2"],
        [],
    ),
    "cliques of nothing": (GOOD, ["--max-clique", "0"], ["--max-clique"]),
    "no time": (GOOD, ["--time-limit", "-1"], ["--time-limit"]),
    "time that is no number": (GOOD, ["--time-limit", "nan"], ["--time-limit"]),
    "memory that is no number": (GOOD, ["--memory-limit", "lots"], ["--memory-limit"]),
    "unknown option": (GOOD, ["--nonsense"], ["--nonsense", "--help"]),
    "unknown suffix": (GOOD, ["--save", "network.xyz"], [".graphml"]),
    "folder that is not there": (GOOD, ["--json", "nowhere/result.json"], ["nowhere"]),
    "folder as a file": (GOOD, ["--json", "."], ["folder"]),
}


IN_A_PROCESS_OF_ITS_OWN = {"empty", "ragged", "missing values", "every row its own state", "contradiction"}


@pytest.mark.parametrize("kind", FILES)
def test_wrong_table_or_option(kind: str, run, call, tmp_path: Path) -> None:
    text, options, words = FILES[kind]
    (tmp_path / "table.csv").write_text(text)
    done = (run if kind in IN_A_PROCESS_OF_ITS_OWN else call)("learn", "table.csv", *options)
    assert_one_sentence(done, 2, *words)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["learn", "absent.csv"], 2, ["absent.csv"]),
        (["learn", "hart"], 2, ["heart"]),
        (["learn"], 2, ["DATA", "--help"]),
        (["lern", "heart"], 2, ["lern"]),
        (["learn", "heart", "--backend", "nonsense"], 4, ["nonsense", "native"]),
        (["verify", "absent.json"], 2, ["absent.json"]),
        (["score", "heart", "-o", "heart.nonsense"], 2, []),
        (["data", "absent.csv"], 2, ["absent.csv"]),
        (["learn", "."], 2, []),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_call(arguments: list[str], code: int, words: list[str], call) -> None:
    done = call(*arguments)
    assert_one_sentence(done, code, *words)
    assert done.stdout == ""


@pytest.mark.parametrize("word", ["[" * 5000, "[ " * 2500], ids=["one word", "many words"])
@pytest.mark.parametrize(
    ("option", "code", "end"),
    [
        ("--max-clique", 2, "--help."),
        ("--threads", 2, "--help."),
        ("--encoding", 2, "."),
        ("--backend", 4, "."),
        ("--columns", 2, "."),
    ],
)
def test_a_long_argument_is_not_repeated_whole(option: str, code: int, end: str, word: str, call) -> None:
    done = call("learn", "heart", option, word)
    assert_one_sentence(done, code)
    assert done.stderr.rstrip().endswith(end)
    assert len(done.stderr) < 1100


def test_binary_garbage(call, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(bytes(range(256)) * 10)
    assert_one_sentence(call("learn", "table.csv"), 2)
    (tmp_path / "table.parquet").write_bytes(bytes(range(256)) * 10)
    assert_one_sentence(call("learn", "table.parquet"), 2)


def test_truncated_score_file(run, call, tmp_path: Path) -> None:
    assert call("score", "heart", "-o", "heart.score").returncode == 0
    whole = (tmp_path / "heart.score").read_text()
    (tmp_path / "cut.score").write_text(whole[: len(whole) // 2])
    assert_one_sentence(run("learn", "cut.score"), 2, "cut.score")


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_verify_what_is_no_json_object(text: str, call, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    assert_one_sentence(call("verify", "result.json", "heart"), 2, "result.json")


@pytest.mark.parametrize("text", ['{"schema": "other"}', '{"schema": "chordlearn/result@1"}'])
def test_verify_what_is_no_result(text: str, call, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    done = call("verify", "result.json", "heart")
    assert done.returncode == 1
    assert "rejected" in done.stdout
    assert done.stderr == ""


def test_constant_column_is_fine(call, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b,c\n1,x,0\n1,y,1\n1,x,0\n")
    done = call("learn", "table.csv")
    assert done.returncode == 0, done.stderr
    assert "optimal" in done.stdout


def test_ten_thousand_states(call, tmp_path: Path) -> None:
    rows = "".join(f"s{i},{i % 2},{i % 3}\n" for i in range(10_000)) * 3
    (tmp_path / "table.csv").write_text("many,b,c\n" + rows)
    done = call("learn", "table.csv")
    if done.returncode:
        assert_one_sentence(done, 2, "many")
    else:
        assert "optimal" in done.stdout


def test_odd_names(call, tmp_path: Path) -> None:
    header = '"a, b","say ""hi""","[bold]x[/bold]","größe <&> \\n"'
    (tmp_path / "table.csv").write_text(header + "\n" + "0,0,0,0\n1,1,1,0\n0,0,1,1\n1,1,0,1\n" * 9)
    done = call(
        "learn", "table.csv", "--require", '"a, b","[bold]x[/bold]"', "--save", "g.graphml", "--save", "g.dot"
    )
    assert done.returncode == 0, done.stderr
    for name in ("a, b", 'say "hi"', "[bold]x[/bold]", "größe <&> \\n"):
        assert name in done.stdout


def test_full_disk_costs_only_the_file(run, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    done = run("learn", "heart", "--json", "/dev/full", "--save", "network.dot")
    assert_one_sentence(done, 2, "/dev/full", "No space left")
    assert "-6732.459258" in done.stdout
    assert "smoke" in (tmp_path / "network.dot").read_text()


@pytest.mark.parametrize(
    "arguments", [["learn", "heart"], ["learn", "heart", "--json", "-"], ["data"], ["--version"]]
)
def test_full_disk_behind_stdout(arguments: list[str], run) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        assert_one_sentence(run(*arguments, stdout=full), 2, "No space left")


def test_trace_on_a_full_disk(run) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    done = run("learn", "heart", "--trace", "/dev/full")
    assert_one_sentence(done, 2, "/dev/full")
    assert "-6732.459258" in done.stdout


def test_reader_that_goes_away(run) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run("learn", "heart", stdout=writing)
    os.close(writing)
    assert done.stderr == ""


def test_write_protected_folder(run, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (tmp_path / "locked").mkdir(mode=0o500)
    assert_one_sentence(run("learn", "heart", "--json", "locked/r.json"), 2, "locked")
