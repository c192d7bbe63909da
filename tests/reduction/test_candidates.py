"""What the reduction excludes, against all chordal graphs of small problems."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from chordlearn._core import Control, exhaustive
from chordlearn.backends.base.run import Run
from chordlearn.backends.engine import native
from chordlearn.problem.candidates import all_candidates, reduce_candidates
from chordlearn.problem.problem import Problem
from engine.random_problems import KINDS, random_problem

Network = tuple[float, list[int]]
Edge = tuple[int, int]

LAGRANGIAN = (0, 1, 12)
"""Numbers of iterations to test with."""


def problems(count: int, most: int) -> list[Problem]:
    rng = np.random.default_rng(31)
    return [random_problem(rng, int(rng.integers(1, most + 1)), KINDS[k % len(KINDS)]) for k in range(count)]


def all_networks(problem: Problem) -> list[Network]:
    """Every network that the problem allows, the best first."""
    return exhaustive(problem.values, list(problem.required), 20_000, Control())[1]


def lower_bounds(networks: list[Network], rng: np.random.Generator) -> list[float]:
    """Just below the best, and a score somewhere further down."""
    scores = [score for score, _ in networks]
    return [scores[0] - 1e-6, float(rng.choice(scores[:50])), scores[-1] - 1.0]


def edges_of(cliques: list[int]) -> set[Edge]:
    return {
        (a, b)
        for a, b in combinations(range(max(cliques).bit_length()), 2)
        for clique in cliques
        if clique >> a & clique >> b & 1
    }


@cache
def solvable(count: int, most: int) -> list[tuple[Problem, list[Network]]]:
    solved = [(problem, all_networks(problem)) for problem in problems(count, most)]
    return [(problem, networks) for problem, networks in solved if networks]


def test_bounds_and_kept_sets_cover_every_better_network() -> None:
    rng = np.random.default_rng(1)
    for problem, networks in [*solvable(300, 5), *solvable(20, 6)]:
        for lower in lower_bounds(networks, rng):
            better = [network for network in networks if network[0] > lower + 1e-9][:500]
            for iterations in LAGRANGIAN:
                candidates = reduce_candidates(problem, lower, lagrangian=iterations)
                kept = set(candidates.masks.tolist())
                assert max(candidates.bound, lower) >= networks[0][0] - 1e-9
                for score, cliques in better:
                    for clique in cliques:
                        assert clique in kept
                        assert candidates.bound_with(clique) >= score - 1e-9


def test_kept_sets_are_closed_downwards() -> None:
    rng = np.random.default_rng(2)
    for problem, networks in solvable(60, 5):
        for lower in lower_bounds(networks, rng):
            kept = {0, *reduce_candidates(problem, lower, lagrangian=8).masks.tolist()}
            assert all(mask & ~(1 << i) in kept for mask in kept for i in range(problem.n))


def test_lagrangian_bound_is_never_worse() -> None:
    rng = np.random.default_rng(3)
    better = 0
    for problem, networks in solvable(200, 6):
        for lower in lower_bounds(networks, rng):
            plain = reduce_candidates(problem, lower)
            for iterations in (1, 15):
                tightened = reduce_candidates(problem, lower, lagrangian=iterations)
                assert tightened.bound <= plain.bound
                assert set(tightened.masks.tolist()) <= set(plain.masks.tolist())
                better += tightened.bound < plain.bound - 1e-3
    assert better > 50


def test_forced_edges_are_in_every_better_network() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for problem, networks in [*solvable(200, 5), *solvable(15, 6)]:
        pairs = list(combinations(range(problem.n), 2))
        for lower in lower_bounds(networks, rng):
            better = [(score, edges_of(cliques)) for score, cliques in networks if score > lower + 1e-9]
            for iterations in (0, 10):
                candidates = reduce_candidates(problem, lower, lagrangian=iterations)
                forced = candidates.forced_edges(pairs)
                assert all(set(forced) <= edges for _, edges in better)
                assert set(problem.required) <= set(forced)
                found += len(forced)
                relaxation = candidates.relaxation
                assert relaxation is not None
                for a, b in pairs:
                    most = max((score for score, edges in better if (a, b) not in edges), default=-math.inf)
                    assert relaxation.bound_without(a, b) >= most - 1e-9
    assert found > 500


@pytest.mark.parametrize("n", [4, 8])
def test_an_edge_that_all_depends_on_is_forced(n: int) -> None:
    """With independent variables but one pair, the pair is forced, wherever its bits lie."""
    rng = np.random.default_rng(n)
    for a, b in combinations(range(n), 2):
        masks = np.arange(1 << n)
        pair = (masks >> a & masks >> b & 1).astype(float)
        values = -10.0 * np.bitwise_count(masks) - 0.1 * np.bitwise_count(masks) ** 2 + 5.0 * pair
        problem = random_problem(rng, n, "equal", constrained=False)
        problem = replace(problem, table=values, required=(), max_clique=n)
        lower = -10.1 * n + 4.0
        candidates = reduce_candidates(problem, lower)
        assert candidates.forced_edges(combinations(range(n), 2)) == ((a, b),)


@pytest.mark.parametrize("spoilt", [0.0, 3.0, 100.0])
def test_program_finds_the_same_with_multipliers(spoilt: float) -> None:
    for problem, networks in solvable(150, 6):
        lower = networks[0][0] - 1e-6 - spoilt
        for iterations in LAGRANGIAN:
            relaxation = reduce_candidates(problem, lower, lagrangian=iterations).relaxation
            assert relaxation is not None
            score, _ = relaxation.solve(relaxation.states([], 10**7, Control()), 1, Control())
            assert score == pytest.approx(networks[0][0], abs=1e-9)
            if spoilt and problem.n < 6:
                top = relaxation.solve_top(relaxation.states([], 10**7, Control()), 5, 1, Control())
                better = [score for score, _ in networks[:5] if score > lower]
                assert [score for score, _ in top[: len(better)]] == pytest.approx(better, abs=1e-9)


def test_multipliers_stay_valid_for_other_lower_bounds() -> None:
    for problem, networks in solvable(100, 5):
        relaxation = reduce_candidates(problem, networks[0][0] - 5.0, lagrangian=10).relaxation
        assert relaxation is not None
        kept = relaxation.snapshot()
        for below in (-1.0, 2.0, 1e-6):
            relaxation.restore(kept)
            relaxation.tighten(networks[0][0] - below, Control())
            score, _ = relaxation.solve(relaxation.states([], 10**7, Control()), 1, Control())
            want = networks[0][0] if below > 0 else -math.inf
            assert score == pytest.approx(want, abs=1e-9) or (below < 0 and score <= networks[0][0])


def test_native_finds_the_same_when_all_cases_are_hard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "EASY_STATES", 0)
    monkeypatch.setattr(native, "dense_fits", lambda *_: False)
    for problem, networks in solvable(60, 6):
        outcome = native.Native().solve(Run(problem))
        assert outcome.status == "optimal"
        assert outcome.score == pytest.approx(networks[0][0], abs=1e-9)


def test_threads_agree() -> None:
    problem = random_problem(np.random.default_rng(5), 9, "walk", constrained=False)
    lower = float(sum(problem.values[1 << i] for i in range(problem.n)))  # of the network without edges
    results = [reduce_candidates(problem, lower, threads=threads, lagrangian=10) for threads in (1, 3)]
    assert results[0].bound == results[1].bound
    assert results[0].masks.tolist() == results[1].masks.tolist()
    pairs = list(combinations(range(9), 2))
    assert results[0].forced_edges(pairs) == results[1].forced_edges(pairs)


def test_nothing_better_leaves_nothing() -> None:
    for problem, networks in solvable(40, 5):
        candidates = reduce_candidates(problem, networks[0][0] + 1e6, lagrangian=5)
        assert candidates.after == 0
        assert candidates.bound <= candidates.lower


def test_all_candidates_force_nothing() -> None:
    assert all_candidates(problems(1, 4)[0]).forced_edges([(0, 1)]) == ()
