"""Of the networks that tie, every exact backend returns the same: the simplest."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, Relaxation
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import load_backend
from chordlearn.backends.base.run import Run
from chordlearn.backends.base.ties import settle_ties, without_idle_edges
from chordlearn.backends.engine.exhaustive import Exhaustive
from chordlearn.backends.engine.native import Native
from chordlearn.backends.search.blocks import solve_in_blocks
from chordlearn.backends.search.local import search_with_bound
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.pipeline.checkpoints import read_checkpoint
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Incumbent, Problem, make_problem
from chordlearn.scores import score_function
from chordlearn.scores.compute import ScoredData
from engine.tied_tables import problem_of, settings_for, simplest_by_brute_force, tied_table

TABLES = 300
SOME = range(0, TABLES, 10)
SOLVERS = ("maxsat:rc2", "asp:clingo", "cp:cp-sat", "ilp:highs", "ilp:cuts", "smt:z3")


def check(seed: int, backend: str, **more: Any) -> None:
    table, settings = tied_table(seed), settings_for(seed)
    result = cl.learn(table, backend=backend, **settings, **more)
    assert result.status == "optimal"
    assert list(result.edges) == simplest_by_brute_force(problem_of(table, settings), settings), (
        seed,
        backend,
    )
    assert result.details["ties"]["simplest"]


@pytest.mark.parametrize(
    "seeds", [range(0, TABLES, 3), pytest.param(range(TABLES), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_the_simplest_of_all_by_brute_force(seeds: range) -> None:
    for seed in seeds:
        settings = settings_for(seed)
        problem = problem_of(tied_table(seed), settings)
        edges = simplest_by_brute_force(problem, settings)
        names = problem.variables
        for backend in (Native(), Exhaustive()):
            outcome = backend.solve(Run(problem))
            assert outcome.cliques is not None
            found = edges_of(graph_from_cliques(problem.n, outcome.cliques))
            assert [(names[a], names[b]) for a, b in found] == edges, (seed, backend.name)
            assert outcome.status == "optimal" and outcome.details["ties"]["simplest"]


@pytest.mark.parametrize("backend", ["native", "exhaustive"])
def test_the_same_with_constants_set_aside(backend: str) -> None:
    for seed in SOME:
        check(seed, backend)
        check(seed, backend, top=3)


@pytest.mark.parametrize("step", [100, pytest.param(3, marks=pytest.mark.slow)], ids=["some", "many"])
@pytest.mark.parametrize("backend", SOLVERS)
def test_the_same_from_every_solver(backend: str, step: int) -> None:
    if not load_backend(backend).probe().available:
        pytest.skip(f"{backend} is not installed")
    for seed in range(SOLVERS.index(backend) % step, TABLES, step):
        check(seed, backend)


def test_the_same_without_a_reduction() -> None:
    for seed in SOME:
        check(seed, "native", reduce=False)


def by_cuts(problem: Problem) -> Outcome:
    return search_with_bound(Run(problem), patient=True)


def by_blocks(problem: Problem) -> Outcome:
    return solve_in_blocks(Run(problem), Native())


@pytest.mark.parametrize("solve", [by_cuts, by_blocks])
def test_the_ways_for_many_columns(solve: Any) -> None:
    for seed in SOME[::2]:
        table, settings = tied_table(seed), {"score": "bdeu", "max_clique": 3}
        names = list(table)
        problem = make_problem(ScoredData(cl.read(table), score_function("bdeu")), Constraints(3))
        outcome = solve(problem)
        edges = simplest_by_brute_force(problem_of(table, settings), settings)
        found = edges_of(graph_from_cliques(problem.n, outcome.cliques))
        assert outcome.status == "optimal"
        if outcome.details["ties"]["simplest"]:
            assert [(names[a], names[b]) for a, b in found] == edges
        else:
            # Where the best forest is the optimum, nothing says which other forests tie.
            assert problem.n <= 2


def test_a_constant_column_stands_alone() -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 200)
    table = {"a": a, "b": a ^ (rng.random(200) < 0.2), "k": np.zeros(200, dtype=int), "c": 1 - a}
    for score in ("bdeu", "bic", "aic", "qnml", "jeffreys"):
        for backend in ("native", "exhaustive", "maxsat:rc2", "search"):
            result = cl.learn(table, score=score, backend=backend)
            assert ("k",) in result.cliques
            assert result.details["constants"] == result.details["set_aside"] == ["k"]
            assert result.details["copies"] == [["a", "c"]]
            assert cl.verify(result, table).ok


def test_constants_that_must_not_be_set_aside() -> None:
    table = {"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10, "k": [0] * 40}
    required = cl.learn(table, require=[("k", "b")])
    assert ("b", "k") in required.edges and "set_aside" not in required.details
    liked = cl.learn(table, edge_prior=0.5)
    assert "set_aside" not in liked.details and any("k" in edge for edge in liked.edges)
    forbidden = cl.learn(table, forbid=[("k", "b"), ("a", "b")])
    assert forbidden.details["set_aside"] == ["k"]
    assert forbidden.constraints["forbidden"] == [["k", "b"], ["a", "b"]]
    assert cl.verify(forbidden, table).ok


def test_nothing_but_constants() -> None:
    result = cl.learn({"k": [1, 1, 1], "l": ["x", "x", "x"]})
    assert result.cliques == (("k",), ("l",)) and result.score == 0.0
    assert result.details["constants"] == ["k", "l"]


def test_a_proof_holds_for_constants_too(tmp_path) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 100)
    table = {
        "k": np.zeros(100, dtype=int),
        "a": a,
        "b": a ^ (rng.random(100) < 0.2),
        "c": rng.integers(0, 3, 100),
    }
    for name, limit in (("clauses", None), ("cuts", 3)):
        result = cl.learn(table, proof=tmp_path / name, max_clique=limit)
        assert ("k",) in result.cliques
        report = cl.verify(tmp_path / name, table)
        assert report.ok, report.failures


@pytest.mark.parametrize(("distance", "certain"), [(0.0, True), (1e-12, True), (4e-7, False), (1e-3, True)])
def test_it_says_where_it_is_not_certain(distance: float, certain: bool) -> None:
    # An edge gains so much: nothing, what rounding may feign, less than the tolerance, or more.
    values = np.array([0.0, -1.0, -2.0, -3.0 + distance])
    result = cl.learn(cl.ScoreTable(("a", "b"), values, 2))
    assert result.details["ties"]["simplest"] is certain
    assert len(result.edges) == (distance >= 4e-7)
    assert result.status == "optimal"


def test_small_losses_do_not_add_up() -> None:
    rng = np.random.default_rng(11)
    for _ in range(30):
        values = rng.integers(0, 2, 32) * 1e-7 + rng.normal(scale=1e-9, size=32)
        values[0] = 0.0
        problem = make_problem(cl.ScoreTable(tuple("abcde"), values, 5))
        for within in (1e-8, 1e-7, 1e-6):
            relaxation = Relaxation(problem.values, [], 1)
            relaxation.tighten(-1.0, Control())
            score, cliques = relaxation.solve(relaxation.states([], 10**6, Control()), 1, Control())
            best = Incumbent(score, tuple(cliques))
            settled = settle_ties(Relaxation(problem.values, [], 1), 5, best, within, 1, Control())
            assert settled is not None
            assert settled[0].score >= score - within


def test_edges_that_gain_nothing_are_taken_away_one_by_one() -> None:
    values = np.zeros(16)
    for required, left in (((), 0), (((0, 3),), 1)):
        best = without_idle_edges(4, Incumbent(0.0, (0b1111,)), required, values.__getitem__, -1e-9)
        edges = edges_of(graph_from_cliques(4, best.cliques))
        assert edges == required and len(edges) == left


def test_where_it_takes_too_long_idle_edges_go_and_it_says_so() -> None:
    values = np.random.default_rng(1).normal(scale=10, size=1 << 13)
    values[0] = 0.0
    problem = make_problem(cl.ScoreTable(tuple("abcdefghijklm"), values, 13))
    outcome = Native().solve(Run(problem), method="dense")
    ties = outcome.details["ties"]
    assert outcome.status == "optimal"
    assert ties["simplest"] or (ties["networks"], ties["complete"]) == (1, False)


def test_runners_up_that_tie_have_an_order() -> None:
    table = {"a": [0, 1, 1, 0] * 30, "copy": [0, 1, 1, 0] * 30, "b": [0, 1, 1, 1] * 30}
    one, other = (cl.learn(table, top=3, backend=backend) for backend in ("native", "exhaustive"))
    assert one.cliques == other.cliques
    assert [r.cliques for r in one.runners_up] == [r.cliques for r in other.runners_up]
    assert cl.verify(one, table).ok


def test_the_terminal_names_constants_and_copies(call, tmp_path) -> None:
    lines = ["a,k,b,c", *(f"{i % 2},x,{i % 3},{'yn'[i % 2]}" for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    shown = " ".join(call("learn", "t.csv", "--report", "t.html").stdout.split())
    assert "always the same: k; it stands alone" in shown
    assert "determine each other: a = c" in shown
    page = (tmp_path / "t.html").read_text()
    assert "always the same: k" in page and "determine each other: a = c" in page


def test_a_run_that_goes_on_from_another_network_ends_with_the_simplest(tmp_path) -> None:
    table = {"a": [0, 1, 1, 0] * 30, "copy": [0, 1, 1, 0] * 30, "b": [0, 1, 1, 1] * 30}
    path = tmp_path / "run.json"
    best = cl.learn(table, checkpoint=path)
    other = msgspec.structs.replace(read_checkpoint(path), edges=(("a", "copy"), ("copy", "b")))
    other.write(path)
    assert best.edges == (("a", "copy"), ("a", "b")) == cl.learn(table, resume=path).edges
