"""Proofs in writing as part of the campaign."""

from __future__ import annotations

from dataclasses import replace

import msgspec

import chordlearn as cl
from campaign.attempts import Attempt
from campaign.problems import Trial
from campaign.proving import check_proofs
from campaign.settings import Setting
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.scores import BDeu, compute_scores

DATA = cl.read("heart")
TRIAL = Trial(DATA, BDeu(1.0), Constraints(), seed=0)
PROBLEM = make_problem(compute_scores(DATA, BDeu(1.0)), Constraints())


def verdicts(result: cl.Result, trial: Trial = TRIAL) -> list[str | None]:
    return list(check_proofs(trial, PROBLEM, Attempt(Setting("auto"), 0.0, result, DATA)))


def test_both_kinds_of_proof_are_accepted() -> None:
    assert verdicts(cl.learn(DATA)) == [None, None]


def test_some_problems_are_passed_over() -> None:
    assert verdicts(cl.learn(DATA), replace(TRIAL, seed=1)) == []


def test_what_is_not_optimal_is_noticed() -> None:
    best = cl.learn(DATA)
    other = cl.learn(DATA, forbid=[best.edges[0]])
    claimed = msgspec.structs.replace(other, constraints=best.constraints)
    wrong = [verdict for verdict in verdicts(claimed) if verdict is not None]
    assert wrong and "bounds and clauses" in wrong[0]
