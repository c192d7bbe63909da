"""Certified sums, against all networks one by one, and against the sum over all of them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest

import chordlearn as cl
from chordlearn.analysis.network_sources import is_separated
from chordlearn.errors import InputError, TooLargeError
from posterior.all_networks import (
    allowed_shares,
    contains,
    posterior_of,
    probability,
    random_powers,
    table_of,
)
from posterior.test_sums import CONSTRAINTS


@pytest.mark.parametrize("rules", CONSTRAINTS)
@pytest.mark.parametrize(
    ("n", "seed", "spread", "tolerance"), [(5, 1, 6, 0.05), (5, 2, 60, 1e-6), (6, 3, 9, 1e-2)]
)
def test_every_set_lies_in_its_interval(n: int, seed: int, spread: int, tolerance: float, rules: str) -> None:
    powers, constraints = random_powers(n, seed, spread), CONSTRAINTS[rules]
    table = table_of(powers)
    total, weights = allowed_shares(table, powers, constraints)
    found = posterior_of(
        table,
        constraints,
        method="certified",
        tolerance=tolerance,
        threads=1 + seed % 2,
    )
    assert found.method == "certified"
    error = found.log_evidence_error
    assert found.log_evidence is not None and error is not None and error <= 1.1 * tolerance
    shift = total.numerator.bit_length() - total.denominator.bit_length()
    exact_log = math.log(2) * shift + math.log(total / Fraction(2) ** shift)
    assert found.log_evidence - 1e-9 <= exact_log <= found.log_evidence + error + 1e-9
    for mask in range(1, 1 << n):
        exact = probability(weights, partial(contains, mask=mask))
        p = found.probability_complete(table.names(mask))
        assert abs(p.value - exact) <= p.error + 1e-15
        assert p.error <= tolerance
    best = max(weights, key=lambda cliques: weights[cliques])
    p = found.probability(cl.ChordalNetwork.from_masks(table.variables, best))
    assert abs(p.value - probability(weights, lambda cliques: cliques == best)) <= p.error + 1e-12


def test_what_is_left_out_is_really_missing() -> None:
    whole, rough = cl.posterior("econ"), cl.posterior("econ", method="certified", tolerance=0.1)
    assert whole.log_evidence is not None and rough.log_evidence is not None
    assert rough.log_evidence_error is not None
    assert 0 < whole.log_evidence - rough.log_evidence < rough.log_evidence_error


@pytest.mark.parametrize("file", ["gm/sachs_discretised.csv", "uci/bridges.csv"])
def test_larger_tables_agree_with_the_sum_over_all_networks(measuring_data: Path, file: str) -> None:
    data = cl.read(str(measuring_data / file), missing="category")
    whole, kept = cl.posterior(data), cl.posterior(data, method="certified")
    for edge, p in kept.edges.items():
        assert p.source == "certified" and p.error < 1.1e-6
        assert abs(p.value - whole.edges[edge].value) <= p.error + whole.edges[edge].error


@pytest.mark.parametrize("rules", ["free", "required path", "all"])
def test_draws_follow_the_probabilities(rules: str) -> None:
    n, powers, constraints = 5, random_powers(5, 31, 2), CONSTRAINTS[rules]
    table = table_of(powers)
    _, weights = allowed_shares(table, powers, constraints)
    found = posterior_of(
        table,
        constraints,
        method="certified",
    )
    drawn = 30_000
    counts = dict.fromkeys(weights, 0)
    for network in found.sample(drawn, seed=2):
        counts[network.masks] += 1
    expected = {cliques: own / sum(weights.values()) * drawn for cliques, own in weights.items()}
    frequent = [cliques for cliques, e in expected.items() if e >= 10]
    statistic = sum((counts[c] - expected[c]) ** 2 / expected[c] for c in frequent)
    freedom = len(frequent)
    assert freedom > 3 and statistic < freedom + 4.3 * math.sqrt(2 * freedom) + 12
    assert found.sample(20, seed=2) == found.sample(20, seed=2) != found.sample(20, seed=3)
    for a, b in combinations(range(3), 2):
        names = table.variables
        p = found.probability_separated(names[a], names[b], ["e"])
        exact = probability(weights, partial(is_separated, n, a=a, b=b, given=1 << 4))
        assert abs(p.value - exact) < 5 * p.error


def test_what_cannot_be_certified() -> None:
    with pytest.raises(InputError, match="tolerance must be"):
        cl.posterior("heart", method="certified", tolerance=0.5)
    wide = {f"c{i}": [0, 1, 1, 0] for i in range(26)}
    with pytest.raises(TooLargeError, match="up to 25 variables"):
        cl.posterior(wide, method="certified")
    with pytest.raises(TooLargeError, match=r"No error below 0\.1 can be certified"):
        cl.posterior("econ", method="certified", memory_limit=2e-4)
