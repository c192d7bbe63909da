"""What the checker takes for granted holds of every chordal graph on a few variables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pysat.solvers import Solver

from chordlearn.certificate.proofs.bounds import IMPOSSIBLE, Case, rest_bounds
from chordlearn.certificate.proofs.instance import Accounts, Core, Instance, build_instance, moebius_weights
from chordlearn.certificate.proofs.sets import members, spread_upwards
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, separators
from chordlearn.problem.constraints import Constraints
from encoding_checks.models import clauses

N = 4
PAIRS = list(itertools.combinations(range(N), 2))


def chordal_graphs():
    for chosen in itertools.product((False, True), repeat=len(PAIRS)):
        edges = [pair for pair, there in zip(PAIRS, chosen, strict=True) if there]
        graph = graph_from_edges(N, edges)
        if is_chordal(graph):
            yield edges, graph


GRAPHS = list(chordal_graphs())


def complete_sets(edges):
    known = {1 << a | 1 << b for a, b in edges}
    return [
        mask
        for mask in range(1 << N)
        if all(1 << a | 1 << b in known for a, b in itertools.combinations(members(mask), 2))
    ]


def random_case(seed):
    chance = np.random.default_rng(seed)
    integers = chance.integers(-50, 50, 1 << N)
    integers[[0, *(1 << i for i in range(N))]] = 0
    excluded = chance.random(1 << N) < 0.1
    excluded[[0, *(1 << i for i in range(N))]] = False
    spread_upwards(excluded)
    case = Case(~excluded, (0,) * N)
    for a, b in PAIRS:
        if chance.random() < 0.15:
            case = case.with_edge(a, b)
    return integers, case


def graphs_of(case):
    """The chordal graphs of a case, with their complete sets and their score."""
    for edges, graph in GRAPHS:
        complete = complete_sets(edges)
        required = {(a, b) for a, b in PAIRS if case.required[a] >> b & 1}
        if case.allowed[complete].all() and required <= set(edges):
            yield edges, graph, complete


def score(integers, graph):
    cliques = maximal_cliques(graph)
    return sum(integers[clique] for clique in cliques) - sum(
        integers[separator] for separator in separators(cliques)
    )


@pytest.mark.parametrize("seed", range(40))
def test_no_graph_exceeds_its_bounds(seed: int) -> None:
    integers, case = random_case(seed)
    rest = rest_bounds(integers, case.allowed, case.required)
    best = IMPOSSIBLE
    for _, graph, complete in graphs_of(case):
        total = score(integers, graph)
        best = max(best, total)
        for mask in complete:
            assert total <= integers[mask] + rest[mask]
    assert rest[0] >= best


def test_the_bound_is_reached_where_nothing_is_relaxed() -> None:
    case = Case(np.ones(1 << N, dtype=np.bool_), (0,) * N)
    for a, b in PAIRS:
        case = case.with_edge(a, b) if (a, b) in ((0, 1), (1, 2)) else case.without(a, b)
    integers = np.zeros(1 << N, dtype=np.int64)
    integers[0b11], integers[0b110] = 5, 7
    assert rest_bounds(integers, case.allowed, case.required)[0] == 12


def perfect_order(edges):
    """An order in which the earlier neighbours of every variable are adjacent."""
    known = set(edges)
    for order in itertools.permutations(range(N)):
        place = {variable: i for i, variable in enumerate(order)}
        if all(
            (min(a, b), max(a, b)) in known
            for last in range(N)
            for a, b in itertools.combinations(
                [i for i in order if place[i] < place[last] and (min(i, last), max(i, last)) in known], 2
            )
        ):
            return place
    raise AssertionError


def assignment(instance, edges, complete):
    """The true variables when the graph is this one, from the meanings that the file states."""
    place = perfect_order(edges)
    true = set()
    for number, meaning in enumerate(instance.meanings, start=1):
        words = meaning.split()
        if words[0] == "edge":
            holds = (int(words[1]), int(words[2])) in edges
        elif words[0] == "set":
            holds = sum(1 << int(word) for word in words[1:]) in complete
        else:
            holds = place[int(words[0])] < place[int(words[2])]
        if holds:
            true.add(number)
    return true


def holds(true, literal):
    return (abs(literal) in true) == (literal > 0)


@pytest.mark.parametrize("seed", range(20))
def test_every_graph_satisfies_the_instance_and_costs_what_it_misses(seed: int) -> None:
    integers, case = random_case(seed)
    instance = build_instance(integers, case)
    for edges, graph, complete in graphs_of(case):
        true = assignment(instance, edges, complete)
        assert all(any(holds(true, literal) for literal in clause) for clause in instance.clauses)
        cost = sum(weight for literal, weight in instance.costs.items() if not holds(true, literal))
        assert instance.best - cost == score(integers, graph)


@pytest.mark.parametrize("seed", range(20))
def test_weights_add_up_to_the_score(seed: int) -> None:
    integers, case = random_case(seed)
    weights = moebius_weights(integers, case)
    for _, graph, complete in graphs_of(case):
        assert sum(weights.get(mask, 0) for mask in complete) == score(integers, graph)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_core_keeps_the_total_cost_of_every_answer_that_respects_it(size: int) -> None:
    literals = tuple((-1) ** i * (i + 1) for i in range(size))
    costs = {literal: 3 + abs(literal) for literal in literals}
    accounts = Accounts(Instance(size, costs=costs))
    further = accounts.take(Core(3, literals), "core 1")
    for chosen in itertools.product((False, True), repeat=size):
        true = {number for number, there in enumerate(chosen, start=1) if there}
        false = [literal for literal in literals if not holds(true, literal)]
        if false:
            # The t-th new literal, from 2 on, is false when at least t are.
            counted = [literal for t, literal in enumerate(further, start=2) if len(false) >= t]
            left = sum(accounts.costs[literal] for literal in false + counted)
            assert accounts.paid + left == sum(costs[literal] for literal in false)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_counting_clauses_say_how_many_are_false(size: int) -> None:
    literals = tuple(range(1, size + 1))
    accounts = Accounts(Instance(size, costs=dict.fromkeys(literals, 1)))
    further = accounts.take(Core(1, literals), "core 1")
    with Solver(bootstrap_with=accounts.clauses) as solver:
        for chosen in itertools.product((-1, 1), repeat=size):
            facts = [sign * literal for sign, literal in zip(chosen, literals, strict=True)]
            false = chosen.count(-1)
            for t, literal in enumerate(further, start=2):
                assert solver.solve(assumptions=[*facts, literal]) == (false < t)
            wanted = [literal if false < t else -literal for t, literal in enumerate(further, start=2)]
            assert solver.solve(assumptions=[*facts, *wanted])


def test_the_instance_is_the_encoding_that_backends_solve() -> None:
    from chordlearn.encodings.edges import encode
    from chordlearn.encodings.meanings import Before, Edge
    from chordlearn.encodings.scaling import scaled_problem
    from chordlearn.problem.candidates import all_candidates
    from chordlearn.problem.problem import make_problem
    from chordlearn.scores.table import ScoreTable

    chance = np.random.default_rng(5)
    values = np.concatenate([[0.0], -np.sort(chance.random(63) * 90)])
    problem = make_problem(ScoreTable(tuple("abcdef"), values, max_size=6), Constraints(4, (("a", "c"),)))
    scaled, _ = scaled_problem(problem, 1024.0)
    model = encode(scaled, all_candidates(scaled))
    case = Case(np.isfinite(scaled.values), (0,) * 6).with_edge(0, 2)
    instance = build_instance(np.where(case.allowed, scaled.values, 0).astype(np.int64), case)

    def name(meaning) -> str:
        if isinstance(meaning, Edge):
            return f"edge {meaning.a} {meaning.b}"
        if isinstance(meaning, Before):
            return f"{meaning.a} before {meaning.b}"
        return f"set {' '.join(map(str, members(meaning.vertices)))}"

    def named(clauses, names):
        return {frozenset((literal > 0, names[abs(literal) - 1]) for literal in clause) for clause in clauses}

    names = [name(meaning) for meaning in model.meanings]
    assert named(clauses(model), names) == named(instance.clauses, instance.meanings)
    rewards = {names[variable - 1]: weight for variable, weight in model.weights.items()}
    signs = {instance.meanings[abs(x) - 1]: cost if x > 0 else -cost for x, cost in instance.costs.items()}
    assert rewards == signs
