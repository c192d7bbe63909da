"""Every reader of whole files stops where there is no room, and none is blown up by a few packed bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.certificate.results.document import read_document
from chordlearn.encodings.mapping import read_map
from chordlearn.errors import InputError
from chordlearn.pipeline.checkpoints import read_checkpoint
from chordlearn.report.pictures.plotting import read_edge_numbers
from chordlearn.report.pictures.trace import read_trace
from chordlearn.report.table1 import read_records
from chordlearn.scores import read_scores
from chordlearn.system import files as contents

READERS: dict[str, Callable[[Path], Any]] = {
    "a score file": read_scores,
    "a network": cl.FittedNetwork.load,
    "a result": cl.Result.load,
    "a result to verify": read_document,
    "a checkpoint": read_checkpoint,
    "a trace": read_trace,
    "records": read_records,
    "the map of an encoding": read_map,
}


def bomb(path: Path, megabytes: int) -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(megabytes):
            file.write(b"a b c\n" * (1 << 20) * 1)
    return path


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 100 MB in 300 kB."""
    path = bomb(tmp_path_factory.mktemp("trap") / "file.gz", 17)
    assert path.stat().st_size < 1_000_000
    return path


@pytest.mark.parametrize("kind", READERS)
def test_a_trap_is_refused_in_a_sentence(trap: Path, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        READERS[kind](trap)
    assert f"holds more than {contents.LARGEST_SMALL / 1e6:.0f} MB" in str(caught.value)


def test_a_bootstrap_that_is_a_trap_is_refused(trap: Path) -> None:
    with pytest.raises(InputError, match="is damaged"):
        read_edge_numbers(trap, "bootstrap")


@pytest.mark.parametrize("kind", [kind for kind in READERS if kind != "the map of an encoding"])
def test_a_file_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(contents, "LARGEST_BYTES", 1 << 23)
    with pytest.raises(InputError, match="holds more than 8 MB"):
        READERS[kind](Path("/dev/zero"))


def test_what_is_packed_well_but_small_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a" * 10_000_000))
    assert contents.read_whole(path) == b"a" * 10_000_000


def test_a_gzipped_result_is_read_as_a_plain_one(tmp_path: Path) -> None:
    result = cl.learn("heart")
    path = tmp_path / "result.json.gz"
    path.write_bytes(gzip.compress(result.to_json().encode()))
    assert cl.Result.load(path).cliques == result.cliques
    assert cl.verify(path).ok
    assert json.loads(contents.read_whole(path)) == json.loads(result.to_json())


def test_a_cut_off_gzip_file_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "a.score.gz"
    path.write_bytes(gzip.compress(b"1 2 3\n" * 1000)[:20])
    with pytest.raises(InputError, match="damaged or was cut off"):
        read_scores(path)
