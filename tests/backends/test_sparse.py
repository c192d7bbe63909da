"""A list of sets of many variables is a problem as any other: every encoding and solver takes it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.registry import load_backend
from chordlearn.backends.base.run import Options, Run
from chordlearn.encodings import ENCODINGS
from chordlearn.encodings.asp import RULE_FILES, facts
from chordlearn.encodings.paper import joinable
from chordlearn.encodings.scaling import scaled_problem
from chordlearn.encodings.size import joinable_pairs
from chordlearn.encodings.weights import minimal_forbidden, moebius_weights
from chordlearn.graphs import members
from chordlearn.problem.candidates import Candidates, all_candidates
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import SparseScores
from encoding_checks.models import clauses, linear
from encoding_checks.problems import optimum, random_problem

MANY = 70
SOLVERS = (
    "maxsat:rc2",
    "asp:clingo",
    "asp:hclasp",
    "asp:lp2normal",
    "cp:cp-sat",
    "smt:z3",
    "ilp:highs",
    "sat",
)


def as_list(problem: Problem) -> Problem:
    """The same, as a list of sets."""
    return problem.restricted(range(1 << problem.n))


def spread(problem: Problem) -> Problem:
    """The same on some of many variables, of which the others score 0 alone and fit to nothing."""
    places = np.random.default_rng(problem.n).permutation(MANY)[: problem.n].tolist()
    names = [f"alone{i}" for i in range(MANY)]
    for name, place in zip(problem.variables, places, strict=True):
        names[place] = name
    scores = {1 << i: 0.0 for i in range(MANY)}
    for mask, score in enumerate(problem.values.tolist()):
        if mask:
            scores[sum(1 << places[i] for i in members(mask))] = score
    return make_problem(SparseScores(tuple(names), scores), problem.constraints)


@pytest.mark.parametrize("seed", range(16))
def test_models_of_a_list_and_of_a_table_are_the_same(seed: int) -> None:
    problem = random_problem(seed)
    if not np.isfinite(problem.score_sets([1 << i for i in range(problem.n)])).all():
        pytest.skip("a variable without a score")
    listed = as_list(problem)
    assert listed.table is None and np.array_equal(listed.values, problem.values)
    for sets in (problem, listed):
        assert all_candidates(sets).masks.tolist() == np.flatnonzero(np.isfinite(problem.values))[1:].tolist()
    for encoding in ENCODINGS.values():
        models = [encoding.encode(sets, all_candidates(sets)) for sets in (problem, listed)]
        table, sparse = (
            (model.meanings, clauses(model), linear(model), model.weights, model.constant) for model in models
        )
        assert table == sparse
    for name in RULE_FILES:
        scaled = [scaled_problem(sets, 100.0)[0] for sets in (problem, listed)]
        first, second = (facts(sets, all_candidates(sets), name) for sets in scaled)
        assert first == second


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", [0, 3, 4, 5, 6])
def test_solvers_find_the_optimum_among_many_variables(solver: str, seed: int) -> None:
    backend = load_backend(solver)
    if not backend.probe().available:
        pytest.skip(f"{solver} is not here")
    problem = random_problem(seed)
    outcome = backend.solve(Run(spread(problem), Limits(seconds=60)))
    assert outcome.status == "optimal"
    assert outcome.score == pytest.approx(optimum(problem), abs=1e-6)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("solver", ["maxsat:rc2", "asp:clingo"])
def test_every_encoding_takes_a_list(solver: str, encoding: str) -> None:
    problem = random_problem(4)
    run = Run(spread(problem), Limits(seconds=60), Options(reduce=False, encoding=encoding))
    outcome = load_backend(solver).solve(run)
    assert outcome.status == "optimal"
    assert outcome.score == pytest.approx(optimum(problem), abs=1e-6)


def test_what_lacks_a_subset_or_breaks_the_constraints_is_left_out() -> None:
    names = tuple("abcd")
    scores = dict.fromkeys([1, 2, 4, 8, 0b0011, 0b0101, 0b0110, 0b0111, 0b1001, 0b1011], -1.0)
    free = make_problem(SparseScores(names, scores))
    assert free.listed is not None and sorted(free.listed) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    small = make_problem(SparseScores(names, scores), Constraints(2, forbidden=(("a", "d"),)))
    assert small.listed is not None and sorted(small.listed) == [0, 1, 2, 3, 4, 5, 6, 8]
    assert free.restricted([8, 4, 2, 1, 3, 7]).max_clique == 2


def test_weights_and_minimal_sets_by_their_definitions() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        n = 6
        graph = rng.random((n, n)) < 0.6
        family = {0}
        for mask in range(1, 1 << n):
            inside = list(members(mask))
            below = all(mask ^ 1 << i in family for i in inside)
            if below and all(graph[a, b] for a, b in combinations(inside, 2)) and rng.random() < 0.9:
                family.add(mask)
        family |= {1 << i for i in range(n)}
        problem = make_problem(
            SparseScores(tuple("abcdef"), {mask: float(rng.normal()) for mask in sorted(family) if mask})
        )
        candidates = all_candidates(problem)
        family = {0, *candidates.masks.tolist()}
        lacking = [mask for mask in range(1 << n) if mask not in family]
        assert minimal_forbidden(problem, candidates) == [
            mask for mask in lacking if all(mask ^ 1 << i in family for i in members(mask))
        ]
        assert joinable_pairs(problem, candidates) == len(list(joinable(candidates)))
        weights = moebius_weights(problem, candidates)
        singles = [problem.value(1 << i) for i in range(n)]
        for mask in family - {0}:
            total = sum(weights[part] for part in family if part & mask == part)
            alone = sum(singles[i] for i in members(mask))
            assert alone + total == pytest.approx(problem.value(mask))


def test_masks_of_hundreds_of_variables_stay_whole() -> None:
    n = 300
    scores = {1 << i: -1.0 for i in range(n)} | {1 << 0 | 1 << n - 1: -1.5}
    problem = make_problem(SparseScores(tuple(f"x{i}" for i in range(n)), scores))
    candidates: Candidates = all_candidates(problem)
    assert candidates.after == n + 1
    outcome = load_backend("maxsat:rc2").solve(Run(problem))
    assert outcome.status == "optimal"
    assert outcome.score == -299.5
    assert outcome.cliques is not None and is_complete_pair(outcome.cliques, 0, n - 1)


def is_complete_pair(cliques: tuple[int, ...], a: int, b: int) -> bool:
    return any(clique >> a & 1 and clique >> b & 1 for clique in cliques)
