"""Checkpoints: read back as written, refused when damaged or of something else, never worse when resumed."""

from __future__ import annotations

import json
import math
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Stopped
from chordlearn.backends.base.outcome import Limits, Outcome
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.search.local import Search
from chordlearn.errors import CheckpointWarning, InputError
from chordlearn.pipeline.checkpoints import (
    Checkpoint,
    CheckpointWriter,
    Identity,
    read_checkpoint,
)
from chordlearn.pipeline.solving import solve, taken_up
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Incumbent, make_problem
from chordlearn.scores.compute import ScoredData
from conftest import RunCommand
from wide_tables import tangled

pytestmark = pytest.mark.usefixtures("without_highs")

NO_CONSTRAINTS: dict[str, Any] = {"max_clique": None, "required": [], "forbidden": []}


@pytest.mark.parametrize("starts", [1, 2])
def test_a_wide_search_goes_on_as_if_it_had_not_been_broken_off(
    starts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, file = tangled(8, rows=100), tmp_path / "run.json"
    problem = make_problem(ScoredData(table, cl.BDeu()), Constraints(4, (), (("x0", "x1"),)))
    identity = Identity(table.variables, table.sha256, {}, problem.constraints.as_json())

    def search(resumed: Checkpoint | None = None) -> Outcome:
        run = Run(
            problem,
            Limits(seed=1, threads=2),
            Options(starts=starts),
            start=None if resumed is None else taken_up(resumed, problem),
            state=None if resumed is None else resumed.state("waves", 1),
        )
        writer = CheckpointWriter(run, identity, file, kind="waves", every=1e-9)
        run.observers.append(writer)
        outcome = solve(run, Search())
        writer.write()
        return outcome

    whole = search()
    save, left = Run.save_state, [2 if starts > 1 else 20]

    def save_and_break_off(run: Run, state: Any) -> None:
        save(run, state)
        left[0] -= 1
        if left[0] == 0:
            raise Stopped if starts == 1 else KeyboardInterrupt

    monkeypatch.setattr("chordlearn.backends.search.starts.FIRST_SLICE", 0.05)
    with monkeypatch.context() as patched:
        patched.setattr(Run, "save_state", save_and_break_off)
        broken = search()
    assert broken.stopped_by == "interrupted"
    resumed = search(read_checkpoint(file))
    assert (resumed.score, resumed.cliques, resumed.stopped_by) == (
        whole.score,
        whole.cliques,
        whole.stopped_by,
    )


@pytest.mark.parametrize("backend", ["native", "search", "asp:clingo", "maxsat:rc2"])
def test_every_backend_goes_on_from_a_network(backend: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    best = cl.learn("heart", checkpoint=file)
    resumed = cl.learn("heart", resume=file, backend=backend, time_limit=300)
    assert resumed.edges == best.edges
    # The search proves nothing by itself, and the bound of the run before is not taken over.
    assert resumed.status == ("feasible" if backend == "search" else "optimal")


def test_a_network_is_not_lost_when_there_is_no_time(tmp_path: Path) -> None:
    table, file = tangled(19, rows=300), tmp_path / "run.json"
    best = cl.learn(table, checkpoint=file, max_clique=4, time_limit=20)
    for options in ({}, {"seed": 7}, {"backend": "search", "starts": 2}):
        resumed = cl.learn(table, resume=file, max_clique=4, time_limit=0.001, **options)
        assert resumed.score == pytest.approx(best.score, abs=1e-9)


def test_another_seed_goes_on_from_the_network(tmp_path: Path) -> None:
    table, file = tangled(40), tmp_path / "run.json"
    first = cl.learn(table, checkpoint=file, seed=1, time_limit=0.5)
    second = cl.learn(table, resume=file, checkpoint=file, seed=2, time_limit=0.5)
    assert second.score >= first.score
    assert read_checkpoint(file).seed == 2


def test_it_is_a_plain_document(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    result = cl.learn(tangled(30), checkpoint=file, time_limit=0.5)
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document["schema"] == "chordlearn/checkpoint@1"
    assert document["score"] == pytest.approx(result.score, abs=1e-6)
    assert {tuple(edge) for edge in document["edges"]} == set(result.edges)
    assert document["data_sha256"] == result.data_sha256
    assert "bound" not in document
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def edited(change: Callable[[dict[str, Any]], object], *, seal: bool) -> Callable[[str], str]:
    def edit(text: str) -> str:
        from chordlearn.pipeline.checkpoints import checksum

        document = json.loads(text)
        change(document)
        if seal:
            document.pop("sha256")
            document["sha256"] = checksum(document)
        return json.dumps(document)

    return edit


DAMAGES: dict[str, Callable[[str], str]] = {
    "cut off": lambda text: text[: len(text) // 2],
    "empty": lambda _: "",
    "no JSON": lambda text: "x" + text,
    "a list": lambda _: "[1, 2]",
    "deep": lambda _: "[" * 100_000,
    "another document": lambda _: '{"schema": "chordlearn/result@1"}',
    "of the future": lambda text: text.replace("checkpoint@1", "checkpoint@2"),
    "a digit": lambda text: text.replace('"score": -', '"score": -1', 1),
    "sealed: a score": edited(lambda d: d.update(score=d["score"] + 1), seal=True),
    "sealed: no edges": edited(lambda d: d.pop("edges"), seal=True),
    "sealed: a cycle": edited(
        lambda d: d.update(edges=[["x0", "x1"], ["x1", "x2"], ["x2", "x3"], ["x3", "x0"]]), seal=True
    ),
    "sealed: a stranger": edited(lambda d: d["edges"].append(["x0", "nobody"]), seal=True),
    "sealed: a number": edited(lambda d: d.update(score="high"), seal=True),
    "sealed: a state": edited(lambda d: d["search"]["state"].pop("random"), seal=True),
    "sealed: an array": edited(
        lambda d: d["search"]["state"]["edges"].update(values=[0, 10**9], shape=[1, 2]), seal=True
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_gets_one_sentence(damage: str, wide_checkpoint: Path, tmp_path: Path) -> None:
    file = tmp_path / "damaged.json"
    file.write_text(DAMAGES[damage](wide_checkpoint.read_text()))
    with pytest.raises(InputError) as refused:
        cl.learn(tangled(30), resume=file)
    assert "\n" not in str(refused.value)


@pytest.fixture(scope="module")
def wide_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("checkpoint") / "run.json"
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "highspy", None)
        # A busy machine may need longer to come to a state.
        for seconds in (0.5, 5, 50):
            cl.learn(tangled(30), checkpoint=file, time_limit=seconds)
            if json.loads(file.read_text(encoding="utf-8"))["search"]:
                break
    return file


@pytest.mark.parametrize(
    ("table", "options", "what"),
    [
        (tangled(30, seed=2), {}, "other data"),
        (tangled(29), {}, "other variables"),
        (tangled(30), {"ess": 2.0}, "another score function"),
        (tangled(30), {"score": "bic"}, "another score function"),
        (tangled(30), {"max_clique": 3}, "other constraints"),
        (tangled(30), {"require": [("x0", "x1")]}, "other constraints"),
    ],
)
def test_something_else_is_not_resumed(
    table: Any, options: dict[str, Any], what: str, wide_checkpoint: Path
) -> None:
    with pytest.raises(InputError, match=f"cannot be resumed, because it was made with {what}; give"):
        cl.learn(table, resume=wide_checkpoint, **options)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "run.json"
    with pytest.raises(InputError, match="cannot be read"):
        cl.learn("heart", resume=missing)
    # The first of a row of runs with the same command has nothing to go on from yet.
    assert cl.learn("heart", resume=missing, checkpoint=missing).status == "optimal"
    assert missing.exists()


def test_a_file_that_cannot_be_written_costs_no_result(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.warns(CheckpointWarning, match="cannot be written"):
        assert cl.learn("heart", checkpoint=folder / "no" / "run.json").status == "optimal"
    done = run("learn", "heart", "--checkpoint", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is a folder" in done.stderr


def test_the_interval_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("chordlearn.pipeline.checkpoints.time", SimpleNamespace(monotonic=lambda: now[0]))
    file = tmp_path / "run.json"
    identity = Identity(("a", "b"), "0" * 64, {"name": "bic", "parameters": {}}, NO_CONSTRAINTS)
    run = Run(make_problem(cl.ScoreTable(("a", "b"), np.array([0.0, -1, -1, -1]), 2)))
    writer = CheckpointWriter(run, identity, file, kind="search", every=300)

    def offer(network: Incumbent | None) -> Checkpoint:
        run.offer(network)
        writer.progress("searching", None, None)
        return read_checkpoint(file)

    assert offer(Incumbent(-2.0, (1, 2))).score == -2.0
    now[0] += 299
    offer(Incumbent(-1.0, (3,)))
    assert offer(Incumbent(-3.0, (1, 2))).score == -2.0
    now[0] += 1
    kept = offer(None)
    assert (kept.score, kept.pairs) == (-1.0, ((0, 1),))


def test_kill_9_at_ten_random_moments(tmp_path: Path) -> None:
    """After each kill the next run goes on, and nothing is lost."""
    table, file = tmp_path / "table.csv", tmp_path / "run.json"
    tangled(30).to_frame().drop("count").write_csv(table)
    code = (
        "import sys; sys.modules['highspy'] = None\n"
        "import chordlearn as cl; table, file = sys.argv[1:]\n"
        "cl.learn(table, threads=1, checkpoint=file, resume=file, checkpoint_every=0.02)"
    )
    moments = random.Random(6)
    scores = [-math.inf]
    for _ in range(10):
        run = subprocess.Popen([sys.executable, "-c", code, table, file])
        # The moment counts from the first sign of life, or the start of Python would be all that is killed.
        before = file.stat().st_mtime_ns if file.exists() else 0
        deadline = time.monotonic() + (4 if before else 300)
        while time.monotonic() < deadline and run.poll() is None:
            if file.exists() and file.stat().st_mtime_ns > before:
                break
            time.sleep(0.005)
        time.sleep(moments.uniform(0.0, 0.3))
        run.send_signal(signal.SIGKILL)
        run.wait()
        scores.append(read_checkpoint(file).score)
        assert scores[-1] >= scores[-2]
    last = cl.learn(cl.read(table), threads=1, resume=file, time_limit=2)
    assert last.score >= scores[-1] - 1e-6
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".part"} == {"table.csv", "run.json"}
