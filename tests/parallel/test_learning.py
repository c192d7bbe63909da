"""Learning on a cluster gives what learning here gives."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import chordlearn as cl
from chordlearn._core import Stopped
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.search.neighbourhoods import Mapper, WorkersMapper
from chordlearn.backends.search.starts import Starts, State, advance_waves
from chordlearn.backends.search.waves import Waves
from chordlearn.errors import InputError, StoppedError
from chordlearn.parallel import Workers
from chordlearn.pipeline.checkpoints import to_json
from chordlearn.pipeline.inputs import read_input, score_input
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.report.table1 import run_one
from chordlearn.scores import CustomScore
from chordlearn.scores.compute import ScoredData, score_in_parts
from wide_tables import tangled

pytestmark = pytest.mark.usefixtures("without_highs")
SPAWN = multiprocessing.get_context("spawn")


def problem_of(n: int) -> Problem:
    constraints = Constraints(4, (("x0", "x7"),), (("x1", "x2"),))
    return make_problem(ScoredData(tangled(n, rows=100), cl.BDeu()), constraints)


def waves(problem: Problem, count: int, mapper: Mapper | None = None, at_half: Any = None) -> State:
    """The state of a search after some waves of neighbourhoods."""
    states: list[State] = []

    class Counted(Waves):
        def after_wave(self) -> None:
            states.append(self.search.state())
            if at_half is not None and len(states) == count // 2:
                at_half()
            if len(states) == count:
                raise Stopped

    Counted(Run(problem, Limits(seed=3)), mapper=mapper).outcome()
    assert len(states) == count
    return states[-1]


def test_neighbourhoods(cluster: Workers) -> None:
    problem = problem_of(40)
    assert isinstance(problem.scores, ScoredData)
    everything_travels = WorkersMapper(cluster, problem.scores, trip_seconds=0.0)
    assert_same(waves(problem, 20, everything_travels), waves(problem, 20))


@pytest.mark.slow
def test_neighbourhoods_when_a_worker_is_killed_half_way() -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    problem = problem_of(40)
    assert isinstance(problem.scores, ScoredData)
    with Workers("local:2") as cluster:
        assert cluster._cluster is not None
        victim = max(cluster._cluster.client.run(os.getpid).values())
        mapper = WorkersMapper(cluster, problem.scores, trip_seconds=0.0)
        found = waves(problem, 20, mapper, lambda: os.kill(victim, signal.SIGKILL))
        assert not cluster.lost
    assert_same(found, waves(problem, 20))


def assert_same(found: State, expected: State) -> None:
    assert to_json(dict(found)) == to_json(dict(expected))


def test_starts(cluster: Workers) -> None:
    problem = problem_of(8)
    found = []
    with ThreadPoolExecutor(2) as threads:
        # However many there are.
        for workers in (cluster, Workers(1), Workers(3), Workers(threads)):
            run = Run(problem, Limits(seed=1), Options(starts=2), workers=workers)
            found.append(Starts(run, advance_waves).outcome())
            if workers is not cluster:
                workers.close()
    alone = [Waves(Run(problem, Limits(seed=seed))).outcome() for seed in (1, 2)]
    best = max(alone, key=lambda outcome: outcome.score)
    assert {(outcome.score, outcome.cliques) for outcome in found} == {(best.score, best.cliques)}
    for outcome in found:
        assert outcome.details["starts"] == {"seeds": [1, 2], "scores": [one.score for one in alone]}


def test_starts_with_all_sets_scored(cluster: Workers) -> None:
    options: dict[str, Any] = {"starts": 3, "seed": 1, "backend": "search"}
    here, there = cl.learn("econ", **options), cl.learn("econ", cluster=cluster, **options)
    assert (here.score, here.edges, here.details) == (there.score, there.edges, there.details)
    assert here.details["starts"]["scores"] == [
        cl.learn("econ", seed=seed, backend="search").score for seed in (1, 2, 3)
    ]


def test_learn(cluster: Workers) -> None:
    result = cl.learn(tangled(30), cluster=cluster, time_limit=1.0)
    assert (result.backend, result.stopped_by) == ("search", "time limit")
    assert cl.verify(result, tangled(30)).ok


@pytest.mark.parametrize("largest", [None, 1, 3])
def test_scores_to_the_last_bit(cluster: Workers, largest: int | None) -> None:
    given = read_input(tangled(13, rows=300))
    assert given.data is not None
    expected = score_input(given, max_size=largest, threads=2)
    with Workers(1) as one, Workers(3) as three:
        for workers in (cluster, one, three):
            found = score_in_parts(workers, given.data, largest)
            assert np.array_equal(found.values, expected.values)
            assert (found.sha256, found.max_size, found.function) == (
                expected.sha256,
                expected.max_size,
                expected.function,
            )
            assert found.accuracy == expected.accuracy


def test_scoring_stops_in_time(cluster: Workers) -> None:
    given = read_input(tangled(13))
    assert given.data is not None
    with pytest.raises(StoppedError):
        score_in_parts(cluster, given.data, deadline=time.monotonic())


def test_all_that_is_handed_out_gives_the_same_result(cluster: Workers) -> None:
    table = tangled(18, rows=100)
    results = [cl.learn(table, max_clique=3, cluster=workers) for workers in (None, cluster)]
    with ProcessPoolExecutor(1, SPAWN) as processes:
        results.append(cl.learn(table, max_clique=3, cluster=processes))
    documents = [one.to_dict() for one in results]
    for document in documents:
        del document["seconds"]
        document["details"].pop("seconds", None)
    assert documents[1] == documents[0] and documents[2] == documents[0]
    assert documents[0]["details"]["score_error"] > 0


def test_bootstrap(cluster: Workers) -> None:
    here = cl.bootstrap("heart", samples=6, seed=2)
    assert cl.bootstrap("heart", samples=6, seed=2, cluster=cluster).replicates == here.replicates
    with ProcessPoolExecutor(1, SPAWN) as processes:
        assert cl.bootstrap("heart", samples=6, seed=2, cluster=processes).replicates == here.replicates


def test_a_function_does_not_travel(cluster: Workers) -> None:
    with pytest.raises(InputError, match="does not travel"):
        cl.bootstrap("heart", samples=2, score=CustomScore(lambda *_: 0.0), cluster=cluster)


def test_runs_of_the_table(cluster: Workers) -> None:
    rows = [(backend, "heart", "edges", True, 300.0, 0.01) for backend in ("maxsat:rc2", "sat")]
    found = dict(cluster.run(run_one, rows))
    assert [found[n]["backend"] for n in (0, 1)] == ["maxsat:rc2", "sat"]
    assert {found[n]["status"] for n in (0, 1)} == {"optimal"}


def test_work_that_nobody_waits_for_ends(cluster: Workers) -> None:
    problem = make_problem(ScoredData(tangled(60), cl.BDeu()))
    forever = [(seed, None, 1e6, 1e6) for seed in (0, 1)]
    patience = time.monotonic() + 0.5
    assert list(cluster.run(advance_waves, forever, problem, lambda: time.monotonic() > patience)) == []
    begun = time.monotonic()
    assert cl.bootstrap("heart", samples=2, cluster=cluster).proved == 2
    assert time.monotonic() - begun < 300


@pytest.mark.slow
def test_a_worker_of_a_bootstrap_is_killed_half_way(command: str, tmp_path: Path) -> None:
    """The command as a user gives it; one of its two workers dies when some networks are finished."""
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    journal, samples = tmp_path / "journal.jsonl", 200
    options = ["--samples", str(samples), "--cluster", "local:2", "--json", "-", "--journal", str(journal)]
    run = subprocess.Popen(
        [command, "bootstrap", "econ", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while run.poll() is None and not (journal.exists() and journal.read_text().count("\n") > 4):
        time.sleep(0.01)
    victims = workers_of(run.pid)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    printed, said = run.communicate(timeout=300)
    assert [line for line in said.splitlines() if " · " not in line] == []
    assert json.loads(printed) == json.loads(cl.bootstrap("econ", samples=samples).to_json())


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def started() -> Iterator[Start]:
    """Start a command in a group of its own, as a terminal does; it ends with the test."""
    runs: list[subprocess.Popen[str]] = []

    def start(arguments: list[str], **more: Any) -> subprocess.Popen[str]:
        pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        runs.append(subprocess.Popen(arguments, start_new_session=True, **pipes, **more))
        return runs[-1]

    yield start
    for run in runs:
        run.kill()
        run.communicate()


@pytest.mark.parametrize("whole_group", [False, True], ids=["one process", "as a terminal does"])
def test_ctrl_c_ends_it_and_keeps_the_best_network(
    whole_group: bool, started: Start, command: str, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    table, trace, result = tmp_path / "t.csv", tmp_path / "trace.jsonl", tmp_path / "r.json"
    data = tangled(60)
    columns = {f"x{i}": data.codes[:, i].repeat(data.weights) for i in range(60)}
    pl.DataFrame(columns).write_csv(table)
    options = ["--starts", "2", "--cluster", "local:2", "--json", str(result), "--checkpoint", str(trace)]
    run = started(
        [command, "learn", str(table), "--time-limit", "600", "--max-clique", "4", *options],
    )
    while run.poll() is None and not trace.exists():
        time.sleep(0.05)
    victims = workers_of(run.pid)
    pressed = time.monotonic()
    (os.killpg if whole_group else os.kill)(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 130, said
    assert time.monotonic() - pressed < 60
    assert [line for line in said.splitlines() if " · " not in line] == []
    found = json.loads(result.read_text())
    assert found["stopped_by"] == "interrupted" and found["edges"]
    assert len(victims) == 2 and not any(Path(f"/proc/{pid}").exists() for pid in victims)


@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.5])
def test_ctrl_c_while_workers_start(seconds: float, started: Start, command: str, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    run = started(
        [command, "bootstrap", "econ", "--samples", "100000", "--cluster", "local:2"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    while run.poll() is None and not any(tmp_path.glob("chordlearn-*")):
        time.sleep(0.01)
    # Whatever of the start it meets.
    time.sleep(seconds)
    victims = workers_of(run.pid)
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 130, said
    assert "Traceback" not in said
    assert not any(Path(f"/proc/{pid}").exists() for pid in victims)
    assert list(tmp_path.glob("chordlearn-*")) == []


def workers_of(pid: int) -> list[int]:
    """The worker processes that a command has started."""
    found = []
    for child in Path(f"/proc/{pid}/task").glob("*/children"):
        for other in child.read_text().split():
            with contextlib.suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{other}/cmdline").read_bytes():
                    found.append(int(other))
    return found
