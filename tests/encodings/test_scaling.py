"""Integer scores: what rounding may cost, and what it may not."""

from __future__ import annotations

import numpy as np
import pytest

from chordlearn._core import Control, exhaustive
from chordlearn.encodings import ENCODINGS, largest_factor, scaled_problem, smallest_factor
from chordlearn.encodings.scaling import absolute_weight
from chordlearn.encodings.weights import independent_score, minimal_forbidden, moebius_weights
from chordlearn.errors import InputError
from chordlearn.graphs import graph_from_cliques, is_complete, score_of, separators
from chordlearn.problem.candidates import all_candidates, reduce_candidates
from chordlearn.problem.problem import make_problem
from encoding_checks.problems import bundled_problem, optimum, random_problem, table


def networks(problem, count=10_000):
    return [
        tuple(cliques)
        for _, cliques in exhaustive(problem.values, list(problem.required), count, Control())[1]
    ]


def total(problem, cliques):
    return score_of(cliques, separators(cliques), problem.values.__getitem__)


@pytest.mark.parametrize("factor", [1.0, 10.0, 1000.0])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 8, 16])
def test_no_network_is_off_by_more_than_stated(seed, factor):
    problem = random_problem(seed)
    scaled, scaling = scaled_problem(problem, factor)
    for cliques in networks(problem):
        assert abs(total(problem, cliques) - scaling.real(total(scaled, cliques))) <= scaling.max_error + 1e-9


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_integer_problems_have_integer_weights(encoding):
    scaled, _ = scaled_problem(bundled_problem("heart"), 1000)
    model = ENCODINGS[encoding].encode(scaled, all_candidates(scaled))
    assert model.weights and all(weight == int(weight) for weight in model.weights.values())
    assert model.constant == int(model.constant)


def test_whole_scores_lose_nothing():
    problem = random_problem(2)
    assert scaled_problem(problem, 1)[1].max_error == 0.0


def test_the_bound_holds_for_the_real_scores_with_reduced_candidates():
    for seed in range(8):
        problem = random_problem(seed)
        best = optimum(problem)
        if not np.isfinite(best):
            continue
        scaled, scaling = scaled_problem(problem, 2.0)
        candidates = reduce_candidates(problem, best - 1e-3)
        kept = set(candidates.masks.tolist())
        found = max(total(scaled, cliques) for cliques in networks(problem) if kept.issuperset(cliques))
        assert scaling.bound(found, candidates) >= best - 1e-9


def test_with_the_margin_the_rounded_optimum_survives_the_reduction():
    for seed in range(8):
        problem = random_problem(seed)
        best = optimum(problem)
        if not np.isfinite(best):
            continue
        scaled, scaling = scaled_problem(problem, 3.0)
        kept = set(reduce_candidates(problem, best - scaling.margin - 1e-9).masks.tolist())
        all_totals = {cliques: total(scaled, cliques) for cliques in networks(problem)}
        assert max(all_totals.values()) == max(
            value for cliques, value in all_totals.items() if kept.issuperset(cliques)
        )


def test_factors():
    problem = bundled_problem("heart")
    assert scaled_problem(problem, smallest_factor(problem, 1e-6))[1].max_error <= 1e-6

    def weight(scaled):
        return absolute_weight(ENCODINGS["edges"].encode(scaled, all_candidates(scaled)))

    factor = largest_factor(problem, weight, 10**7)
    assert weight(scaled_problem(problem, factor)[0]) <= 10**7
    assert weight(scaled_problem(problem, factor * 10)[0]) > 10**7
    assert largest_factor(problem, weight, 2**62, wanted=1000.0) == 1000.0
    with pytest.raises(InputError, match="too large"):
        largest_factor(problem, weight, 5)
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="positive"):
            scaled_problem(problem, wrong)
    with pytest.raises(InputError, match="smaller factor"):
        scaled_problem(problem, 1e18)


def test_moebius_weights_sum_to_the_score():
    for seed in range(8):
        problem = random_problem(seed)
        weights = moebius_weights(problem, all_candidates(problem))
        for cliques in networks(problem, 200):
            graph = graph_from_cliques(problem.n, cliques)
            complete = [mask for mask in range(1 << problem.n) if is_complete(graph, mask)]
            assert independent_score(problem) + sum(map(weights.__getitem__, complete)) == pytest.approx(
                total(problem, cliques)
            )


def test_minimal_forbidden_sets():
    values = np.zeros(16)
    values[[0b0011, 0b1110]] = -np.inf
    problem = make_problem(table(values))
    assert minimal_forbidden(problem, all_candidates(problem)) == [0b0011, 0b1110]


def test_a_variable_without_a_score_is_refused():
    problem = make_problem(table(np.array([0.0, -np.inf, -1.0, -2.0])))
    with pytest.raises(InputError, match="variable a alone"):
        ENCODINGS["edges"].encode(problem, all_candidates(problem))
