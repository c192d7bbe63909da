"""Linear constraints as clauses: the same solutions, by looking at all of them."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from chordlearn.encodings.languages.rows import rows
from chordlearn.encodings.meanings import Auxiliary
from chordlearn.encodings.model import Linear, Model
from encoding_checks.models import hard_clauses, holds

LITERALS = st.integers(1, 5).flatmap(lambda variable: st.sampled_from([variable, -variable]))


@st.composite
def constraints(draw):
    terms = draw(
        st.lists(st.tuples(st.sampled_from([1, 1, 1, -1, -1, 2, -3]), LITERALS), min_size=1, max_size=7)
    )
    return Linear(
        tuple(coefficient for coefficient, _ in terms),
        tuple(literal for _, literal in terms),
        draw(st.sampled_from(["<=", ">=", "="])),
        draw(st.integers(-4, 6)),
        draw(st.none() | LITERALS),
    )


def model_of(constraint: Linear) -> Model:
    model = Model(n=1)
    for number in range(1, 6):
        model.variable(Auxiliary(number))
    model.group("tested").linear.append(constraint)
    return model


def assignments():
    for signs in product([1, -1], repeat=5):
        yield [sign * number for number, sign in enumerate(signs, 1)]


@given(constraints())
@settings(deadline=None, max_examples=150)
def test_clauses_allow_exactly_the_solutions(constraint):
    with Solver("m22", bootstrap_with=hard_clauses(model_of(constraint))) as solver:
        for literals in assignments():
            true = {literal for literal in literals if literal > 0}
            assert solver.solve(assumptions=literals) == holds(constraint, true)


@given(constraints(), st.integers(0, 7))
@settings(deadline=None, max_examples=100)
def test_a_stated_most_removes_only_what_exceeds_it(constraint, most):
    limited = Linear(
        constraint.coefficients, constraint.literals, constraint.relation, constraint.bound, None, most
    )
    with Solver("m22", bootstrap_with=hard_clauses(model_of(limited))) as solver:
        for literals in assignments():
            true = {literal for literal in literals if literal > 0}
            gained = sum(
                coefficient
                for coefficient, literal in zip(limited.coefficients, limited.literals, strict=True)
                if coefficient > 0 and (abs(literal) in true) == (literal > 0)
            )
            if gained <= most or not holds(limited, true):
                assert solver.solve(assumptions=literals) == holds(limited, true)


@given(constraints())
@settings(deadline=None, max_examples=100)
def test_rows_allow_exactly_the_solutions(constraint):
    group = model_of(constraint).groups[0]
    for literals in assignments():
        true = {literal for literal in literals if literal > 0}
        stated = [
            Linear(tuple(row.coefficients.values()), tuple(row.coefficients), row.relation, row.bound)
            for row in rows(group)
        ]
        assert all(holds(row, true) for row in stated) == holds(constraint, true)
