"""Learning on a cluster gives what learning here gives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Stopped, WideSearch
from chordlearn.backends.outcome import Limits, SilentObserver
from chordlearn.backends.wide_search import Mapper, State, search_wide
from chordlearn.checkpoint import Identity, Keeper
from chordlearn.checkpoint.states import to_json
from chordlearn.cli.table1 import run_one
from chordlearn.cluster import Cluster, Threads
from chordlearn.errors import InputError, StoppedError
from chordlearn.inputs import read_input, score_input
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.wide import WideProblem, make_wide_problem
from chordlearn.remote.datasets import share_wide_problem
from chordlearn.remote.neighbourhoods import RemoteMapper
from chordlearn.remote.scoring import score_input_on
from chordlearn.remote.starts import advance_wide, search_wide_from_seeds
from chordlearn.scores import CustomScore
from wide_tables import tangled

pytestmark = pytest.mark.usefixtures("without_highs")


def problem_of(n: int) -> WideProblem:
    constraints = Constraints(4, (("x0", "x7"),), (("x1", "x2"),))
    return make_wide_problem(tangled(n, rows=100), cl.BDeu(), constraints)


def waves(problem: WideProblem, count: int, mapper: Mapper | None = None, at_half: Any = None) -> State:
    """The state of a search after some waves of neighbourhoods."""
    states: list[State] = []

    def keep(search: WideSearch) -> None:
        states.append(search.state())
        if at_half is not None and len(states) == count // 2:
            at_half()
        if len(states) == count:
            raise Stopped

    search_wide(problem, Limits(seed=3), SilentObserver(), mapper=mapper, after_wave=keep)
    assert len(states) == count
    return states[-1]


def test_neighbourhoods(cluster: Cluster) -> None:
    problem = problem_of(40)
    everything_travels = RemoteMapper(cluster, problem, trip_seconds=0.0)
    assert_same(waves(problem, 20, everything_travels), waves(problem, 20))


def test_neighbourhoods_when_a_worker_is_killed_half_way() -> None:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'chordlearn[dask]'")
    problem = problem_of(40)
    others = set(children(os.getpid()))
    with Cluster("local:2") as cluster:
        victim = max(set(children(os.getpid())) - others)
        mapper = RemoteMapper(cluster, problem, trip_seconds=0.0)
        found = waves(problem, 20, mapper, lambda: os.kill(victim, signal.SIGKILL))
        give_up = time.monotonic() + 60
        while cluster.slots > 1 and time.monotonic() < give_up:
            time.sleep(0.05)
        assert (cluster.slots, cluster.lost) == (1, False)
    assert_same(found, waves(problem, 20))


def assert_same(found: State, expected: State) -> None:
    assert to_json(dict(found)) == to_json(dict(expected))


def test_starts(cluster: Cluster) -> None:
    problem = problem_of(8)
    found = [
        search_wide_from_seeds(workforce, problem, Limits(seed=1), keeper_of(problem), starts=2)
        for workforce in (cluster, Threads(2))
    ]
    alone = [search_wide(problem, Limits(seed=seed), SilentObserver()) for seed in (1, 2)]
    best = max(alone, key=lambda outcome: outcome.score)
    assert {(outcome.score, outcome.cliques) for outcome in found} == {(best.score, best.cliques)}
    for outcome in found:
        assert outcome.details["starts"] == {"seeds": [1, 2], "scores": [one.score for one in alone]}


def keeper_of(problem: WideProblem) -> Keeper:
    identity = Identity(problem.variables, "", {}, problem.constraints.as_json())
    keeper = Keeper(SilentObserver(), identity, seed=1)
    keeper.begin("starts", Constraints(), lambda masks: [])
    return keeper


def test_starts_with_all_sets_scored(cluster: Cluster) -> None:
    options = {"starts": 3, "seed": 1, "backend": "search"}
    here, there = cl.learn("econ", **options), cl.learn("econ", cluster=cluster, **options)
    assert (here.score, here.edges, here.details) == (there.score, there.edges, there.details)
    assert here.details["starts"]["scores"] == [
        cl.learn("econ", seed=seed, backend="search").score for seed in (1, 2, 3)
    ]


def test_learn(cluster: Cluster) -> None:
    result = cl.learn(tangled(30), cluster=cluster, time_limit=1.0)
    assert (result.backend, result.stopped_by) == ("search", "time limit")
    assert cl.verify(result, tangled(30)).ok


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
    rows = [("maxsat:rc2", "heart", "edges", True, 300.0), ("sat", "heart", "edges", True, 300.0)]
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
    assert time.monotonic() - begun < 300


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
    victims = children(run.pid)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    printed, said = run.communicate(timeout=300)
    assert [line for line in said.splitlines() if " · " not in line] == []
    assert json.loads(printed) == json.loads(json.dumps(cl.bootstrap("econ", samples=samples).to_json()))


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
