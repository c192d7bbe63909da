"""Hostile names and states through everything that writes: terminals, tables, pages, pictures, files."""

from __future__ import annotations

import ast
import gzip
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import chordlearn as cl
from chordlearn.system.text import HIDDEN
from safety.hostile import (
    CONTROLS,
    NAMES,
    assert_no_formulas,
    assert_tame,
    columns,
    made_network,
)

FILE = "=cmd \x1b[31m\u202e[red]\n<script>.parquet"
"""The file of the data; its name is shown wherever the source is."""
FEW = ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in NAMES[:4])

COMMANDS: dict[str, tuple[str, ...]] = {
    "cli/data.py": ("data", FILE),
    "cli/learn.py": ("learn", FILE, "--max-clique", "2", "--json", "-"),
    "report/terminal.py": ("learn", FILE, "--max-clique", "2", "--top", "2", "--threads", "1"),
    "network/result.py": ("learn", FILE, "--max-clique", "2", "--json", "out.json"),
    "cli/progress.py": ("learn", FILE, "--max-clique", "2", "--trace", "out.jsonl"),
    "pipeline/checkpoints.py": ("learn", FILE, "--max-clique", "2", "--checkpoint", "out.json"),
    "proof/writing.py": ("learn", FILE, "--columns", FEW, "--proof", "proof"),
    "report/html/page.py": ("learn", FILE, "--max-clique", "2", "--report", "out.html"),
    "network/fitted.py": ("learn", FILE, "--max-clique", "2", "--save", "out.chord.json"),
    "scores/score_text.py": ("score", FILE, "--max-size", "2", "-o", "out.scores"),
    "scores/score_files.py": ("score", FILE, "--max-size", "2", "-o", "out.scores.gz"),
    "pipeline/encoding.py": ("encode", FILE, "--columns", FEW, "--format", "lp", "-o", "out.lp"),
    "cli/research.py": ("decode", "model.wcnf", "answer.txt", "-o", "out.json"),
    "report/outputs.py": ("learn", FILE, "--max-clique", "2", "--save", "out.dot"),
    "cli/checking.py": ("verify", "r.json"),
    "cli/questions.py": (
        "query",
        "made.chord.json",
        f'P("{CONTROLS[0]}")',
    ),
    "cli/console.py": ("mpe", "made.chord.json", "--json", "-"),
    "cli/network_rows.py": ("sample", "made.chord.json", "-n", "50", "-o", "out.csv", "--seed", "1"),
    "cli/networks.py": ("compare", "made.chord.json", "made.chord.json"),
    "cli/bootstrap.py": ("bootstrap", FILE, "--columns", FEW, "--samples", "3", "--json", "out.json"),
    "cli/posterior.py": (
        "posterior",
        FILE,
        "--columns",
        FEW,
        "--samples",
        "3",
        "--draws",
        "out.jsonl",
    ),
    "analysis/resampling.py": (
        "bootstrap",
        FILE,
        "--columns",
        FEW,
        "--samples",
        "3",
        "--journal",
        "out.jsonl",
    ),
    "report/pictures/canvas.py": ("plot", "made.chord.json", "-o", "out.pdf", "--kind", "junction-tree"),
    "cli/table1.py": ("table1", "--show", "records.jsonl"),
    "report/table1.py": ("table1", "--show", "records.jsonl", "--markdown"),
    "cli/failures.py": ("learn", f"{CONTROLS[0]}\n{NAMES[5]}.csv"),
}
"""For each module that writes what came from outside, a command that makes it write."""
MORE = (
    ("score", FILE, "--columns", FEW, "-o", "out.jkl"),
    ("mpe", "made.chord.json"),
    ("impute", "n.chord.json", "gaps.parquet", "-o", "out.tsv"),
    ("evaluate", "n.chord.json", FILE, "--rows", "out.csv"),
    ("edges", "n.chord.json", "--data", FILE),
    (
        "export",
        "made.chord.json",
        *(
            f"out{suffix}"
            for suffix in (".bif", ".xmlbif", ".uai", ".net", ".graphml", ".dot", ".csv", ".chord.json")
        ),
    ),
    ("solvers",),
    ("plot", "made.chord.json", "-o", "out.svg"),
    ("selftest", "--problem", "0", "--json", "-"),
    *(("encode", FILE, "--columns", FEW, "-o", f"out.{kind}") for kind in ("wcnf", "opb", "smt2", "mps")),
    *(("plot", "made.chord.json", "-o", f"out.{kind}") for kind in ("png", "pdf")),
    ("plot", "n.chord.json", "-o", "out.svg", "--kind", "heatmap", "--data", FILE),
    ("plot", "b.json", "-o", "out.svg", "--kind", "heatmap"),
    ("plot", "t.jsonl", "-o", "out.svg"),
    ("score", FILE, "--columns", FEW, "-o", "out.dmst"),
    ("score", FILE, "--columns", FEW, "-o", "out.score"),
    ("sample", "made.chord.json", "--json", "-"),
    ("query", "made.chord.json", f'P("{CONTROLS[3]}")', "--json", "-"),
    ("query", "made.chord.json", f'P("{CONTROLS[0]}" | {CONTROLS[4]}=1)'),
    ("query", "made.chord.json", CONTROLS[2]),
    ("learn", FILE, "--columns", CONTROLS[0]),
    ("learn", FILE, "--drop", NAMES[6][:3]),
    ("learn", FILE, "--require", f"{CONTROLS[4]},{CONTROLS[5]}"),
    ("learn", FILE, "--discretize", f"{CONTROLS[4]}=width:2"),
    ("learn", FILE, "--backend", CONTROLS[0]),
    ("learn", FILE, f"--{CONTROLS[4]}"),
    ("learn", FILE, "--save", f"no/such/{CONTROLS[0]}.dot"),
    ("learn", "controls.csv"),
    ("learn", "controls.json.parquet"),
    ("verify", f"{CONTROLS[0]}"),
    ("verify", "damaged.json"),
    (CONTROLS[4],),
)
PRIVATE = {
    "backends/solvers/asp.py": "files in the folder of one run, for its solver",
    "backends/solvers/constraint_run.py": "the same",
    "backends/solvers/file_run.py": "the same",
    "backends/solvers/child.py": "what a solver prints",
    "backends/solvers/smt.py": "names of the model's variables, which are e_0_1 and the like",
    "backends/solvers/workers/printing.py": "numbers for our own process",
    "certificate/proofs/lrat.py": "clauses, which are numbers",
    "cli/__init__.py": "an error, whose text is tame",
    "cli/app.py": "the version and the help",
    "cli/serve.py": "the address of the page, which we make",
    "errors.py": "writes options into sentences, which are tame",
    "network/answering.py": "a warning with names as Python spells them",
    "pipeline/assembling.py": "a warning with the text of an error, which is tame",
    "pipeline/learning.py": "a checkpoint, which pipeline/checkpoints.py writes",
    "pipeline/proving.py": "a proof, which proof/writing.py writes",
    "system/files.py": "whatever it is given",
    "web/spawning.py": "JSON for a process of our own",
    "web/routes.py": "a table as it was sent, in a folder of our own",
    "web/server.py": "the address that was asked for",
    "web/worker.py": "JSON for our own page, and files that other modules write",
}
"""Modules that write nothing for others to see, or only what is covered elsewhere."""
WRITERS = {"write_whole", "writing", "Lines", "write_text", "write_bytes", "write_csv", "write_parquet"}
WRITERS |= {"Console", "print", "echo", "savefig", "save_picture", "warn", "fdopen", "save", "write"}
OF_THE_COMMAND_LINE = {"answer", "note", "print_bytes", "stdout"}
"""Functions of cli/console.py."""


def test_every_module_that_writes_is_here(root: Path) -> None:
    source = root / "src" / "chordlearn"
    writing = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if any(_writes(node, path) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert writing - set(COMMANDS) - set(PRIVATE) == set()
    assert set(PRIVATE) - writing == set()
    assert set(COMMANDS) - writing <= {"report/table1.py"}


def _writes(node: ast.AST, path: Path) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
    modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    writers = WRITERS | OF_THE_COMMAND_LINE if path.parent.name == "cli" else WRITERS
    return name in writers or (name == "open" and any(set(mode) & set("wxa+") for mode in modes))


def test_only_one_console(root: Path) -> None:
    """The one that spells out what is hidden; others are named in types only."""
    for path in (root / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name not in ("console.py", "terminal.py"):
            assert "rich.console" not in text, path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read."""
    from chordlearn.cli.app import run

    folder = tmp_path_factory.mktemp("hostile")
    table = pl.DataFrame(columns())
    table.write_parquet(folder / FILE)
    gaps = table.with_columns(pl.when(pl.int_range(pl.len()) > 3).then(pl.col(NAMES[2])).alias(NAMES[2]))
    gaps.write_parquet(folder / "gaps.parquet")
    made_network().save(folder / "made.chord.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        assert (
            run(
                [
                    "learn",
                    FILE,
                    "--max-clique",
                    "2",
                    *("--json", "r.json", "--save", "n.chord.json", "--trace", "t.jsonl"),
                ]
            )
            == 0
        )
        assert run(["bootstrap", FILE, "--columns", FEW, "--samples", "3", "--json", "b.json"]) == 0
        assert run(["encode", FILE, "--columns", FEW, "-o", "model.wcnf"]) == 0
    (folder / "answer.txt").write_text("s OPTIMUM FOUND\nv " + "0" * 200 + "\n")
    (folder / "controls.csv").write_bytes(f"a,b\n{CONTROLS[0]},1\n".encode() * 3)
    pl.DataFrame({CONTROLS[0]: ["x"]}).write_parquet(folder / "controls.json.parquet")
    document = json.loads((folder / "r.json").read_text())
    (folder / "damaged.json").write_text(json.dumps(document | {"status": CONTROLS[0]}))
    record = {
        "backend": "maxsat:rc2",
        "data": NAMES[5] + CONTROLS[1],
        "encoding": "|" + CONTROLS[4],
        "reduce": True,
    }
    record |= {"status": "optimal", "seconds": 1.0, "limit": 60.0}
    (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
    return folder


@pytest.mark.parametrize("arguments", [*COMMANDS.values(), *MORE], ids=lambda given: f"{given[0][:9]}")
def test_what_is_written_is_tame(
    arguments: tuple[str, ...],
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    from chordlearn.cli.app import run

    monkeypatch.setenv("COLUMNS", "100")
    for path in place.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.rglob("*"))
    code = run(list(arguments))
    written = capsysbinary.readouterr()
    said, complained = written.out.decode(), written.err.decode()
    assert "unexpected failure" not in complained and "Traceback" not in complained
    assert_tame(said)
    assert_tame(complained)
    if "-" in arguments:
        json.loads(said)
    files = [path for path in tmp_path.rglob("*") if path not in before and path.is_file()]
    outputs = [argument for argument in arguments if argument.startswith("out") or argument == "proof"]
    assert code in (0, 1) or not outputs
    assert bool(files) == bool(outputs)
    for path in files:
        CHECKS[path.suffix](path)


def test_errors_stay_one_line(call: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    for arguments in (
        ("learn", CONTROLS[1]),
        ("query", CONTROLS[2], "P(a)"),
        ("learn", "heart", "--drop", CONTROLS[1]),
    ):
        done = call(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert_tame(done.stderr)


def _check_text(path: Path) -> None:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    assert_tame(text)


def _check_json(path: Path) -> None:
    _check_text(path)
    for line in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
        json.loads(line)


def _check_xml(path: Path) -> None:
    _check_text(path)
    for element in ElementTree.parse(path).iter():
        tag = str(element.tag).rpartition("}")[2].lower()
        assert tag not in ("script", "foreignobject", "a", "iframe", "img")
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert not name.endswith("href") or value.startswith(("#", "data:image/png;base64,"))


class _Page(HTMLParser):
    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form")
        for name, value in attributes:
            assert not name.startswith("on") and name != "srcdoc"
            if name in ("src", "href", "action"):
                assert (value or "").startswith(("#", "data:,"))


def _check_page(path: Path) -> None:
    _check_text(path)
    _Page().feed(path.read_text())


def _check_table(path: Path) -> None:
    assert_no_formulas(path.read_text(), "\t" if path.suffix == ".tsv" else ",")


def _check_pdf(path: Path) -> None:
    assert not re.search(rb"/(URI|JavaScript|JS|Launch|OpenAction|EmbeddedFile)\b", path.read_bytes())


def _check_png(path: Path) -> None:
    assert path.read_bytes().startswith(b"\x89PNG")


CHECKS: dict[str, Callable[[Path], None]] = {
    **dict.fromkeys(
        [".bif", ".uai", ".net", ".dot", ".wcnf", ".opb", ".smt2", ".lp", ".mps", ".txt"], _check_text
    ),
    **dict.fromkeys(
        [".cnf", ".lrat", ".scores", ".gz", ".jkl", ".dmst", ".score", ".cores", ".bounds"], _check_text
    ),
    **dict.fromkeys([".json", ".jsonl"], _check_json),
    **dict.fromkeys([".svg", ".graphml", ".xmlbif"], _check_xml),
    **dict.fromkeys([".csv", ".tsv"], _check_table),
    ".html": _check_page,
    ".pdf": _check_pdf,
    ".png": _check_png,
}
"""What is asked of a file by its suffix; a suffix without a check fails."""


def test_on_a_terminal_samples_are_tame(command: str, tmp_path: Path) -> None:
    made_network().save(tmp_path / "made.chord.json")
    script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", script, command, "sample", "made.chord.json", "-n", "40"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )
    text = done.stdout.decode().replace("\r\n", "\n")
    assert len(text.splitlines()) >= 40
    assert not HIDDEN.search(text.replace("\n", ""))


def test_names_survive_files_of_our_own(tmp_path: Path) -> None:
    network = made_network()
    network.save(tmp_path / "made.chord.json")
    again = cl.FittedNetwork.load(tmp_path / "made.chord.json")
    assert again.variables == network.variables and again.states == network.states
    from chordlearn.scores import BDeu, compute_scores, read_scores, write_scores

    write_scores(compute_scores(cl.read(columns()), BDeu(), max_size=2), tmp_path / "own.scores")
    assert read_scores(tmp_path / "own.scores").variables == NAMES


def test_notebooks_and_reprs() -> None:
    network = made_network()
    result = cl.learn(cl.read(columns()), max_clique=2)
    for text in (
        repr(network),
        repr(network.structure),
        repr(network.marginal(CONTROLS[0])),
        str(result),
        repr(result),
    ):
        assert_tame(text)
    for html in (network._repr_html_(), result._repr_html_(), network.structure._repr_svg_()):
        assert_tame(html)
        # Around the page in its frame, which is tested as the report, nothing but a picture of our own.
        around = re.sub('<iframe [^>]*></iframe>|<img alt="the network"[^>]*>', "", html)
        _Page().feed(around)
        assert "<script" not in html and "<img" not in around
