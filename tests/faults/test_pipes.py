"""Pipes as outputs and inputs: nothing waits for ever, and SIGTERM ends what waits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "chordlearn"]
HANGS = 120


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("option", ["--json", "--trace"])
def test_pipe_that_nobody_reads_is_refused(pipe: Path, option: str) -> None:
    run = subprocess.run(
        [*COMMAND, "learn", "heart", option, str(pipe)], capture_output=True, text=True, timeout=HANGS
    )
    assert run.returncode == 2
    assert run.stderr.startswith(f"chordlearn: {pipe} cannot be written: it is a pipe that nobody reads; ")


def test_pipe_with_a_reader_gets_everything(pipe: Path) -> None:
    network, copy = pipe.with_name("heart.chord.json"), pipe.with_name("copy.csv")
    subprocess.run([*COMMAND, "learn", "heart", "--save", str(network)], check=True, capture_output=True)
    with copy.open("wb") as file, subprocess.Popen(["cat", str(pipe)], stdout=file):
        subprocess.run([*COMMAND, "sample", str(network), "-n", "30000", "-o", str(pipe)], check=True)
    assert len(copy.read_text().splitlines()) == 30_001


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_full_pipe_does_not_keep_a_process(pipe: Path, number: signal.Signals) -> None:
    """A reader that does not read; more is written than a pipe holds."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    filler = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(BlockingIOError):
            while True:
                os.write(filler, b"x" * 65536)
        command = [*COMMAND, "score", "heart", "--format", "plain", "-o", str(pipe)]
        writer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        wait_until_open(writer, pipe)
        writer.send_signal(number)
        _, said = writer.communicate(timeout=HANGS)
        assert writer.returncode == 130
        assert said.startswith("chordlearn: ")
        assert said.count("\n") == 1
    finally:
        os.close(reader)
        os.close(filler)


def wait_until_open(process: subprocess.Popen[str], path: Path) -> None:
    while process.poll() is None:
        for handle in Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if handle.readlink() == path:
                    return
        time.sleep(0.05)


def test_pipe_that_nobody_writes_to_is_left_on_sigterm(pipe: Path) -> None:
    reader = subprocess.Popen([*COMMAND, "data", str(pipe)], stderr=subprocess.PIPE, text=True)
    writer = os.open(pipe, os.O_WRONLY)  # Waits for the reader.
    try:
        reader.send_signal(signal.SIGTERM)
        _, said = reader.communicate(timeout=HANGS)
        assert reader.returncode == 130
        assert said == "chordlearn: Interrupted before there was a network.\n"
    finally:
        os.close(writer)
