"""Every written file, solved by a program that knows nothing of us, gives the optimum."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

from chordlearn.encodings import ENCODINGS, Model, scaled_problem
from chordlearn.encodings.answers import read_answer
from chordlearn.encodings.asp import facts, rules
from chordlearn.encodings.languages import LANGUAGES
from chordlearn.errors import InputError
from chordlearn.graphs import graph_from_edges, maximal_cliques, score_of, separators
from chordlearn.problem.problem import Problem
from encoding_checks.models import cliques_of, violated
from encoding_checks.problems import bundled_problem, candidates_of, optimum, random_problem
from encoding_checks.solving import (
    solve_lp,
    solve_mps,
    solve_mps_by_cp_sat,
    solve_opb,
    solve_smt2,
    solve_wcnf,
)

FACTOR = 1e6
SOLVERS = {"wcnf": solve_wcnf, "smt2": solve_smt2, "mps": solve_mps, "opb": solve_opb}
# All of it takes half an hour: CHORDLEARN_THOROUGH=1 pytest tests/encodings/test_files.py
THOROUGH = os.environ.get("CHORDLEARN_THOROUGH") == "1"
RANDOM = range(50)
SOME = RANDOM if THOROUGH else range(16)
FEW = RANDOM if THOROUGH else range(8)


def write(problem: Problem, encoding: str, language: str, path: Path, **options: bool) -> tuple[Model, float]:
    """Write the file and say by how much its optimum may be off."""
    error = 1e-9
    if LANGUAGES[language].integers:
        problem, scaling = scaled_problem(problem, FACTOR)
        error += scaling.margin
    candidates = candidates_of(problem, reduced=options.pop("reduced", False))
    model = ENCODINGS[encoding].encode(problem, candidates, **options)
    path.write_text("".join(LANGUAGES[language].lines(model)))
    return model, error


def check(problem: Problem, model: Model, language: str, output: str, error: float) -> None:
    best = optimum(problem)
    names = {meaning.name: number for number, meaning in enumerate(model.meanings, 1)}
    if not math.isfinite(best):
        with pytest.raises(InputError, match="no solution"):
            read_answer(output, language, names)
        return
    answer = read_answer(output, language, names)
    assert answer.claims_optimal
    true = {variable for variable in answer.true if variable <= model.variable_count}
    assert violated(model, true) is None
    cliques = cliques_of(model, true)
    score = score_of(cliques, separators(cliques), problem.values.__getitem__)
    assert score == pytest.approx(best, abs=error)
    assert set(problem.required) <= {
        (a, b)
        for clique in cliques
        for a in range(problem.n)
        for b in range(problem.n)
        if clique >> a & clique >> b & 1
    }


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("language", "seeds"), [("wcnf", RANDOM), ("smt2", SOME), ("mps", SOME), ("opb", FEW)]
)
def test_random_problems(encoding, language, seeds, tmp_path):
    for seed in seeds:
        problem = random_problem(seed)
        if not THOROUGH and problem.n == 5 and encoding == "paper" and language in ("smt2", "mps"):
            continue  # right, but slow
        path = tmp_path / f"{seed}.{language}"
        model, error = write(problem, encoding, language, path, reduced=seed % 3 == 0)
        check(problem, model, language, SOLVERS[language](path), error)


def test_cp_sat_reads_the_same_files(tmp_path):
    written = []
    for encoding in ENCODINGS:
        for seed in FEW:
            path = tmp_path / f"{encoding}{seed}.mps"
            written.append((random_problem(seed), path, *write(random_problem(seed), encoding, "mps", path)))
    outputs = solve_mps_by_cp_sat([path for _, path, _, _ in written])
    for (problem, _, model, error), output in zip(written, outputs, strict=True):
        check(problem, model, "mps", output, error + 1e-6)


@pytest.mark.parametrize("language", SOLVERS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_heart(encoding, language, tmp_path):
    problem = bundled_problem("heart")
    path = tmp_path / f"heart.{language}"
    model, error = write(problem, encoding, language, path, reduced=True)
    check(problem, model, language, SOLVERS[language](path), error)


# The pairs that the program in question proves within minutes.
@pytest.mark.parametrize(
    ("encoding", "language"),
    [
        *(("edges", language) for language in SOLVERS),
        *(("elimination", language) for language in ("wcnf", "mps", "opb")),
        ("paper", "opb"),
    ],
)
def test_econ(encoding, language, tmp_path):
    problem = bundled_problem("econ")
    path = tmp_path / f"econ.{language}"
    options = {"balanced_pairs": True} if encoding == "paper" else {}
    model, error = write(problem, encoding, language, path, reduced=True, **options)
    check(problem, model, language, SOLVERS[language](path), error)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_clingo_reads_rules_and_facts(encoding, tmp_path):
    for seed in FEW:
        problem = random_problem(seed)
        scaled, scaling = scaled_problem(problem, 1e5)
        output = solve_lp(
            tmp_path, rules(encoding) + facts(scaled, candidates_of(scaled, reduced=False), encoding)
        )
        best = optimum(problem)
        if not math.isfinite(best):
            assert "UNSATISFIABLE" in output
            continue
        # Where nothing weighs anything, as with one variable, the first answer will do.
        assert "OPTIMUM FOUND" in output or not np.nan_to_num(scaled.values, neginf=0.0).any()
        edges = [(int(a), int(b)) for a, b in re.findall(r"edge\((\d+),(\d+)\)", output)]
        cliques = maximal_cliques(graph_from_edges(problem.n, edges))
        score = score_of(cliques, separators(cliques), problem.values.__getitem__)
        assert score == pytest.approx(best, abs=scaling.margin + 1e-9)


@pytest.mark.parametrize(("encoding", "reduced"), [("edges", False), ("edges", True), ("elimination", True)])
def test_econ_by_rc2(encoding, reduced, tmp_path):
    from chordlearn.backends.base.preparation import prepare
    from chordlearn.backends.base.run import Options, Run

    problem = bundled_problem("econ")
    scaled, scaling = scaled_problem(problem, 1e5)
    candidates = prepare(Run(problem, options=Options(reduce=reduced)))
    model = ENCODINGS[encoding].encode(scaled, candidates)
    path = tmp_path / "econ.wcnf"
    path.write_text("".join(LANGUAGES["wcnf"].lines(model)))
    cliques = cliques_of(model, read_answer(solve_wcnf(path), "wcnf", {}).true)
    score = score_of(cliques, separators(cliques), problem.values.__getitem__)
    assert score == pytest.approx(-2695.9565, abs=1e-4)
    assert scaling.margin < 1e-3


@pytest.mark.parametrize("language", ["wcnf", "mps"])
@pytest.mark.parametrize(
    ("encoding", "options"),
    [
        ("paper", {"implicit_cliques": False}),
        ("paper", {"chordality": False, "at_most_n_cliques": False}),
        (
            "paper",
            {
                "implicit_cliques": False,
                "chordality": False,
                "at_most_n_cliques": False,
                "forbidden_sets": False,
            },
        ),
        ("paper", {"balanced_pairs": True}),
        ("paper", {"paper_levels": True}),
        ("paper", {"raw_scores": True}),
        ("elimination", {"break_symmetry": False}),
        ("elimination", {"aggregated": True}),
    ],
)
def test_switches_leave_the_optimum(encoding, options, language, tmp_path):
    for seed in FEW:
        problem = random_problem(seed)
        path = tmp_path / f"{seed}.{language}"
        model, error = write(problem, encoding, language, path, reduced=seed % 2 == 0, **options)
        check(problem, model, language, SOLVERS[language](path), error)
