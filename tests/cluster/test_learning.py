"""Learning on a cluster gives what learning here gives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.backends.outcome import Limits, SilentObserver
from chordlearn.backends.wide_search import search_wide
from chordlearn.cli.table1 import run_one
from chordlearn.cluster import Cluster, Threads
from chordlearn.errors import InputError, StoppedError
from chordlearn.inputs import read_input, score_input
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.wide import make_wide_problem
from chordlearn.remote.datasets import share_wide_problem
from chordlearn.remote.neighbourhoods import RemoteMapper
from chordlearn.remote.scoring import score_input_on
from chordlearn.remote.starts import advance_wide
from chordlearn.result import Result
from chordlearn.scores import CustomScore
from wide_tables import tangled


def told(result: Result) -> tuple[object, ...]:
    return result.score, result.edges, result.status, result.stopped_by


@pytest.mark.parametrize("seed", [0, 3])
def test_neighbourhoods(cluster: Cluster, seed: int) -> None:
    problem = make_wide_problem(
        tangled(26, rows=200), cl.BDeu(), Constraints(4, (("x0", "x7"),), (("x1", "x2"),))
    )
    limits = Limits(seed=seed)
    everything_travels = RemoteMapper(cluster, problem, trip_seconds=0.0)
    assert search_wide(problem, limits, SilentObserver(), mapper=everything_travels) == search_wide(
        problem, limits, SilentObserver()
    )


def test_learn(cluster: Cluster) -> None:
    table = tangled(30)
    assert told(cl.learn(table, cluster=cluster, seed=5)) == told(cl.learn(table, seed=5))


@pytest.mark.parametrize("options", [{}, {"backend": "search"}])
def test_starts(cluster: Cluster, options: dict[str, str]) -> None:
    table = tangled(9 if options else 30)
    here = cl.learn(table, starts=3, seed=1, **options)
    assert told(cl.learn(table, starts=3, seed=1, cluster=cluster, **options)) == told(here)
    alone = [cl.learn(table, seed=seed, backend="search").score for seed in (1, 2, 3)]
    assert here.details["starts"] == {"seeds": [1, 2, 3], "scores": alone}
    assert here.score == max(alone)


@pytest.mark.parametrize("largest", [None, 1, 3])
def test_scores_to_the_last_bit(cluster: Cluster, largest: int | None) -> None:
    given = read_input(tangled(13, rows=300))
    expected = score_input(given, max_size=largest, threads=2)
    for workforce in (cluster, Threads(2)):
        found = score_input_on(workforce, given, max_size=largest)
        assert np.array_equal(found.values, expected.values)
        assert (found.sha256, found.max_size, found.function) == (
            expected.sha256,
            expected.max_size,
            expected.function,
        )


def test_scoring_stops_in_time(cluster: Cluster) -> None:
    with pytest.raises(StoppedError):
        score_input_on(cluster, read_input(tangled(13)), deadline=time.monotonic())


def test_bootstrap(cluster: Cluster) -> None:
    here = cl.bootstrap("heart", samples=6, seed=2)
    assert cl.bootstrap("heart", samples=6, seed=2, cluster=cluster).replicates == here.replicates


def test_a_function_does_not_travel(cluster: Cluster) -> None:
    with pytest.raises(InputError, match="does not travel"):
        cl.bootstrap("heart", samples=2, score=CustomScore(lambda *_: 0.0), cluster=cluster)


def test_runs_of_the_table(cluster: Cluster) -> None:
    rows = [("maxsat:rc2", "heart", "edges", True, 20.0), ("sat", "heart", "edges", True, 20.0)]
    found = dict(cluster.run(run_one, rows))
    assert [found[n]["backend"] for n in (0, 1)] == ["maxsat:rc2", "sat"]
    assert {found[n]["status"] for n in (0, 1)} == {"optimal"}


def test_work_that_nobody_waits_for_ends(cluster: Cluster) -> None:
    problem = make_wide_problem(tangled(60), cl.BDeu(), Constraints())
    forever = [(seed, None, 1e6, 1e6) for seed in (0, 1)]
    patience = time.monotonic() + 0.5
    shared = share_wide_problem(problem)
    assert list(cluster.run(advance_wide, forever, shared, lambda: time.monotonic() > patience)) == []
    begun = time.monotonic()
    assert cl.bootstrap("heart", samples=2, cluster=cluster).proved == 2
    assert time.monotonic() - begun < 30


def test_a_worker_is_killed_half_way(command: str, tmp_path: Path) -> None:
    """The command as a user gives it; one of its two workers dies when the search has begun."""
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    table = tmp_path / "table.csv"
    tangled(35, rows=300).to_frame().drop("count").write_csv(table)
    expected = cl.learn(table, starts=4)
    trace = tmp_path / "trace.jsonl"
    run = subprocess.Popen(
        [command, "learn", table, "--starts", "4", "--cluster", "local:2", "--json", "-", "--trace", trace],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while run.poll() is None and not (trace.exists() and '"score": -' in trace.read_text()):
        time.sleep(0.02)
    victims = children(run.pid)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    printed, said = run.communicate(timeout=60)
    found = json.loads(printed)
    assert [line for line in said.splitlines() if " · " not in line] == []
    assert (found["score"], found["edges"]) == (expected.score, [list(edge) for edge in expected.edges])


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
