"""`plot` draws what can be drawn of the files that we write, and says which command takes the others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.exports import export_text
from chordlearn.report.graph_files import read_graph
from chordlearn.system.text import protected

pytest.importorskip("matplotlib")

COMMANDS = (
    *(
        ("learn", "in.csv", "--save", f"n.{kind}")
        for kind in ("bif", "xmlbif", "uai", "net", "dot", "graphml")
    ),
    ("learn", "in.csv", "--json", "r.json", "--save", "n.chord.json", "--save", "n.csv"),
    ("learn", "in.csv", "--report", "r.html", "--trace", "t.jsonl", "--checkpoint", "c.json", "--proof", "p"),
    *(("score", "in.csv", "-o", f"s.{kind}") for kind in ("score", "jkl", "dmst", "scores", "score.gz")),
    *(("encode", "in.csv", "-o", f"m.{kind}") for kind in ("wcnf", "opb", "smt2", "lp", "mps")),
    ("bootstrap", "in.csv", "--samples", "2", "--journal", "b.jsonl", "--json", "b.json"),
    ("edges", "n.chord.json", "--json", "e.json"),
    ("query", "n.chord.json", "P(a)", "--json", "q.json"),
    ("mpe", "n.chord.json", "--json", "mpe.json"),
    ("compare", "n.chord.json", "r.json", "--json", "cmp.json"),
    ("evaluate", "n.chord.json", "in.csv", "--json", "ev.json", "--rows", "ll.csv"),
    ("sample", "n.chord.json", "--json", "rows.json", "-o", "rows.parquet"),
    ("impute", "n.chord.json", "in.csv", "-o", "whole.csv", "--json", "i.json"),
    ("export", "n.chord.json", "x.dot", "--json", "x.json"),
    ("table1", "--solver", "sat", "--data", "in.csv", "--records", "rec.jsonl"),
    ("selftest", "--problem", "1", "--json", "st.json"),
    ("plot", "r.json", "-o", "g.svg"),
)
DRAWN = {
    "n.dot",
    "n.graphml",
    "x.dot",
    "r.json",
    "n.chord.json",
    "n.csv",
    "t.jsonl",
    "c.json",
    "b.json",
    "e.json",
    "rec.jsonl",
}
TAKEN = {
    "r.html": "a browser shows it",
    "s.score": "chordlearn learn takes it",
    "s.score.gz": "chordlearn learn takes it",
    "m.lp": "chordlearn decode",
    "m.lp.map.json": "chordlearn decode takes it",
    "b.jsonl": "chordlearn bootstrap takes it with --journal",
    "q.json": "give the network",
    "n.bif": "give the network file",
    "whole.csv": "chordlearn learn DATA --json FILE",
    "rows.parquet": "chordlearn learn DATA --json FILE",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what all commands write."""
    from chordlearn.cli.app import run

    folder = tmp_path_factory.mktemp("made")
    (folder / "in.csv").write_text("a,b,=c\n" + "x,0,u\ny,1,u\nx,1,v\ny,0,v\nx,0,u\n" * 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for arguments in COMMANDS:
            assert run(arguments) == 0, arguments
    return folder


def test_every_file_of_ours_is_drawn_or_named(made: Path, call, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    drawn = set()
    for path in sorted(path for path in tmp_path.iterdir() if path.is_file() and path.name != "in.csv"):
        done = call("plot", path.name, "-o", "picture.svg")
        if done.returncode == 0:
            drawn.add(path.name)
            continue
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (path, done)
        assert f"{path.name} is " in done.stderr and done.stderr.endswith(".\n")
        assert TAKEN.get(path.name, ";") in done.stderr
    assert drawn == DRAWN
    assert set(TAKEN) <= {path.name for path in tmp_path.iterdir()}


def test_of_a_proof_its_network_is_drawn(made: Path, call, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    assert call("plot", "p", "-o", "p.svg").returncode == 0
    assert call("plot", "r.json", "-o", "r.svg").returncode == 0
    assert (tmp_path / "p.svg").read_bytes() == (tmp_path / "r.svg").read_bytes()
    done = call("plot", "p", "-o", "p/result.json")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("c.json", "heatmap", "use --kind graph or junction-tree"),
        ("n.csv", "heatmap", "use --kind graph or junction-tree"),
        ("b.json", "graph", "use --kind heatmap"),
        ("t.jsonl", "junction-tree", "use --kind trace"),
        ("rec.jsonl", "graph", "use --kind cactus or sizes"),
        ("r.json", "trace", "use --kind graph or junction-tree or heatmap"),
    ],
)
def test_what_a_file_does_not_hold_is_not_drawn(name, kind, words, made: Path, call, tmp_path: Path) -> None:
    shutil.copy(made / name, tmp_path)
    done = call("plot", name, "--kind", kind, "-o", "x.svg")
    assert done.returncode == 2
    assert words in done.stderr


def test_the_heatmap_of_edges_is_that_of_the_network(made: Path, call, tmp_path: Path) -> None:
    for name in ("e.json", "n.chord.json"):
        shutil.copy(made / name, tmp_path)
        assert call("plot", name, "--kind", "heatmap", "-o", f"{name}.svg").returncode == 0
    pictures = {path.read_bytes() for path in tmp_path.glob("*.svg")}
    assert len(pictures) == 1
    document = json.loads((tmp_path / "e.json").read_text())
    (tmp_path / "e.json").write_text(json.dumps(document | {"edges": [{"edge": ["a"]}]}))
    done = call("plot", "e.json", "-o", "x.svg")
    assert done.returncode == 2 and "is damaged" in done.stderr


@pytest.mark.parametrize(
    "names",
    [
        ("a", "b", "c"),
        ('say "x"', "back\\slash", "new, one"),
        ("=1+1", "<b> & 'q'", "年齢"),
        ("'=2", "\\n", "a;b"),
    ],
)
def test_graphs_are_read_as_they_were_written(names: tuple[str, ...], tmp_path: Path) -> None:
    edges = [(names[0], names[1]), (names[1], names[2])]
    network = ChordalNetwork.from_edges(names, edges)
    for kind in ("graphml", "dot"):
        path = tmp_path / f"n.{kind}"
        path.write_text(export_text(path, network.variables, network.edges), encoding="utf-8")
        assert read_graph(path, kind) == network
    # What a spreadsheet would compute has an apostrophe in the matrix, where cells are read as they are.
    cells = dict(zip(names, map(protected, names), strict=True))
    path = tmp_path / "n.csv"
    path.write_text(export_text(path, network.variables, network.edges), encoding="utf-8")
    found = read_graph(path, "adjacency")
    assert found.variables == tuple(cells.values())
    assert found.edges == tuple((cells[a], cells[b]) for a, b in network.edges)


def test_a_graph_that_is_not_chordal_is_refused(call, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("a,b,c,d\n0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n")
    done = call("plot", "n.csv", "-o", "x.svg")
    assert done.returncode == 2
    assert "not chordal" in done.stderr


def test_records_of_a_run_without_a_network_are_written_and_read(call, tmp_path: Path, root: Path) -> None:
    done = call(
        "table1", "--solver", "maxsat:rc2", "--data", "heart", "--time-limit", "0.001", "--records", "r.jsonl"
    )
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "r.jsonl").read_text())
    assert record["status"] == "none" and record.get("score") is None
    shown = call("table1", "--show", "r.jsonl")
    assert shown.returncode == 0 and shown.stdout == done.stdout
    # As they were written once.
    (tmp_path / "r.jsonl").write_text(json.dumps(record | {"score": float("-inf")}) + "\n")
    assert call("table1", "--show", "r.jsonl").stdout == done.stdout
    (tmp_path / "r.jsonl").write_text(json.dumps(record | {"score": float("nan")}) + "\n")
    assert call("table1", "--show", "r.jsonl").returncode == 2
    assert call("table1", "--show", root / "experiments" / "table1.jsonl").returncode == 0
