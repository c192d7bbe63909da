"""No output replaces an input, another output, or a file of somebody else."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.report.html import write_report
from chordlearn.report.outputs import KINDS, kind_of
from chordlearn.scores import write_scores

ROWS = "a,b,c\n" + "x,0,u\ny,1,u\nx,1,v\ny,0,v\nx,0,u\n" * 6
NOTES = "what nobody may lose\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, and what commands made of it."""
    from chordlearn.cli.app import run

    folder = tmp_path_factory.mktemp("made")
    (folder / "in.csv").write_text(ROWS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["learn", "in.csv", "--json", "r.json", "--save", "n.chord.json"]) == 0
        assert run(["encode", "in.csv", "-o", "m.wcnf"]) == 0
    (folder / "answer.txt").write_text("s OPTIMUM FOUND\nv " + "0" * 200 + "\n")
    (folder / "plan.toml").write_text('data = ["in.csv"]\nsolvers = ["cp:cp-sat"]\n')
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy of that in the folder where `call` runs."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """All that is in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_refused(call: Callable, folder: Path, *arguments: str, because: str = "is an input") -> str:
    """One sentence, exit code 2, and nothing touched."""
    before = contents(folder)
    done = call(*arguments)
    assert done.returncode == 2, done
    assert because in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert contents(folder) == before
    return done.stderr


READERS = {
    "learn": ["learn", "in.csv"],
    "score": ["score", "in.csv", "--format", "junctor"],
    "encode": ["encode", "in.csv", "--format", "wcnf"],
    "bootstrap": ["bootstrap", "in.csv", "--samples", "2"],
    "posterior": ["posterior", "in.csv", "--samples", "2"],
    "evaluate": ["evaluate", "n.chord.json", "in.csv"],
    "impute": ["impute", "n.chord.json", "in.csv"],
    "compare": ["compare", "n.chord.json", "r.json", "--data", "in.csv"],
    "edges": ["edges", "n.chord.json", "--data", "in.csv"],
    "query": ["query", "r.json", "P(a)", "--data", "in.csv"],
    "mpe": ["mpe", "r.json", "--data", "in.csv"],
    "sample": ["sample", "r.json", "--data", "in.csv"],
    "export": ["export", "r.json", "--data", "in.csv"],
    "table1": ["table1", "--config", "plan.toml"],
}
OVER_THE_DATA = [
    *(("learn", flag) for flag in ("--json", "--save", "--checkpoint", "--trace", "--proof")),
    ("score", "-o"),
    ("encode", "-o"),
    ("bootstrap", "--json"),
    ("bootstrap", "--journal"),
    ("posterior", "--json"),
    ("posterior", "--draws"),
    ("evaluate", "--json"),
    ("evaluate", "--rows"),
    ("impute", "-o"),
    ("sample", "-o"),
    ("export", ""),
    ("table1", "--records"),
    *((name, "--json") for name in ("compare", "edges", "query", "mpe", "sample")),
]


@pytest.mark.parametrize(("name", "flag"), OVER_THE_DATA)
def test_the_data_are_never_an_output(name: str, flag: str, call, place: Path) -> None:
    force = [] if name == "table1" else ["--force"]
    assert_refused(call, place, *READERS[name], *filter(None, [flag]), "in.csv", *force)


@pytest.mark.parametrize(
    ("arguments", "flag", "target"),
    [
        (["decode", "m.wcnf", "answer.txt"], "-o", "answer.txt"),
        (["decode", "m.wcnf", "answer.txt"], "-o", "m.wcnf"),
        (["decode", "m.wcnf", "answer.txt"], "-o", "m.wcnf.map.json"),
        (["query", "n.chord.json", "P(a)"], "--json", "n.chord.json"),
        (["export", "n.chord.json"], "n.bif", "n.chord.json"),
        (["compare", "n.chord.json", "r.json"], "--json", "r.json"),
        # What a result names as its data is read too.
        (["query", "r.json", "P(a)"], "--json", "in.csv"),
        (["edges", "n.chord.json"], "--json", "in.csv"),
        (["learn", "in.csv", "--resume", "r.json"], "--json", "r.json"),
    ],
)
def test_no_other_input_is_an_output(arguments, flag: str, target: str, call, place: Path) -> None:
    assert_refused(call, place, *arguments, flag, target, "--force")


@pytest.mark.parametrize("way", ["relative", "symbolic", "hard", "descriptor", "folder", "absolute"])
def test_links_and_other_names_lead_to_the_same_file(way: str, call, place: Path) -> None:
    (place / "deep").mkdir()
    (place / "elsewhere").symlink_to(place)
    (place / "symbolic.csv").symlink_to("in.csv")
    os.link(place / "in.csv", place / "hard.csv")
    with (place / "in.csv").open("rb") as opened:
        name = {
            "relative": "deep/../in.csv",
            "symbolic": "symbolic.csv",
            "hard": "hard.csv",
            "descriptor": f"/dev/fd/{opened.fileno()}",
            "folder": "elsewhere/in.csv",
            "absolute": str(place / "in.csv"),
        }[way]
        for flag in ("--json", "--trace", "--checkpoint"):
            assert_refused(call, place, "learn", "in.csv", flag, name, "--force")
            if not name.startswith("/dev"):
                assert_refused(call, place, "learn", name, flag, "in.csv", "--force")


def test_a_part_of_a_list_or_a_pattern_is_an_input(call, place: Path) -> None:
    shutil.copy(place / "in.csv", place / "in2.csv")
    for data in (["in.csv", "in2.csv"], ["in*.csv"], ["in.csv:in2.csv"]):
        assert_refused(call, place, "learn", *data, "--trace", "in2.csv", "--force")
    assert_refused(call, place, "learn", "*.csv", "--save", "new.csv", because="fits the pattern")
    assert_refused(call, place, "learn", f"{place}/i*.csv", "--save", "in3.csv", because="fits the pattern")
    assert call("learn", "in*.csv", "--save", "out.csv").returncode == 0


@pytest.mark.parametrize(
    "outputs",
    [
        ["--json", "same.json", "--save", "same.json"],
        ["--json", "same.json", "--checkpoint", "deep/../same.json"],
        ["--trace", "same.json", "--report", "same.html", "--save", "link.json"],
        ["--proof", "same", "--json", "same"],
    ],
)
def test_every_output_has_a_file_of_its_own(outputs: list[str], call, place: Path) -> None:
    (place / "deep").mkdir()
    (place / "link.json").symlink_to("same.json")
    assert_refused(call, place, "learn", "in.csv", *outputs, "--force", because="named for two outputs")


def test_the_map_of_a_model_is_an_output_too(call, place: Path) -> None:
    (place / "new.wcnf.map.json").write_text(NOTES)
    assert_refused(call, place, "encode", "in.csv", "-o", "new.wcnf", because="new.wcnf.map.json is there")


OUTPUTS = [
    (["learn", "in.csv"], "--json", "x.json"),
    (["learn", "in.csv"], "--save", "x.json"),
    (["learn", "in.csv"], "--save", "x.chord.json"),
    *((["learn", "in.csv"], "--save", f"x.{kind}") for kind in ("csv", "graphml", "dot", "bif", "xmlbif")),
    *((["learn", "in.csv"], "--save", f"x.{kind}") for kind in ("uai", "net")),
    (["learn", "in.csv"], "--report", "x.html"),
    (["learn", "in.csv"], "--trace", "x.jsonl"),
    (["learn", "in.csv"], "--checkpoint", "x.ckpt"),
    *((["score", "in.csv"], "-o", f"x.{kind}") for kind in ("score", "jkl", "dmst", "scores", "score.gz")),
    *((["encode", "in.csv"], "-o", f"x.{kind}") for kind in ("wcnf", "opb", "smt2", "lp", "mps")),
    (["encode", "in.csv", "--encoding", "paper"], "-o", "x.lp"),
    (["encode", "in.csv", "--encoding", "elimination"], "-o", "x.mps"),
    (["bootstrap", "in.csv", "--samples", "2"], "--json", "x.json"),
    (["evaluate", "n.chord.json", "in.csv"], "--rows", "x.csv"),
    (["evaluate", "n.chord.json", "in.csv"], "--json", "x.json"),
    (["compare", "n.chord.json", "r.json"], "--json", "x.json"),
    (["edges", "n.chord.json"], "--json", "x.json"),
    (["query", "n.chord.json", "P(a)"], "--json", "x.json"),
    (["mpe", "n.chord.json"], "--json", "x.json"),
    (["sample", "n.chord.json"], "--json", "x.json"),
    (["export", "n.chord.json", "y.bif"], "--json", "x.json"),
    (["impute", "n.chord.json", "in.csv", "-o", "y.csv", "--force"], "--json", "x.json"),
    *((["plot", "n.chord.json"], "-o", f"x.{kind}") for kind in ("png", "svg", "pdf")),
]


@pytest.mark.parametrize(("arguments", "flag", "target"), OUTPUTS)
def test_only_files_of_ours_are_replaced_unless_forced(
    arguments, flag: str, target: str, call, place
) -> None:
    if arguments[0] == "plot":
        pytest.importorskip("matplotlib")
    forced = "--force" in arguments
    (place / target).write_text(NOTES)
    if not forced:
        assert "--force" in assert_refused(
            call, place, *arguments, flag, target, because=f"{target} is there"
        )
        # A file of ours of another kind is no better.
        shutil.copy(place / ("n.chord.json" if target == "x.json" else "r.json"), place / target)
        assert_refused(call, place, *arguments, flag, target, because=f"{target} is there already and is a")
        (place / target).write_bytes(b"")
    for _ in range(2):
        done = call(*arguments, flag, target)
        assert done.returncode == 0, done.stderr
        assert kind_of(place / target) in KINDS
    (place / target).write_text(NOTES)
    assert call(*arguments, flag, target, *([] if forced else ["--force"])).returncode == 0
    assert kind_of(place / target) in KINDS


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["bootstrap", "in.csv", "--samples", "2"], "--journal"),
        (["table1", "--solver", "sat", "--data", "in.csv"], "--records"),
    ],
)
def test_lines_are_added_only_to_files_of_ours(arguments, flag: str, call, place: Path) -> None:
    target = place / "x.jsonl"
    for text in (NOTES, NOTES.strip(), (place / "r.json").read_text()):
        target.write_text(text)
        said = assert_refused(call, place, *arguments, flag, "x.jsonl", because="x.jsonl is there already")
        assert "--force" not in said
    target.write_text("")
    sizes = []
    for _ in range(2):
        done = call(*arguments, flag, "x.jsonl")
        assert done.returncode == 0, done.stderr
        sizes.append(target.stat().st_size)
    assert sizes[0] <= sizes[1]
    assert kind_of(target) in ("journal", "records")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_table_could_be_anyones(suffix: str, call, place: Path) -> None:
    target = f"rows.{suffix}"
    for arguments in (["sample", "n.chord.json"], ["impute", "n.chord.json", "in.csv"]):
        (place / target).unlink(missing_ok=True)
        assert call(*arguments, "-o", target).returncode == 0
        assert_refused(call, place, *arguments, "-o", target, because="data of yours")
        assert call(*arguments, "-o", target, "--force").returncode == 0


def test_a_table_of_zeros_and_ones_is_no_adjacency_matrix(call, place: Path) -> None:
    tables = {
        "more rows": "a,b\n0,1\n1,0\n0,1\n",
        "fewer rows": "a,b\n0,1\n",
        "a loop": "a,b\n1,1\n1,0\n",
        "one way": "a,b\n0,1\n0,0\n",
        "other values": "a,b\n0,2\n2,0\n",
        "header only": "a,b\n",
    }
    for text in tables.values():
        (place / "x.csv").write_text(text)
        assert_refused(call, place, "learn", "in.csv", "--save", "x.csv", because="not an adjacency matrix")


def test_streams_hold_nothing_to_lose(call, place: Path) -> None:
    nowhere = ["--json", os.devnull, "--save", "n2.chord.json", "--trace", os.devnull]
    assert call("learn", "in.csv", *nowhere).returncode == 0
    assert call("learn", "in.csv", "--report", os.devnull).returncode == 0


def test_a_checkpoint_may_be_gone_on_from(call, place: Path) -> None:
    for _ in range(2):
        done = call("learn", "in.csv", "--checkpoint", "c.json", "--resume", "c.json")
        assert done.returncode == 0, done.stderr
    os.link(place / "c.json", place / "d.json")
    assert call("learn", "in.csv", "--checkpoint", "c.json", "--resume", "d.json").returncode == 0
    assert_refused(call, place, "learn", "in.csv", "--resume", "c.json", "--trace", "c.json", "--force")


def test_every_command_that_writes_can_be_forced() -> None:
    import typer

    from chordlearn.cli.app import load

    outputs = {"json", "output", "save", "report", "trace", "checkpoint", "out", "files"}
    for name, command in typer.main.get_command(load()).commands.items():  # type: ignore[attr-defined]
        options = {parameter.name for parameter in command.params}
        assert bool(options & outputs) == ("force" in options), name


def test_python_replaces_what_it_is_asked_to_but_not_the_data(tmp_path: Path) -> None:
    path, other = tmp_path / "in.csv", tmp_path / "notes.txt"
    path.write_text(ROWS)
    other.write_text(NOTES)
    (tmp_path / "link.html").symlink_to(path)
    result = cl.learn(path)
    network = cl.fit(result)
    table = cl.learn(path, drop="c")
    for write in (
        lambda: result.save(path),
        lambda: network.save(path),
        lambda: network.export(path),
        lambda: write_report(result, tmp_path / "link.html"),
        lambda: cl.learn(path, checkpoint=path),
        lambda: cl.learn(str(path), checkpoint=tmp_path / "link.html"),
        lambda: cl.learn([path], checkpoint=path),
        lambda: cl.bootstrap(path, samples=2, journal=path),
        lambda: table.save(path),
    ):
        with pytest.raises(InputError, match="holds the data"):
            write()
        assert path.read_text() == ROWS
    result.save(other)
    assert cl.Result.load(other).score == result.score


def test_python_never_writes_scores_over_their_data(tmp_path: Path) -> None:
    from chordlearn.pipeline.inputs import score_sets

    path = tmp_path / "in.csv"
    path.write_text(ROWS)
    with pytest.raises(InputError, match="holds the data"):
        write_scores(score_sets(path), path, format="plain")
    assert path.read_text() == ROWS


def test_a_report_is_a_web_page(call, place: Path) -> None:
    said = assert_refused(call, place, "learn", "in.csv", "--report", "x.pdf", because="must end in .html")
    assert "chordlearn plot RESULT.json -o x.pdf draws the network as PDF" in said
    assert "chordlearn plot" not in assert_refused(
        call, place, "learn", "in.csv", "--report", "x.docx", because="must end in .html"
    )
    with pytest.raises(InputError, match=r"save_picture\(draw_graph\(result.network\), 'x.svg'\)"):
        write_report(cl.learn("heart"), "x.svg")


def test_documents_say_what_they_are(call, place: Path) -> None:
    for arguments, kind in (
        (["query", "n.chord.json", "P(a)"], "query"),
        (["mpe", "n.chord.json"], "mpe"),
        (["edges", "n.chord.json"], "edges"),
        (["sample", "n.chord.json"], "sample"),
        (["evaluate", "n.chord.json", "in.csv"], "evaluation"),
        (["compare", "n.chord.json", "r.json"], "comparison"),
    ):
        assert json.loads(call(*arguments, "--json", "-").stdout)["schema"] == f"chordlearn/{kind}@1"
