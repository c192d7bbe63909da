"""Fifty threads that learn at once: each gets its own right answer, and none sees another's limits."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.scores import ScoreTable

THREADS = 50
OPTIMA = {"heart": -6732.459258, "econ": -2695.956501}
BACKENDS = (
    "auto",
    "native",
    "search",
    "exhaustive",
    "ilp:cuts",
    "auto",
    "native",
    "auto",
    "maxsat:rc2",
    "asp:clingo",
)


def at_once(works: list[Callable[[], object]]) -> list[object]:
    """What each gives when all begin together; the first failure is raised."""
    begin = threading.Barrier(len(works))
    answers: list[object] = [None] * len(works)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            begin.wait()
            answers[number] = works[number]()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return answers


def hard_scores(variables: int = 17) -> ScoreTable:
    """Random scores, of which no bound rules out much."""
    values = np.random.default_rng(1).normal(scale=10, size=1 << variables)
    values[0] = 0.0
    return ScoreTable(tuple(f"v{i}" for i in range(variables)), values, variables)


def small_table(number: int) -> dict[str, list[int]]:
    rng = np.random.default_rng(number)
    first = rng.integers(0, 2, 200)
    columns = {"a": first}
    for name in "bcde":
        columns[name] = np.where(rng.random(200) < 0.7, first, rng.integers(0, 2, 200))
    return {name: values.tolist() for name, values in columns.items()}


def test_right_answers() -> None:
    cases: list[tuple[Any, Mapping[str, Any], float]] = []
    for number in range(THREADS):
        if number % 5 == 4:
            given: Any = small_table(number)
            expected = cl.learn(given, backend="exhaustive").score
        else:
            given = "econ" if number % 5 == 3 else "heart"
            expected = OPTIMA[given]
        backend = BACKENDS[number % len(BACKENDS)]
        if given == "econ" and backend == "exhaustive":
            backend = "native"
        cases.append((given, {"backend": backend, "seed": number, "threads": 1 + number % 3}, expected))
    results = at_once([partial(cl.learn, given, **how) for given, how, _ in cases])
    for result, (_, how, expected) in zip(results, cases, strict=True):
        assert isinstance(result, cl.Result)
        assert abs(result.score - expected) < 1e-6, how
        assert result.bound >= result.score - 1e-9
        assert result.seed == how["seed"]
        assert result.status == "optimal" or how["backend"] == "search"


def test_limits_and_observers_are_each_thread_s_own() -> None:
    hard = hard_scores()
    heart = cl.read("heart")

    class Noting:
        def __init__(self) -> None:
            self.scores: set[float] = set()

        def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
            if score is not None:
                self.scores.add(score)

    observers = [Noting() for _ in range(12)]
    stopped = at_once(
        [
            partial(cl.learn, hard, time_limit=0.4, threads=1, observer=observer)
            if number % 4 == 0
            else partial(cl.learn, heart, threads=1, time_limit=600, observer=observer)
            for number, observer in enumerate(observers)
        ]
    )
    for number, (result, observer) in enumerate(zip(stopped, observers, strict=True)):
        assert isinstance(result, cl.Result)
        if number % 4 == 0:
            assert result.stopped_by == "time limit" and len(result.variables) == 17
            assert all(score > -1000 for score in observer.scores)
        else:
            assert result.status == "optimal" and abs(result.score - OPTIMA["heart"]) < 1e-6
            assert all(-7500 < score < -6700 for score in observer.scores)


def test_the_same_seed_gives_the_same_network_beside_others() -> None:
    data = cl.read({f"{name}{i}": column for i in range(6) for name, column in small_table(i).items()})
    alone = [cl.learn(data, backend="search", seed=seed, max_clique=3, threads=1).cliques for seed in (1, 2)]
    together = at_once(
        [
            partial(cl.learn, data, backend="search", seed=1 + number % 2, max_clique=3, threads=1)
            for number in range(6)
        ]
    )
    for number, result in enumerate(together):
        assert isinstance(result, cl.Result)
        assert result.cliques == alone[number % 2]


CTRL_C = """
import signal, sys, threading, time
import numpy as np
import chordlearn as cl
sys.path.insert(0, sys.argv[1])
from load.test_threads import hard_scores
hard = hard_scores()
cl.learn("heart")
before = signal.getsignal(signal.SIGINT)
results = []
beside = [
    threading.Thread(target=lambda: results.append(cl.learn(hard, time_limit=1.5, threads=1)))
    for _ in range(4)
]
quick = [threading.Thread(target=lambda: results.append(cl.learn("heart", threads=1))) for _ in range(8)]
for thread in (*beside, *quick):
    thread.start()
class PressingCtrlC:
    pressed = False
    def progress(self, stage, score, bound, detail=""):
        if score is not None and not self.pressed:
            self.pressed = True
            threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
mine = cl.learn(hard, time_limit=100, threads=1, observer=PressingCtrlC())
assert mine.stopped_by == "interrupted", mine.stopped_by
for thread in (*beside, *quick):
    thread.join()
reasons = sorted(result.stopped_by for result in results)
assert reasons.count("time limit") == 4 and len(reasons) == 12, reasons
assert signal.getsignal(signal.SIGINT) is before
print("answered")
"""


def test_ctrl_c_is_for_the_main_thread(request: pytest.FixtureRequest) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CTRL_C, str(request.config.rootpath / "tests")],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout == "answered\n", done.stderr
