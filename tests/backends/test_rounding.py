"""Numbers at the edge of what 53 bits hold: nobody promises more than is true."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, exhaustive
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Outcome
from chordlearn.backends.base.registry import load_backend
from chordlearn.backends.base.run import Run
from chordlearn.backends.base.tolerance import rounding_of_network, rounding_of_program, tolerance_of_network
from chordlearn.backends.search.blocks import solve_in_blocks
from chordlearn.errors import InputError
from chordlearn.graphs import separators
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.scores.compute import ScoredData
from chordlearn.system.running import StopReason
from chordlearn.testing.random_scores import scores_like_data

BACKENDS = ("native", "exhaustive", "search", "maxsat:rc2", "asp:clingo", "smt:z3", "ilp:highs", "sat")


def table(scale: float, n: int = 5) -> cl.ScoreTable:
    return cl.ScoreTable(tuple("abcdefgh"[:n]), scores_like_data(n, np.random.default_rng(2)) * scale, n)


@pytest.mark.parametrize("backend", BACKENDS)
def test_huge_scores(backend: str) -> None:
    """The last digit of 10¹² is worth 10⁻⁴: a tolerance of 10⁻⁶ would be a lie."""
    scores = table(1e10)
    best = exhaustive(scores.values, [], 1, Control())[1][0][0]
    result = cl.learn(scores, backend=backend, time_limit=20)
    assert DEFAULT_TOLERANCE < result.tolerance < 1e-12 * abs(best)
    assert result.bound >= best - result.tolerance
    if result.status == "optimal":
        assert result.score >= best - result.tolerance
    else:
        assert result.stopped_by in ("search ended", "rounding", "time limit")
    assert cl.verify(result, scores).ok


@pytest.mark.parametrize("backend", BACKENDS)
def test_tiny_scores(backend: str) -> None:
    """All networks are within 10⁻⁶ of each other, and any of them will do."""
    result = cl.learn(table(1e-10), backend=backend)
    assert result.status == "optimal" or backend == "search"
    assert result.tolerance == DEFAULT_TOLERANCE
    if "ties" in result.details:
        assert result.details["ties"]["networks"] > 10


def test_a_sum_is_never_off_by_more_than_its_rounding() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        values = rng.normal(size=32) * 10.0 ** rng.uniform(-6, 9, size=32)
        values[0] = 0.0
        problem = make_problem(cl.ScoreTable(tuple("abcde"), values, 5))
        for _, cliques in exhaustive(values, [], 20, Control())[1]:
            terms = [values[c] for c in cliques] + [-values[s] for s in separators(cliques)]
            plain = 0.0
            for term in rng.permutation(terms):
                plain += term
            assert abs(math.fsum([*terms, -plain])) <= rounding_of_network(problem, cliques)
            assert tolerance_of_network(problem, cliques) >= DEFAULT_TOLERANCE


def test_the_program_of_small_scores_has_no_rounding_to_speak_of() -> None:
    problem = make_problem(table(1.0))
    assert 0 < rounding_of_program(problem, [-20.0] * 5, -100.0) < 1e-12
    # Nothing is kept when the bounds alone prove the network.
    assert rounding_of_program(problem, [-math.inf] * 5, -100.0) == 0.0


@pytest.mark.parametrize("backend", ["maxsat:rc2", "asp:clingo", "cp:cp-sat"])
def test_sets_that_are_no_candidates_do_not_spoil_the_integers(backend: str) -> None:
    """With 50 states each, BIC charges the set of all seven variables 10¹² times as much as a pair."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 50, 4000)
    columns = {"a": first, "b": (first + (rng.random(4000) < 0.1)) % 50}
    columns |= {name: rng.integers(0, 50, 4000) for name in "cdefg"}
    result = cl.learn(columns, score="bic", backend=backend)
    assert result.status == "optimal"
    assert result.score == pytest.approx(cl.learn(columns, score="bic").score, abs=1e-6)
    assert result.scaling is not None and result.scaling["max_error"] < 1e-4


@pytest.mark.parametrize("encoding", ["edges", "elimination", "paper"])
@pytest.mark.parametrize("backend", ["asp:clingo", "maxsat:rc2", "smt:z3", "ilp:highs"])
@pytest.mark.parametrize("values", [[0.0, 2.0], [0.0, 1.0, 1.0, 2.0]])
def test_nothing_to_decide(backend: str, encoding: str, values: list[float]) -> None:
    """One variable, or no weight at all: solvers then say little, and that must be understood."""
    n = len(values).bit_length() - 1
    scores = cl.ScoreTable(tuple("ab"[:n]), np.array(values), n)
    result = cl.learn(scores, backend=backend, encoding=encoding, reduce=False)
    assert (result.status, result.stopped_by) == ("optimal", "proof")
    assert result.score == values[-1]


def test_a_bound_at_the_very_edge_of_the_tolerance() -> None:
    """−1 + 10⁻⁶ is the double that is added up, but the difference to −1 is a little more than 10⁻⁶."""
    outcome = Outcome((0b1,), -1.0, -1.0 + 1e-6, StopReason.PROOF)
    assert outcome.bound <= outcome.score + outcome.tolerance < outcome.score + outcome.gap + 1e-15
    assert outcome.status == "feasible"
    result = cl.learn(cl.ScoreTable(tuple("abcde"), np.array([0.0, *[-1.0] * 31]), 5), backend="ilp:cuts")
    assert (result.status, result.stopped_by) == ("optimal", "proof")


@pytest.mark.parametrize("backend", ["native", "exhaustive", "maxsat:rc2"])
def test_scores_whose_sums_would_overflow_are_refused(backend: str) -> None:
    """Two of these sum to more than any number; the best network of them scores 9.6·10³⁰⁷."""
    values = [0.0, -4.4e306, 8.6e307, -1.3e308, 1.4e307, 2.4e304, 1e307, 1.6e305]
    with pytest.raises(InputError, match="cannot be added up"):
        cl.learn(cl.ScoreTable(tuple("abc"), np.array(values), 3), backend=backend)


@pytest.mark.parametrize("backend", ["auto", "native"])
def test_many_variables_with_many_rows(backend: str) -> None:
    """The best forest scores some −10¹⁵, of which the last digit is worth 0.1."""
    rng = np.random.default_rng(3)
    columns = {f"v{i}": rng.integers(0, 2, 40).tolist() for i in range(26)}
    data = cl.read(columns | {"rows": [10**12 + i for i in range(40)]}, counts="rows")
    result = cl.learn(data, max_clique=2, backend=backend)
    assert result.status == "optimal"
    assert math.ulp(result.score) < result.tolerance < 1e-12 * abs(result.score)
    assert cl.verify(result, data).ok


@pytest.mark.parametrize("backend", ["native", "maxsat:rc2"])
@pytest.mark.parametrize("rows", [1, 10**7, 10**9])
def test_what_blocks_are_off_by_adds_up_in_the_tolerance(backend: str, rows: int) -> None:
    """Four pairs that are independent of each other: each is a block, solved and rounded by itself."""
    cells = [(0, 0, 3), (0, 1, 1), (1, 0, 1), (1, 1, 3)]
    columns: dict[str, list[int]] = {name: [] for name in ("a", "b", "c", "d", "e", "f", "g", "h", "count")}
    for pairs in product(cells, repeat=4):
        values = [value for pair in pairs for value in pair[:2]]
        count = rows * math.prod(pair[2] for pair in pairs)
        for name, value in zip(columns, [*values, count], strict=True):
            columns[name].append(value)
    data = cl.read(columns, counts="count")
    problem = make_problem(ScoredData(data, cl.BDeu()), Constraints(3))
    outcome = solve_in_blocks(Run(problem), load_backend(backend))
    assert outcome.details["blocks"] == [2, 2, 2, 2]
    assert (outcome.status, outcome.stopped_by) == ("optimal", "proof")
    assert outcome.tolerance >= max(DEFAULT_TOLERANCE, outcome.gap, math.ulp(outcome.score))
    assert outcome.tolerance <= max(DEFAULT_TOLERANCE, 1e-12 * abs(outcome.score))


@pytest.mark.parametrize("prior", [1e101, -1e308, math.inf, math.nan])
def test_priors_whose_sums_would_overflow_are_refused(prior: float) -> None:
    with pytest.raises(InputError, match="edge prior"):
        cl.learn("heart", edge_prior=prior)


@pytest.mark.parametrize("backend", ["native", "exhaustive"])
def test_a_tolerance_that_says_nothing_is_a_bound_and_no_proof(backend: str) -> None:
    """The best network scores 0, and the scores that cancel out on the way there are off by more than 1."""
    values = 2.0**52 * np.array([0, -2, 0, -1, -2, -1, -1, -2])
    scores = cl.ScoreTable(tuple("abc"), values, 3)
    best = exhaustive(scores.values, [], 1, Control())[1][0][0]
    result = cl.learn(scores, backend=backend)
    assert (result.status, result.stopped_by) == ("feasible", "rounding")
    assert result.score == best
    assert 1 < result.gap < 1e4
    assert cl.verify(result, scores).ok
