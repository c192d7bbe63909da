"""Damaged files and odd arguments through the command: a documented exit code, one line on stderr."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz import documents
from fuzz.edits import TOKENS, damaged, edits
from fuzz.endurance import assert_one_sentence, endure, examples
from fuzz.readers import json_lines, json_text
from fuzz.values import changed, changes

CODES = {0, 2, 3, 4}
REJECTED, NO_NETWORK = 1, 3
BRIEF = "0.05"
"""Seconds for what would otherwise take a while."""
PREFIX = "chordlearn: "


@dataclass(frozen=True)
class Command:
    """Arguments with FILE where the damaged file goes, beside files that are whole."""

    arguments: tuple[str, ...]
    suffix: str
    document: Callable[[], Any]
    write: Callable[[Any], bytes] | None = None
    """None for documents that are no JSON."""

    def __str__(self) -> str:
        return " ".join(self.arguments)


def _json_network() -> Any:
    return json.loads(documents.network().to_json())


def _json_result() -> Any:
    return documents.result().to_dict()


COMMANDS = [
    Command(("learn", "FILE", "--threads", "1", "--missing", "category"),
            ".csv", lambda: documents.csv_tables()[0]),
    Command(("learn", "FILE", "--threads", "1"), ".score", lambda: documents.score_files()[".score"]),
    Command(("learn", "whole.csv", "--resume", "FILE", "--backend", "search", "--threads", "1"), ".json",
            documents.checkpoint, documents.sealed),
    Command(("learn", "wide.csv", "--resume", "FILE", "--time-limit", BRIEF, "--threads", "1"), ".json",
            lambda: documents.wide_checkpoint()["search"], documents.with_search),
    Command(("data", "FILE"), ".parquet", lambda: documents.binary_tables()[0]),
    Command(("verify", "FILE", "whole.csv"), ".json", _json_result, json_text),
    Command(("query", "FILE", "P(a | b=1)"), ".chord.json", _json_network, json_text),
    Command(("query", "FILE", "P(a)", "--data", "table.csv"), ".json", _json_result, json_text),
    Command(("mpe", "FILE", "--given", "b=1"), ".chord.json", _json_network, json_text),
    Command(("edges", "FILE", "--data", "table.csv", "--threads", "1"),
            ".chord.json", _json_network, json_text),
    Command(("compare", "FILE", "whole.chord.json"), ".chord.json", _json_network, json_text),
    Command(("compare", "whole.chord.json", "FILE"), ".json", _json_result, json_text),
    Command(("export", "FILE", "it.bif"), ".chord.json", _json_network, json_text),
    Command(("sample", "FILE", "-n", "3", "--seed", "1"), ".chord.json", _json_network, json_text),
    Command(("evaluate", "whole.chord.json", "FILE"), ".csv", lambda: b"a,b,\"c, d\"\nx,0,u\ny,,v\n"),
    Command(("impute", "whole.chord.json", "FILE", "-o", "it.csv", "--force"),
            ".csv", lambda: b"a,b,\"c, d\"\nx,0,u\ny,,v\n"),
    Command(("decode", "model.wcnf", "FILE"),
            ".txt", lambda: b"c it\ns OPTIMUM FOUND\nv 1 -2 -3 4 5 6 0\n"),
    Command(("table1", "--show", "FILE"), ".jsonl",
            lambda: [json.loads(line) for line in documents.records().splitlines()], json_lines),
]  # fmt: skip
SLOW_COMMANDS = [
    Command(("plot", "FILE", "-o", "it.svg"), ".jsonl",
            lambda: [json.loads(line) for line in documents.trace().splitlines()], json_lines),
    Command(("plot", "FILE", "-o", "it.svg"), ".chord.json", _json_network, json_text),
    Command(("plot", "FILE", "-o", "it.svg", "--kind", "heatmap"),
            ".json", lambda: documents.FREQUENCIES, json_text),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    (folder / "whole.csv").write_bytes(documents.csv_tables()[0])
    (folder / "table.csv").write_bytes(documents.as_csv(documents.TABLE))
    (folder / "wide.csv").write_bytes(documents.as_csv(documents.wide_table()))
    documents.network().save(folder / "whole.chord.json")
    (folder / "model.wcnf.map.json").write_text(json.dumps(documents.model_map()))
    return folder


def call(folder: Path, arguments: Sequence[str]) -> tuple[int, str, str]:
    """Run the command in this process."""
    from chordlearn.cli.app import run

    shown, told = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    before = Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(shown), redirect_stderr(told):
            code = run(arguments)
    finally:
        os.chdir(before)
    texts = []
    for stream in (shown, told):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return code, texts[0], texts[1]


def assert_told(code: int, told: str, *, may_reject: bool = False) -> None:
    assert code in CODES | ({REJECTED} if may_reject else set()), told
    lines = told.splitlines()
    assert "which is a defect" not in told, told
    if code in (0, REJECTED):
        assert all(line.startswith(PREFIX) for line in lines if line), told
        return
    sentences = [line for line in lines if line.startswith(PREFIX)]
    assert len(sentences) == 1 == len(lines), told
    assert_one_sentence(sentences[0].removeprefix(PREFIX))


@cache
def run_on_whole(command: Command, folder: Path) -> tuple[int, str, str]:
    """Once: what a command loads and keeps when it is first run is not counted against a damaged file."""
    document = command.document()
    file = folder / f"whole-one{command.suffix}"
    file.write_bytes(document if command.write is None else command.write(document))
    arguments = [file.name if argument == "FILE" else argument for argument in command.arguments]
    # A busy machine may need longer to read the table.
    for seconds in (BRIEF, "0.5", "5", "50"):
        ended = call(folder, [seconds if argument == BRIEF else argument for argument in arguments])
        if ended[0] != NO_NETWORK:
            break
    return ended


def run_on(command: Command, folder: Path, content: bytes) -> None:
    run_on_whole(command, folder)
    file = folder / f"damaged{command.suffix}"
    file.write_bytes(content)
    arguments = [file.name if argument == "FILE" else argument for argument in command.arguments]
    code, _, told = endure(lambda: call(folder, arguments))
    assert_told(code, told, may_reject=command.arguments[0] == "verify")


def damage_to(data: st.DataObject, command: Command) -> bytes:
    document = command.document()
    if command.write is None:
        return damaged(document, data.draw(edits))
    return command.write(changed(document, data.draw(changes)))


@pytest.mark.parametrize("command", [*COMMANDS, *SLOW_COMMANDS], ids=str)
def test_whole_files(command: Command, folder: Path) -> None:
    code, _, told = run_on_whole(command, folder)
    assert code in (0, REJECTED), told


@pytest.mark.parametrize("command", COMMANDS, ids=str)
@examples(15)
@given(data=st.data())
def test_damaged_files(command: Command, folder: Path, data: st.DataObject) -> None:
    run_on(command, folder, damage_to(data, command))


@pytest.mark.parametrize("command", SLOW_COMMANDS, ids=str)
@examples(3)
@given(data=st.data())
def test_damaged_files_to_draw(command: Command, folder: Path, data: st.DataObject) -> None:
    run_on(command, folder, damage_to(data, command))


words = st.one_of(
    st.sampled_from([token.decode("utf-8", "replace").replace("\x00", "0") for token in TOKENS]),
    st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=40),
)
OPTIONS = (
    ("learn", "whole.csv", "--require"), ("learn", "whole.csv", "--forbid"),
    ("learn", "whole.csv", "--columns"),
    ("learn", "whole.csv", "--drop"), ("learn", "whole.csv", "--counts"),
    ("learn", "whole.csv", "--discretize"),
    ("learn", "whole.csv", "--max-clique"), ("learn", "whole.csv", "--seed"), ("learn", "whole.csv", "--ess"),
    ("learn", "whole.csv", "--score", "dirichlet", "--alpha"), ("learn", "whole.csv", "--edge-prior"),
    ("learn", "whole.csv", "--time-limit"), ("learn", "whole.csv", "--memory-limit"),
    ("learn", "whole.csv", "--top"),
    ("learn", "whole.csv", "--save"), ("learn", "whole.csv", "--backend"),
    ("learn", "whole.csv", "--encoding"),
    ("learn",), ("data",), ("encode", "whole.csv", "-o", "m.wcnf", "--set"),
    ("encode", "whole.csv", "-o", "m.wcnf", "--scale"),
    ("query", "whole.chord.json"), ("mpe", "whole.chord.json", "--given"),
    ("sample", "whole.chord.json", "-n"),
    ("sample", "whole.chord.json", "-n", "2", "--given"), ("solvers",), ("verify",), (),
)  # fmt: skip


@examples(150)
@given(option=st.sampled_from(OPTIONS), word=words)
def test_odd_arguments(folder: Path, option: tuple[str, ...], word: str) -> None:
    code, _, told = endure(lambda: call(folder, [*option, word]))
    assert_told(code, told)


@pytest.mark.parametrize("command", COMMANDS[:3] + COMMANDS[5:8], ids=str)
@examples(1)
@given(data=st.data())
def test_as_users_start_it(command: Command, command_path: str, folder: Path, data: st.DataObject) -> None:
    file = folder / f"damaged{command.suffix}"
    file.write_bytes(damage_to(data, command))
    arguments = [file.name if argument == "FILE" else argument for argument in command.arguments]
    done = subprocess.run([command_path, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    assert_told(done.returncode, done.stderr, may_reject=command.arguments[0] == "verify")


@pytest.fixture
def command_path(command: Command, request: pytest.FixtureRequest) -> str:
    import sysconfig

    return str(Path(sysconfig.get_path("scripts")) / "chordlearn")
