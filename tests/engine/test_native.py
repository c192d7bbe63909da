"""The exact engine against brute force, in each of its modes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, Relaxation, exhaustive, solve_dense
from chordlearn.backends.base.outcome import Limits, SilentObserver
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine.native import Native
from chordlearn.backends.search.local import Search
from chordlearn.errors import InputError, TooLargeError
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import ScoreTable
from engine.random_problems import KINDS, random_problem

OBSERVER = SilentObserver()


def brute_force(problem: Problem, top: int = 1) -> list[tuple[float, list[int]]]:
    return exhaustive(problem.values, list(problem.required), top, Control())[1]


def optimum(problem: Problem) -> float:
    return next((score for score, _ in brute_force(problem)), -math.inf)


def problems(count: int, most: int, **options: bool) -> list[Problem]:
    rng = np.random.default_rng(20130)
    return [
        random_problem(rng, int(rng.integers(1, most + 1)), KINDS[k % len(KINDS)], **options)
        for k in range(count)
    ]


@pytest.mark.parametrize("n,count", [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822), (6, 18154), (7, 617675)])
def test_number_of_chordal_graphs(n: int, count: int) -> None:
    assert exhaustive(np.zeros(1 << n), [], 1, Control())[0] == count


def test_modes_agree_with_brute_force() -> None:
    for problem in problems(250, 6):
        want = optimum(problem)
        for method in ("pruned", "dense", None):
            outcome = Native().solve(Run(problem), method=method)
            assert outcome.score == pytest.approx(want, abs=1e-9), (problem, method)
            assert outcome.status == ("none" if math.isinf(want) else "optimal")
            assert outcome.bound >= want - 1e-9 or math.isinf(want)


@pytest.mark.parametrize("spoilt", [0.0, 10.0, 100.0])
def test_any_lower_bound_will_do(spoilt: float) -> None:
    for problem in problems(160, 6):
        want = optimum(problem)
        if math.isinf(want):
            continue
        relaxation = Relaxation(problem.values, list(problem.required), 1)
        relaxation.tighten(want - 1e-6 - spoilt, Control())
        assert max(relaxation.bound, relaxation.lower) >= want - 1e-9
        pruned, _ = relaxation.solve(relaxation.states([], 10**7, Control()), 1, Control())
        assert pruned == pytest.approx(want, abs=1e-9)
        if problem.n >= 4:
            (dense, _), bound = solve_dense(relaxation, 1, Control())
            assert dense == pytest.approx(want, abs=1e-9)
            assert bound >= want - 1e-9


def test_solving_leaves_the_states_as_they_are() -> None:
    problem = random_problem(np.random.default_rng(7), 6, KINDS[0])
    relaxation = Relaxation(problem.values, list(problem.required), 1)
    relaxation.tighten(optimum(problem) - 1, Control())
    states = relaxation.states([], 10**7, Control())
    first = relaxation.solve(states, 1, Control())
    assert math.isfinite(first[0])
    assert relaxation.solve_two(states, 1, Control())[0] == first
    assert relaxation.solve_top(states, 1, 1, Control())[0][0] == pytest.approx(first[0], abs=1e-9)
    assert relaxation.solve_simplest(states, 0.0, 0.0, 1, Control())[0][0] == pytest.approx(
        first[0], abs=1e-9
    )
    assert relaxation.solve(states, 1, Control()) == first


def test_seven_and_eight_variables() -> None:
    rng = np.random.default_rng(7)
    for kind in KINDS:
        problem = random_problem(rng, 7, kind)
        assert Native().solve(Run(problem)).score == pytest.approx(optimum(problem), abs=1e-9)
    for kind in KINDS:
        problem = random_problem(rng, 8, kind)
        scores = {method: Native().solve(Run(problem), method=method).score for method in ("pruned", "dense")}
        assert scores["pruned"] == pytest.approx(scores["dense"], abs=1e-9)


def test_without_bounds() -> None:
    for problem in problems(40, 5):
        outcome = Native().solve(Run(problem, Limits(), Options(reduce=False)))
        assert outcome.score == pytest.approx(optimum(problem), abs=1e-9)


def test_bound_of_each_set_is_valid() -> None:
    for problem in problems(40, 5, constrained=False):
        ranked = brute_force(problem, top=100_000)
        relaxation = Relaxation(problem.values, [], 1)
        relaxation.tighten(ranked[0][0] - 20.0, Control())
        for score, cliques in ranked[:200]:
            for clique in cliques:
                assert max(relaxation.bound_with(clique), relaxation.lower) >= score - 1e-9


def test_top_networks() -> None:
    for k, problem in enumerate(problems(80, 5)):
        want = brute_force(problem, top=k % 9 + 2)
        if not want:
            continue
        outcome = Native().solve(Run(problem, Limits(), Options(top=k % 9 + 2)))
        got = [outcome.score, *(score for _, score in outcome.runners_up)]
        assert got == pytest.approx([score for score, _ in want], abs=1e-9)
        networks = {frozenset(outcome.cliques or ()), *(frozenset(c) for c, _ in outcome.runners_up)}
        assert len(networks) == len(want)


def test_threads_and_runs_agree() -> None:
    problem = random_problem(np.random.default_rng(3), 11, "gaussian")
    outcomes = [Native().solve(Run(problem, Limits(threads=threads, seed=5))) for threads in (1, 2, 2, 3)]
    assert len({(outcome.cliques, outcome.score) for outcome in outcomes}) == 1


def test_search_finds_what_is_proved() -> None:
    for problem in problems(60, 6):
        outcome = Search().solve(Run(problem))
        if outcome.cliques is not None:
            want = optimum(problem)
            assert outcome.score <= want + 1e-9
            assert outcome.bound >= want - 1e-9


def test_time_limit_keeps_network_and_bound() -> None:
    problem = random_problem(np.random.default_rng(1), 16, "gaussian", constrained=False)
    outcome = Native().solve(Run(problem, Limits(seconds=0.02)))
    assert outcome.stopped_by == "time limit"
    assert outcome.status == "feasible"
    assert outcome.bound >= outcome.score


def test_memory_limit() -> None:
    values = np.random.default_rng(2).normal(size=1 << 13)
    values[0] = 0.0
    problem = make_problem(ScoreTable(tuple(f"x{i}" for i in range(13)), values, max_size=13))
    outcome = Native().solve(Run(problem, Limits(memory_bytes=1_000_000 + problem.values.nbytes)))
    assert (outcome.status, outcome.stopped_by) == ("feasible", "memory limit")
    with pytest.raises(TooLargeError, match=r"keep at most \d+ columns"):
        Native().solve(Run(problem, Limits(memory_bytes=100_000 + problem.values.nbytes)))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"backend": "native", "encoding": "paper"}, "has no encodings"),
        ({"backend": "native", "starts": 2}, "does not search from several seeds"),
        ({"backend": "maxsat:rc2", "top": 2}, "gives one network"),
    ],
)
def test_what_a_backend_cannot_do_is_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        cl.learn("heart", **options)
