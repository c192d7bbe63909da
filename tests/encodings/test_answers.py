"""What solvers print, as they print it."""

from __future__ import annotations

import pytest

from chordlearn.encodings.answers import read_answer
from chordlearn.errors import InputError

NAMES = {"e_0_1": 1, "e_0_2": 2, "e_1_2": 3, "edge_0_1": 1, "edge_1_2": 3}


@pytest.mark.parametrize(
    ("language", "text", "true", "claimed"),
    [
        ("wcnf", "c solver\no 9\no 7\ns OPTIMUM FOUND\nv 101\n", {1, 3}, True),
        ("wcnf", "s OPTIMUM FOUND\nv 1 -2 3 0\n", {1, 3}, True),
        ("wcnf", "s OPTIMUM FOUND\nv 1 -2\nv 3 0\n", {1, 3}, True),
        ("wcnf", "s SATISFIABLE\nv 1 -2 -3 0\ns OPTIMUM FOUND\nv -1 2 3 0\n", {2, 3}, True),
        ("wcnf", "s SATISFIABLE\nv 1 0\n", {1}, False),
        ("wcnf", "s OPTIMUM FOUND\nv 0\n", set(), True),
        ("wcnf", "s OPTIMUM FOUND\nv\n", set(), True),
        ("opb", "o -3\ns OPTIMUM FOUND\nv x1 -x2 x3\n", {1, 3}, True),
        ("opb", "s SATISFIABLE\nv x1 -x2\nv x3\n", {1, 3}, False),
        (
            "smt2",
            "sat\n(objectives (x 3.0))\n(\n  (define-fun e_0_1 () Bool\n    true)\n"
            "  (define-fun e_0_2 () Bool\n    false)\n  (define-fun y_9 () Bool true)\n)\n",
            {1},
            True,
        ),
        ("smt2", "unknown\n(model (define-fun e_1_2 () Bool true))\n", {3}, False),
        (
            "lp",
            "Answer: 1\n\nOptimization: 0\nAnswer: 2 (Time: 0.1s)\nedge(0,1) edge(1,2)\nOPTIMUM FOUND\n",
            {1, 3},
            True,
        ),
        ("lp", "Answer: 1\nedge(0,1)\nOptimization: 0\nSATISFIABLE\n", {1}, False),
        ("mps", "Model status\nOptimal\n\n# Columns 2\ne_0_1 1\ne_0_2 0\n# Rows 1\nr1 1\n", {1}, True),
        ("mps", "Model status\nTime limit reached\n\n# Columns 2\ne_0_1 0.9999999\ne_0_2 1e-9\n", {1}, False),
        ("mps", "status OPTIMAL\ne_0_1 = 1\ne_1_2 = 1.0\n", {1, 3}, True),
        ("mps", "# Objective value = 3\ne_0_1 1\n", {1}, False),
    ],
)
def test_answers(language, text, true, claimed):
    answer = read_answer(text, language, NAMES)
    assert answer.true == true
    assert answer.claims_optimal == claimed


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("wcnf", "s UNSATISFIABLE\n"),
        ("opb", "s UNSATISFIABLE\n"),
        ("smt2", 'unsat\n(error "line 9: model is not available")\n'),
        ("lp", "UNSATISFIABLE\n"),
        ("mps", "Model status\nInfeasible\n"),
    ],
)
def test_no_solution(language, text):
    with pytest.raises(InputError, match="no solution"):
        read_answer(text, language, NAMES)


@pytest.mark.parametrize("language", ["wcnf", "opb", "smt2", "lp", "mps"])
@pytest.mark.parametrize("text", ["", "Segmentation fault\n", "v rubbish here\n", "\x00\x01\n"])
def test_rubbish(language, text):
    with pytest.raises(InputError, match="no answer"):
        read_answer(text, language, NAMES)
