"""Full disks and read-only folders: one sentence, a non-zero exit code, and the old file as it was."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from chordlearn.cli.app import run
from faults.conftest import BadPlace

NETWORK = "network.chord.json"
RESULT = "result.json"
GAPS = "gaps.csv"
LEARN = ("learn", "heart")
WRITERS: dict[str, tuple[str, ...]] = {
    "json": (*LEARN, "--json", "{out}.json"),
    **{
        f"save {suffix}": (*LEARN, "--save", f"{{out}}{suffix}")
        for suffix in (
            ".json",
            ".chord.json",
            ".graphml",
            ".dot",
            ".csv",
            ".bif",
            ".xmlbif",
            ".uai",
            ".net",
        )
    },
    "report": (*LEARN, "--report", "{out}.html"),
    "trace": (*LEARN, "--trace", "{out}.jsonl"),
    "checkpoint": (*LEARN, "--backend", "search", "--checkpoint", "{out}.json"),
    **{
        f"score {suffix}": ("score", "heart", "-o", f"{{out}}{suffix}")
        for suffix in (".score", ".score.gz", ".dmst", ".cussens", ".scores")
    },
    **{
        f"encode {suffix}": ("encode", "heart", "-o", f"{{out}}{suffix}")
        for suffix in (".wcnf", ".opb", ".smt2", ".lp", ".mps")
    },
    "export": ("export", NETWORK, "{out}.bif"),
    "sample csv": ("sample", NETWORK, "-n", "50", "--seed", "1", "-o", "{out}.csv"),
    "sample parquet": ("sample", NETWORK, "-n", "50", "--seed", "1", "-o", "{out}.parquet"),
    "sample json": ("sample", NETWORK, "-n", "5", "--json", "{out}.json"),
    "impute": ("impute", NETWORK, GAPS, "-o", "{out}.csv"),
    "query": ("query", NETWORK, "P(smoke)", "--json", "{out}.json"),
    "evaluate": ("evaluate", NETWORK, "heart", "--json", "{out}.json"),
    "edges": ("edges", NETWORK, "--json", "{out}.json"),
    "plot": ("plot", RESULT, "-o", "{out}.svg"),
    "journal": ("bootstrap", "heart", "--samples", "3", "--journal", "{out}.jsonl"),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    assert run(["learn", "heart", "--save", str(folder / NETWORK), "--json", str(folder / RESULT)]) == 0
    (folder / GAPS).write_text("smoke,mental,phys,systol,protein,family\ny,?,n,y,n,y\n" * 1)
    return folder


def call_writer(
    writer: str, place: BadPlace, inputs: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, dict[str, bytes]]:
    """Exit code, stderr, and the files that changed; an old one lies where the new one goes."""
    arguments = [word.format(out=place.folder / "out") for word in WRITERS[writer]]
    written = Path(next(word for word in arguments if word.startswith(str(place.folder))))
    if writer != "journal":
        written.write_bytes(b"old")
        arguments.append("--force")
    old = {path.name: path.read_bytes() for path in place.folder.iterdir()}
    capsys.readouterr()
    with contextlib.chdir(inputs), place.spoilt():
        code = run(arguments)
    found = {path.name: path.read_bytes() for path in place.folder.iterdir()}
    changed = {name: content for name, content in found.items() if old.get(name) != content}
    assert old.keys() <= found.keys()
    return code, capsys.readouterr().err, changed


@pytest.mark.parametrize("writer", WRITERS)
def test_full_disk(
    writer: str, full_disk: BadPlace, inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(writer, full_disk, inputs, capsys)


@pytest.mark.parametrize("writer", WRITERS)
def test_read_only_folder(
    writer: str, read_only: BadPlace, inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refused(writer, read_only, inputs, capsys)


def check_refused(writer: str, place: BadPlace, inputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told, changed = call_writer(writer, place, inputs, capsys)
    assert code == 2, told
    assert not changed
    assert told.count("\n") == 1
    assert told.startswith(f"chordlearn: {place.folder}/out")
    assert place.reason in told or "write-protected" in told


@pytest.mark.parametrize("writer", WRITERS)
def test_elsewhere_it_is_written(
    writer: str, good_place: BadPlace, inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told, changed = call_writer(writer, good_place, inputs, capsys)
    assert (code, told) == (0, "")
    assert all(name.startswith("out") and content for name, content in changed.items())
    assert changed


def test_a_network_is_not_lost_with_one_of_its_files(
    full_disk: BadPlace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost, kept = full_disk.folder / "lost.json", tmp_path / "kept.json"
    if full_disk.reason != "No space left":
        pytest.skip("no small disk can be mounted here")
    with full_disk.spoilt():
        code = run(["learn", "heart", "--json", str(lost), "--save", str(kept)])
    assert code == 2
    assert "optimal" in capsys.readouterr().out
    assert kept.stat().st_size > 1000
    assert not lost.exists()
