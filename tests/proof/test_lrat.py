"""LRAT: what is made of a solver's clauses, and what is refused."""

from __future__ import annotations

import itertools

import pytest
from pysat.solvers import Solver

from chordlearn.certificate.proofs.lrat import Lemma, check_lemmas, read_lemmas
from chordlearn.certificate.results.report import Failed
from chordlearn.errors import BackendError
from chordlearn.proof.hints import short_proof


def pigeons(holes: int) -> list[tuple[int, ...]]:
    """One pigeon too many."""
    at = {(p, h): p * holes + h + 1 for p in range(holes + 1) for h in range(holes)}
    clauses = [tuple(at[p, h] for h in range(holes)) for p in range(holes + 1)]
    for h in range(holes):
        clauses += [(-at[p, h], -at[q, h]) for p, q in itertools.combinations(range(holes + 1), 2)]
    return clauses


@pytest.mark.parametrize("holes", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", ["glucose4", "cadical153"])
def test_what_a_solver_learned_becomes_a_proof_that_holds(holes: int, name: str) -> None:
    clauses = pigeons(holes)
    with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        assert not solver.solve()
        added = [line.split()[:-1] for line in solver.get_proof() if not line.startswith("d")]
    learned = [tuple(map(int, literals)) for literals in added if literals]
    lemmas = short_proof(clauses, [*learned, ()])
    assert check_lemmas(clauses, read_lemmas([str(lemma) for lemma in lemmas])) == len(lemmas)


def test_a_clause_that_does_not_follow_is_noticed() -> None:
    with pytest.raises(BackendError, match="does not follow"):
        short_proof([(1, 2)], [(1,), ()])


CLAUSES = [(1, 2), (-1, 2), (1, -2), (-1, -2)]


@pytest.mark.parametrize(
    ("lemmas", "reason"),
    [
        ([Lemma(5, (2,), (1, 2))], "does not reach the empty clause"),
        ([Lemma(5, (), (1, 2))], "leaves a choice"),
        ([Lemma(5, (), ())], "does not follow from its hints"),
        ([Lemma(5, (2,), (1,))], "does not follow from its hints"),
        ([Lemma(5, (2,), (1, 2)), Lemma(6, (), (5, 3))], "does not follow from its hints"),
        ([Lemma(5, (2,), (1, 2)), Lemma(6, (), (5, 3, 4, 1))], "goes on after"),
        ([Lemma(5, (2,), (1, 7)), Lemma(6, (), (5, 3, 4))], "not known by then"),
        ([Lemma(5, (2,), (5, 1)), Lemma(6, (), (5, 3, 4))], "not known by then"),
        ([Lemma(4, (2,), (1, 2)), Lemma(6, (), (4, 3))], "stands for two"),
    ],
)
def test_a_proof_that_breaks_is_refused(lemmas: list[Lemma], reason: str) -> None:
    with pytest.raises(Failed, match=reason):
        check_lemmas(CLAUSES, lemmas)


@pytest.mark.parametrize(
    "line", ["", "x", "5 2 0 1 2", "5 2 1 2 0", "5 2 0 1 0 2 0", "-5 2 0 1 0", "5 d 1 0"]
)
def test_lines_of_another_kind_are_refused(line: str) -> None:
    with pytest.raises(Failed, match=r"line 1 of proof\.lrat"):
        read_lemmas([line])


def test_a_step_by_a_property_that_only_keeps_satisfiability_is_refused() -> None:
    # (3,) is blocked, so that DRAT allows it, but it does not follow; here only what follows counts.
    with pytest.raises(Failed):
        check_lemmas([(1, 2)], [Lemma(2, (3,), (-1,))])
