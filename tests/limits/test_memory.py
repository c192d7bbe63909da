"""Models are refused before they take more memory than there may be, and stopped when they come to it."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.backends.base.outcome import Limits
from chordlearn.backends.base.run import Options, Run
from chordlearn.backends.solvers.maxsat import RC2
from chordlearn.encodings import ENCODINGS
from chordlearn.encodings.paper import joinable
from chordlearn.encodings.size import Budget, joinable_pairs
from chordlearn.errors import StoppedError, TooLargeError
from chordlearn.problem.candidates import all_candidates
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import Problem, make_problem
from chordlearn.scores.table import ScoreTable
from encoding_checks.models import clauses, linear
from engine.random_problems import KINDS, random_problem


def problem_of(n: int, max_clique: int | None = None) -> Problem:
    values = -np.random.default_rng(n).random(1 << n)
    values[0] = 0.0
    names = tuple(f"x{i}" for i in range(n))
    return make_problem(ScoreTable(names, values, max_size=n), Constraints(max_clique, (), ()))


@pytest.mark.parametrize("kind", KINDS)
def test_joinable_pairs_are_counted(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(10):
        problem = random_problem(rng, int(rng.integers(1, 8)), kind)
        candidates = all_candidates(problem)
        assert joinable_pairs(problem, candidates) == len(list(joinable(candidates)))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", [6, 8])
def test_size_is_what_the_model_comes_to(encoding: str, n: int) -> None:
    problem = problem_of(n)
    candidates = all_candidates(problem)
    chosen = ENCODINGS[encoding]
    size = chosen.size(problem, candidates)
    model = chosen.encode(problem, candidates)
    literals = sum(map(len, clauses(model))) + model.clause_count
    terms = sum(len(constraint.literals) for constraint in linear(model))
    assert 0.4 * model.variable_count <= size.variables <= model.variable_count
    assert size.literals <= literals
    assert size.terms <= terms
    assert 0.2 * (literals + terms) <= size.literals + size.terms


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_too_large_models_are_refused_at_once(encoding: str) -> None:
    n = 14 if encoding == "paper" else 17
    problem = problem_of(n)
    with pytest.raises(TooLargeError, match=rf"{encoding} of {n} variables .* GB may be used") as refused:
        ENCODINGS[encoding].encode(problem, all_candidates(problem), Budget(most_bytes=2e7))
    assert "max_clique" in str(refused.value)
    assert "--max-clique" in refused.value.on_command_line()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_building_and_writing_stop_at_the_deadline(encoding: str) -> None:
    problem = problem_of(9)
    with pytest.raises(StoppedError, match="time limit"):
        ENCODINGS[encoding].encode(problem, all_candidates(problem), Budget(deadline=0.0))


def test_memory_is_looked_at_while_a_model_grows() -> None:
    budget = Budget(most_bytes=3e7)
    kept = []
    with pytest.raises(TooLargeError, match=r"0\.03 GB"):
        for _ in budget.watched(range(100_000)):
            kept.append(bytearray(10_000))
    assert 1_000 < len(kept) < 10_000


def test_a_network_is_kept_when_its_model_does_not_fit() -> None:
    outcome = RC2().solve(Run(problem_of(9), Limits(memory_bytes=1), Options(encoding="paper")))
    assert outcome.status == "feasible"
    assert outcome.stopped_by == "memory limit"
    assert isinstance(outcome.failure, TooLargeError)


@pytest.mark.parametrize("backend", ["maxsat:rc2", "ilp:highs"])
def test_a_memory_limit_holds_for_the_whole_process(backend: str, tmp_path: Path) -> None:
    table = np.random.default_rng(1).integers(0, 2, (100, 12))
    np.savetxt(tmp_path / "t.csv", table, "%d", ",", header=",".join("abcdefghijkl"), comments="")
    source = (
        "import sys, resource; from chordlearn.cli.app import run; code = run(sys.argv[1:]);"
        "print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    options = ["--encoding", "paper", "--no-reduce", "--memory-limit", "0.2", "--backend", backend]
    ended = subprocess.run(
        [sys.executable, "-c", source, "learn", str(tmp_path / "t.csv"), *options],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    code, most = map(int, ended.stdout.split())
    assert code == 2
    assert "--max-clique" in ended.stderr and "leave out --no-reduce" in ended.stderr
    assert most < 0.2e9 + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_learning_says_it_in_python_too() -> None:
    table = np.random.default_rng(1).integers(0, 2, (100, 12))
    with pytest.raises(TooLargeError, match="leave out reduce=False"):
        cl.learn(table, backend="maxsat:rc2", encoding="paper", reduce=False, memory_limit=0.2)
