"""Two writers of one file, and writers that are killed: what is there is always one whole file."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from chordlearn.network.result import Result
from chordlearn.system.files import Lines, write_whole
from faults.running import Running

CONTENTS = {letter: letter * size for letter, size in (("a", 3_000_000), ("b", 10), ("c", 1_000_000))}
WRITES_ON = """
import sys
from pathlib import Path
from chordlearn.system.files import write_whole
print("ready", flush=True)
while True:
    for letter, size in (("a", 3_000_000), ("b", 10), ("c", 1_000_000)):
        write_whole(Path(sys.argv[1]), letter * size)
"""


def is_whole(path: Path) -> bool:
    text = path.read_text()
    return CONTENTS.get(text[:1]) == text


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda number: number.name)
def test_killed_at_random_moments(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "file"
    rng = random.Random(int(number))
    for _ in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITES_ON, str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.05))
        process.send_signal(number)
        process.communicate(timeout=300)
        assert not path.exists() or is_whole(path)
        for other in set(tmp_path.iterdir()) - {path}:
            # One that is killed between the two steps that put a whole file in its place leaves that file.
            assert number == signal.SIGKILL and other.suffix == ".part" and is_whole(other)
            other.unlink()


def test_threads_that_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, CONTENTS["b"])
    stop = threading.Event()
    failures: list[BaseException] = []

    def write(letter: str) -> None:
        try:
            while not stop.is_set():
                write_whole(path, CONTENTS[letter])
        except BaseException as failure:
            failures.append(failure)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in CONTENTS]
    for writer in writers:
        writer.start()
    for _ in range(100):
        assert is_whole(path)
    stop.set()
    for writer in writers:
        writer.join()
    assert not failures
    assert [other.name for other in tmp_path.iterdir()] == ["file"]


def test_two_runs_that_write_the_same_files(tmp_path: Path) -> None:
    outputs = ["--json", "r.json", "--save", "n.chord.json", "--report", "r.html", "--trace", "t.jsonl"]
    runs = [Running(tmp_path, ["learn", name, *outputs]) for name in ("heart", "econ")]
    assert [running.end().code for running in runs] == [0, 0]
    assert Result.load(tmp_path / "r.json").status == "optimal"
    assert json.loads((tmp_path / "n.chord.json").read_text())["schema"] == "chordlearn/network@1"
    assert (tmp_path / "r.html").read_text().rstrip().endswith("</html>")
    assert runs[0].files() == {"r.json", "n.chord.json", "r.html", "t.jsonl"}
    for line in (tmp_path / "t.jsonl").read_text().splitlines():
        json.loads(line)


def test_two_runs_that_write_the_same_checkpoint(tmp_path: Path) -> None:
    arguments = ["learn", "econ", "--backend", "search", "--checkpoint", "c.json"]
    runs = [Running(tmp_path, [*arguments, "--seed", str(seed)]) for seed in (1, 2)]
    assert [running.end().code for running in runs] == [0, 0]
    again = Running(tmp_path, [*arguments, "--resume", "c.json", "--json", "r.json"]).end()
    assert again.code == 0, again.err


def test_a_line_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "lines"
    lines = Lines(path)
    lines.add("first")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            lines.add("x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    lines.add("second")
    lines.close()
    assert path.read_text() == "first\nsecond\n"


def test_an_old_file_stays_until_there_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("old")
    lines = Lines(path)
    assert path.read_text() == "old"
    lines.close()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["lines"]  # noqa: PTH208
