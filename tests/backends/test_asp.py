"""The rule files, run by hand as their heads say, and the backends on them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.preparation import prepare
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.engine.exhaustive import Exhaustive
from chordlearn.backends.solvers.asp import Clingo
from chordlearn.data import read
from chordlearn.encodings.asp import RULE_FILES, facts, rules
from chordlearn.encodings.scaling import scaled_problem
from chordlearn.problem.candidates import all_candidates
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores import BDeu, compute_scores
from chordlearn.testing import random_scores

HEART = -6732.459258
OPTIMAL_EDGES = "edge(0,2) edge(0,4) edge(1,2) edge(2,4) edge(3,4)"


@pytest.fixture(scope="module")
def heart() -> Problem:
    return make_problem(compute_scores(read("heart"), BDeu(1.0)))


def by_hand(folder: Path, encoding: str, text: str, *options: str) -> str:
    (folder / f"{encoding}.lp").write_text(rules(encoding), encoding="utf-8")
    (folder / "facts.lp").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "clingo", f"{encoding}.lp", "facts.lp", "--quiet=1", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("encoding", RULE_FILES)
def test_rules_by_hand(encoding: str, heart: Problem, tmp_path: Path) -> None:
    scaled, _ = scaled_problem(heart, 1000)
    output = by_hand(tmp_path, encoding, facts(scaled, all_candidates(scaled), encoding))
    assert "OPTIMUM FOUND" in output
    answer = next(line for line in output.splitlines() if line.startswith("edge("))
    assert sorted(answer.split()) == OPTIMAL_EDGES.split()


@pytest.mark.parametrize("constant", ["chordality=0", "maximality=0", "at_most_n_cliques=0"])
def test_implied_constraints_can_be_switched_off(constant: str, heart: Problem, tmp_path: Path) -> None:
    scaled, _ = scaled_problem(heart, 1000)
    output = by_hand(tmp_path, "paper", facts(scaled, prepare(Run(heart)), "paper"), f"--const={constant}")
    answer = next(line for line in output.splitlines() if line.startswith("edge("))
    assert sorted(answer.split()) == OPTIMAL_EDGES.split()


@pytest.mark.parametrize("factor", [1.0, 1000.0, None])
def test_proof_holds_for_real_scores_whatever_the_scale(factor: float | None, heart: Problem) -> None:
    outcome = Clingo().solve(Run(heart), factor=factor)
    assert outcome.status == "optimal"
    assert outcome.score == pytest.approx(HEART, abs=1e-6)
    assert outcome.bound - outcome.score <= 1e-6


class Recorder:
    """Keeps what is reported."""

    def __init__(self) -> None:
        self.events: list[tuple[float | None, float | None]] = []

    def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
        self.events.append((score, bound))


def test_progress_rises_and_bounds_fall(heart: Problem) -> None:
    recorder = Recorder()
    Clingo().solve(Run(heart, Limits(), Options(reduce=False), observers=[recorder]))
    scores = [score for score, _ in recorder.events if score is not None]
    bounds = [bound for _, bound in recorder.events if bound is not None]
    assert scores == sorted(scores)
    assert bounds == sorted(bounds, reverse=True)
    assert scores[-1] == pytest.approx(HEART, abs=1e-6)
    assert min(bounds) >= HEART - 1e-6


def test_time_limit_keeps_the_best_network() -> None:
    econ = make_problem(compute_scores(read("econ"), BDeu(1.0)))
    outcome = Clingo().solve(Run(econ, Limits(seconds=3), Options(reduce=True, encoding="paper")))
    assert outcome.stopped_by in ("time limit", "proof")
    assert outcome.score == pytest.approx(-2695.956501, abs=1e-5)


@pytest.mark.parametrize("known", [None, 0, 1])
def test_no_network_below_a_known_one_is_looked_at(known: int | None, heart: Problem, tmp_path: Path) -> None:
    scaled, _ = scaled_problem(heart, 1000)
    stated = facts(scaled, all_candidates(scaled), "paper-implied")
    options = [] if known is None else [f"--const=known={best_total(scaled) + known}"]
    output = by_hand(tmp_path, "paper-implied", stated, *options)
    if known == 1:
        assert "UNSATISFIABLE" in output
    else:
        answer = next(line for line in output.splitlines() if line.startswith("edge("))
        assert sorted(answer.split()) == OPTIMAL_EDGES.split()


def best_total(scaled: Problem) -> int:
    best = Exhaustive().solve(Run(scaled))
    return round(best.score)


def test_the_paper_with_and_without_what_it_implies(heart: Problem) -> None:
    for encoding in ("paper", "paper-implied"):
        outcome = Clingo().solve(Run(heart, options=Options(reduce=False, encoding=encoding)))
        assert outcome.status == "optimal"
        assert outcome.score == pytest.approx(HEART, abs=1e-6)


@pytest.mark.parametrize("backend", ["asp:clasp", "asp:clingo"])
def test_a_sum_that_rules_cannot_hold_is_left_out(backend: str) -> None:
    if not any(solver.name == backend and solver.available for solver in cl.solvers()):
        pytest.skip(f"{backend} is not installed")
    table = random_scores.random_scores(5, "of all magnitudes", np.random.default_rng(1))
    result = cl.learn(table, backend=backend, encoding="paper-implied")
    assert result.status == "optimal"
    assert result.score == pytest.approx(cl.learn(table).score)
