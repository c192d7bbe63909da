"""The solutions of each encoding are exactly the chordal graphs, whatever is switched on or off."""

from __future__ import annotations

import numpy as np
import pytest
from pysat.solvers import Solver

from chordlearn.encodings import ENCODINGS
from chordlearn.encodings.meanings import Edge
from chordlearn.problem.candidates import all_candidates
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from encoding_checks.models import cliques_of, hard_clauses
from encoding_checks.problems import table

BARE_PAPER = {
    "implicit_cliques": False,
    "chordality": False,
    "at_most_n_cliques": False,
    "forbidden_sets": False,
}


def graphs(model):
    """Every set of edges that can be completed to a solution."""
    edges = [number for number, meaning in enumerate(model.meanings, 1) if isinstance(meaning, Edge)]
    found = set()
    with Solver("cadical153", bootstrap_with=hard_clauses(model)) as solver:
        while solver.solve():
            answer = set(solver.get_model())
            found.add(cliques_of(model, answer))
            solver.add_clause([-e if e in answer else e for e in edges])
    return found


@pytest.mark.parametrize(
    ("encoding", "options"),
    [
        ("paper", {}),
        ("paper", BARE_PAPER),
        ("paper", {"balanced_pairs": True, "paper_levels": True}),
        ("edges", {}),
        ("elimination", {}),
        ("elimination", {"break_symmetry": False}),
        ("elimination", {"aggregated": True}),
    ],
)
def test_all_chordal_graphs_are_solutions(encoding, options):
    for n, chordal in ((2, 2), (3, 8), (4, 61), (5, 822)):
        problem = make_problem(table(np.random.default_rng(n).normal(size=1 << n)))
        model = ENCODINGS[encoding].encode(problem, all_candidates(problem), **options)
        assert len(graphs(model)) == chordal


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_cliques_of_at_most_three_and_a_required_edge(encoding):
    constraints = Constraints(max_clique=3, required=(("a", "c"),))
    problem = make_problem(table(np.random.default_rng(1).normal(size=16)), constraints)
    found = graphs(ENCODINGS[encoding].encode(problem, all_candidates(problem)))
    free = make_problem(table(np.random.default_rng(1).normal(size=16)))
    everything = graphs(ENCODINGS["edges"].encode(free, all_candidates(free)))
    assert found == {
        cliques
        for cliques in everything
        if all(clique.bit_count() <= 3 for clique in cliques)
        and any(clique & 0b101 == 0b101 for clique in cliques)
    }
