"""Cuts that chordal graphs satisfy, the bounds they give, and proofs by branching."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, CutBound, Stopped, local_bound
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine.exhaustive import Exhaustive
from chordlearn.backends.engine.native import Native
from chordlearn.backends.search.cuts import Cuts
from chordlearn.graphs import is_chordal, maximal_cliques, perfect_elimination_order, score_of, separators
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import AIC, BIC, BDeu, make_scorer
from chordlearn.scores.table import ScoreTable
from engine.random_problems import KINDS, random_problem, random_values
from graphs.chordal_graphs import all_graphs


def families(graph: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """Along an elimination order: each variable with its neighbours before it, where there are any."""
    order = perfect_elimination_order(graph)
    assert order is not None
    found = []
    eliminated = 0
    for vertex in order:
        before = graph[vertex] & ~eliminated
        eliminated |= 1 << vertex
        if before:
            found.append((vertex, [i for i in range(len(graph)) if (before | 1 << vertex) >> i & 1]))
    return found


def some_cuts(sets: CutBound, n: int, seed: int) -> np.ndarray:
    """Cuts that random points violate."""
    rng = np.random.default_rng(seed)
    sizes = range(2, n + 1)
    numbers = np.array(sorted(sets.number(list(s)) for k in sizes for s in combinations(range(n), k)))
    nothing = np.zeros(0, dtype=np.int64)
    places = [
        sets.separate(numbers, rng.random(len(numbers)) ** power, nothing, 0.0, 1e-3, 1000)
        for power in (0.3, 1, 3, 8)
    ]
    return np.unique(np.concatenate([*places, sets.forest_cuts()]))


@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_chordal_graph_satisfies_every_cut(n: int) -> None:
    sets = CutBound.of_values(random_values(np.random.default_rng(n), n, "gaussian"), n)
    cuts = np.unique(np.concatenate([some_cuts(sets, n, seed) for seed in range(4)]))
    assert len(cuts) > n
    constants = sets.constants(cuts)
    for graph in filter(is_chordal, all_graphs(n)):
        left = constants.copy()
        if own := families(graph):
            children = np.array([child for child, _ in own])
            numbers = np.array([sets.number(members) for _, members in own])
            rows, _, values = sets.coefficients(cuts, children, numbers)
            np.add.at(left, rows, values)
        assert left.min() >= 0


def test_cuts_exclude_every_graph_that_is_not_chordal() -> None:
    n = 5
    sets = CutBound.of_values(np.zeros(1 << n), n)
    nothing = np.zeros(0, dtype=np.int64)
    for graph in all_graphs(n):
        complete = [
            sets.number(list(part))
            for size in range(2, n + 1)
            for part in combinations(range(n), size)
            if all(graph[a] >> b & 1 for a, b in combinations(part, 2))
        ]
        numbers = np.array(sorted(complete), dtype=np.int64)
        violated = sets.separate(numbers, np.ones(len(numbers)), nothing, 0.0, 1e-6, 1000)
        assert (len(violated) == 0) == is_chordal(graph)


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_hold_whatever_the_multipliers(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(15):
        n = int(rng.integers(2, 6))
        problem = random_problem(rng, n, kind, constrained=False)
        best = Exhaustive().solve(Run(problem)).score
        sets = CutBound.of_values(problem.values, n)
        cuts = some_cuts(sets, n, 3)
        for scale in (0.0, 0.1, 1.0, 100.0):
            multipliers = scale * rng.random(len(cuts)) * (rng.random(len(cuts)) < 0.3)
            assert sets.price(cuts, multipliers) >= best - 1e-9


def test_what_is_excluded_is_in_no_better_network() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        n = int(rng.integers(3, 6))
        problem = random_problem(rng, n, "likelihood", constrained=False)
        outcome = Exhaustive().solve(Run(problem))
        sets = CutBound.of_values(problem.values, n)
        cuts = some_cuts(sets, n, 1)
        sets.price(cuts, rng.random(len(cuts)))
        sets.exclude_below(outcome.score)
        assert outcome.cliques is not None
        for clique in outcome.cliques:
            members = [i for i in range(n) if clique >> i & 1]
            if len(members) > 1:
                assert not sets.excluded(np.array([sets.number(members)]))[0]


@pytest.mark.parametrize("reduce", [True, False])
def test_branch_and_cut_agrees_with_brute_force(reduce: bool) -> None:
    rng = np.random.default_rng(17 + reduce)
    for k in range(100):
        problem = random_problem(rng, int(rng.integers(1, 7)), KINDS[k % len(KINDS)])
        expected = Exhaustive().solve(Run(problem))
        outcome = Cuts().solve(Run(problem, Limits(), Options(reduce=reduce)))
        assert outcome.status == expected.status
        assert outcome.score == pytest.approx(expected.score, abs=1e-6)
        assert outcome.bound >= expected.score - 1e-9 or outcome.stopped_by == "infeasible"


def test_every_call_can_be_stopped() -> None:
    n = 6
    control = Control()
    sets = CutBound.of_values(random_values(np.random.default_rng(1), n, "gaussian"), n, control)
    cuts = some_cuts(sets, n, 1)
    multipliers = np.ones(len(cuts))
    bound = sets.price(cuts, multipliers)
    pair = np.array([sets.number([0, 1])])
    nothing = np.zeros(0, dtype=np.int64)
    control.stop()
    calls: list[Callable[[], object]] = [
        lambda: sets.price(cuts, multipliers),
        lambda: sets.exclude_below(bound + 1),
        lambda: sets.families_above([0.0] * n, 5),
        lambda: sets.separate(pair, np.ones(1), nothing, 0.0, 1e-6, 1000),
        lambda: sets.coefficients(cuts, np.zeros(1, dtype=np.int64), pair),
        lambda: sets.family_weights(np.zeros(1, dtype=np.int64), pair),
        sets.forest_cuts,
        lambda: CutBound.of_values(np.zeros(1 << n), n, control),
    ]
    for call in calls:
        with pytest.raises(Stopped):
            call()
    sets.watched_by(Control())
    # Prices that are half made hold for nothing.
    assert sets.exclude_below(bound + 1) == 0
    assert sets.price(cuts, multipliers) == bound
    assert sets.exclude_below(bound + 1) > 0


def scores_of_any_magnitude(rng: np.random.Generator, k: int) -> Problem:
    """A random score table: tiny, ordinary and huge scores, also mixed, with ties and impossible sets."""
    n = int(rng.integers(4, 8))
    values = rng.normal(size=1 << n)
    sizes = np.bitwise_count(np.arange(1 << n)).astype(float)
    match k % 6:
        case 0:
            values *= 10.0 ** rng.integers(-9, 4)
        case 1:
            values *= 10.0 ** rng.integers(4, 14)
        case 2:
            values = np.round(values * 2)
        case 3:
            values *= 10.0 ** rng.integers(-6, 12, size=1 << n)
        case 4:
            values = 5 * values - 1000 * sizes * 10.0 ** rng.integers(0, 7)
        case _:
            values = np.zeros(1 << n)
    if k % 4 == 1:
        values[(rng.random(1 << n) < 0.2) & (sizes > 1)] = -np.inf
    values[0] = 0.0
    return make_problem(ScoreTable(tuple(f"x{i}" for i in range(n)), values, n), Constraints())


@pytest.mark.parametrize("reduce", [True, False])
def test_no_magnitude_of_scores_is_too_much(reduce: bool) -> None:
    rng = np.random.default_rng(12 + reduce)
    for k in range(200 if reduce else 120):
        problem = scores_of_any_magnitude(rng, k)
        expected = Native().solve(Run(problem))
        outcome = Cuts().solve(Run(problem, Limits(), Options(reduce=reduce)))
        assert (outcome.status, outcome.stopped_by) == ("optimal", "proof")
        assert abs(outcome.score - expected.score) <= max(outcome.tolerance, expected.tolerance)
        assert outcome.tolerance <= max(
            1e-6, 1e-11 * np.abs(problem.values[np.isfinite(problem.values)]).max()
        )


def test_no_network_scores_less_than_the_least() -> None:
    rng = np.random.default_rng(2)
    for k in range(20):
        n = int(rng.integers(2, 6))
        problem = random_problem(rng, n, KINDS[k % len(KINDS)], constrained=False)
        least = CutBound.of_values(problem.values, n).least_score
        graphs = [graph for graph in all_graphs(n) if is_chordal(graph)]
        cliques = [maximal_cliques(graph) for graph in graphs]
        scores = [score_of(own, separators(own), problem.values.__getitem__) for own in cliques]
        assert least <= min(scores)
        assert least >= min(scores) - 2 * n * np.ptp(problem.values) - 1e-6


@pytest.mark.parametrize("function", [BDeu(1.0), BDeu(20.0), BIC(), AIC()])
@pytest.mark.parametrize("largest", [1, 2, 3, 5])
def test_bounds_of_parents_hold(function: BDeu | BIC | AIC, largest: int) -> None:
    rng = np.random.default_rng(3)
    for rows in (1, 5, 200):
        first = rng.integers(0, 3, rows)
        columns = [first] + [
            np.where(rng.random(rows) < 0.3, rng.integers(0, 3, rows), first) for _ in range(5)
        ]
        dataset = cl.read({f"x{i}": column for i, column in enumerate(columns)})
        best = cl.learn(dataset, score=function).score
        assert local_bound(make_scorer(dataset, function), largest, 1, Control()) >= best - 1e-9


def test_small_sets_score_as_single_sets_do(measuring_data: Path) -> None:
    for name, largest in (("bn/insurance_1000.csv", 3), ("gm/hs0.csv", 4)):
        path = measuring_data / name
        if not path.exists():
            continue
        dataset = cl.read(path)
        scorer = make_scorer(dataset, BDeu(1.0))
        sets = CutBound.of_table(scorer, largest, [], 2, Control())
        rng = np.random.default_rng(1)
        for _ in range(50):
            members = sorted(rng.choice(len(dataset.variables), largest, replace=False).tolist())
            child = members[1]
            rest = [i for i in members if i != child]
            expected = float(np.dot([1, -1, -1], scorer.sets([members, rest, [child]])))
            weight = sets.family_weights(np.array([child]), np.array([sets.number(members)]))
            assert weight[0] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("largest", "score"), [(3, -10029.10), (4, -10018.99)])
def test_thirty_variables_are_proved(measuring_data: Path, largest: int, score: float) -> None:
    path = measuring_data / "bn" / "alarm_1000.csv"
    names = cl.read(path).variables[:30]
    result = cl.learn(path, columns=names, max_clique=largest, backend="ilp:cuts")
    assert result.status == "optimal"
    assert result.score == pytest.approx(score, abs=0.01)
    assert cl.verify(result, path).ok


@pytest.mark.parametrize("backend", ["native", "maxsat:rc2"])
def test_any_backend_solves_what_the_cuts_leave(measuring_data: Path, backend: str) -> None:
    path = measuring_data / "bn" / "alarm_1000.csv"
    names = cl.read(path).variables[:30]
    result = cl.learn(path, columns=names, max_clique=3, backend=backend)
    assert result.status == "optimal"
    assert result.score == pytest.approx(-10029.10, abs=0.01)
    assert result.backend == backend
    assert max(result.details["blocks"]) <= 30


def test_constraints_hold_where_there_are_many_variables(measuring_data: Path) -> None:
    path = measuring_data / "bn" / "alarm_1000.csv"
    names = cl.read(path).variables[:28]
    free = cl.learn(path, columns=names, max_clique=3, backend="ilp:cuts")
    gone = free.edges[0]
    result = cl.learn(
        path, columns=names, max_clique=3, backend="ilp:cuts", forbid=[gone], require=[(names[0], names[9])]
    )
    assert result.status == "optimal"
    assert result.score < free.score
    assert gone not in result.edges
    assert (names[0], names[9]) in result.edges
