"""The sums over all networks, against all networks one by one in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import chordlearn as cl
from chordlearn._core import Control, NetworkDraws, NetworkSums
from chordlearn.analysis.network_sources import is_separated
from chordlearn.errors import ContradictionError
from chordlearn.problem.constraints import Constraints
from posterior.all_networks import (
    allowed_shares,
    chordal_networks,
    contains,
    posterior_of,
    probability,
    random_powers,
    shares,
    table_of,
)

HEART = [0.005039, 0.998223, 0.393798, 0.801664, 0.023798, 1.0, 0.001173, 0.132877]
HEART += [0.149512, 0.001028, 0.743449, 0.015327, 0.712837, 0.025171, 0.063090]
ECON = {(0, 2): 0.958135, (0, 3): 0.929775, (1, 4): 0.560497, (1, 6): 0.567600, (2, 4): 0.551160}
ECON |= {(3, 6): 0.965998, (3, 7): 0.864493, (4, 6): 0.976091}

CONSTRAINTS = {
    "free": Constraints(),
    "max_clique": Constraints(max_clique=3),
    "trees": Constraints(max_clique=2),
    "required": Constraints(required=(("a", "b"),)),
    "required path": Constraints(required=(("a", "b"), ("b", "c"), ("a", "d"))),
    "forbidden": Constraints(forbidden=(("a", "c"), ("b", "d"))),
    "all": Constraints(3, required=(("b", "c"), ("a", "d")), forbidden=(("a", "b"),)),
}


@pytest.mark.parametrize("rules", CONSTRAINTS)
@pytest.mark.parametrize(("n", "seed", "spread"), [(4, 0, 3), (5, 1, 6), (5, 2, 60), (6, 3, 4), (6, 4, 2000)])
def test_every_set_as_all_networks_say(n: int, seed: int, spread: int, rules: str) -> None:
    powers, constraints = random_powers(n, seed, spread), CONSTRAINTS[rules]
    table = table_of(powers)
    total, weights = allowed_shares(table, powers, constraints)
    found = posterior_of(
        table,
        constraints,
        method="exact",
        threads=1 + seed % 2,
    )
    # The logarithm of a fraction that no floating-point number holds.
    logarithm = math.log(2) * _log2(total)
    assert found.log_evidence == pytest.approx(logarithm, rel=1e-12, abs=1e-9)
    assert found.log_evidence_error is not None and found.log_evidence_error < 1e-8
    for mask in range(1, 1 << n):
        exact = probability(weights, partial(contains, mask=mask))
        p = found.probability_complete(table.names(mask))
        assert p.value == pytest.approx(exact, abs=max(p.error, 1e-15))
        assert p.error < 1e-9
    best = max(weights, key=lambda cliques: weights[cliques])
    network = cl.ChordalNetwork.from_masks(table.variables, best)
    expected = probability(weights, lambda cliques: cliques == best)
    assert found.probability(network).value == pytest.approx(expected, rel=1e-9)


def _log2(number: Fraction) -> float:
    shift = number.numerator.bit_length() - number.denominator.bit_length()
    return shift + math.log2(float(number / Fraction(2) ** shift))


@pytest.mark.parametrize("rules", ["free", "required path", "all"])
def test_separations(rules: str) -> None:
    n, powers, constraints = 5, random_powers(5, 7, 3), CONSTRAINTS[rules]
    table = table_of(powers)
    _, weights = allowed_shares(table, powers, constraints)
    found = posterior_of(table, constraints)
    for a, b in combinations(range(n), 2):
        for given in range(1 << n):
            if given & (1 << a | 1 << b):
                continue
            names = table.variables
            p = found.probability_separated(names[a], names[b], table.names(given))
            exact = probability(weights, partial(is_separated, n, a=a, b=b, given=given))
            if p.source == "exact":
                assert p.value == pytest.approx(exact, abs=1e-11)
            else:
                assert given.bit_count() == 2 and abs(p.value - exact) < 5 * p.error
            if given.bit_count() in (0, 1, n - 2):
                assert p.source == "exact"


def test_the_figures_of_heart_and_econ() -> None:
    heart, econ = cl.posterior("heart"), cl.posterior("econ")
    assert heart.log_evidence == pytest.approx(-6731.068398, abs=1e-6)
    assert econ.log_evidence == pytest.approx(-2694.986677, abs=1e-6)
    assert [p.value for p in heart.edges.values()] == pytest.approx(HEART, abs=1e-6)
    # The figures count the columns as the paper's file has them.
    names = paper_order()
    for (a, b), expected in ECON.items():
        value = econ.probability_complete([names[a], names[b]]).value
        assert value == pytest.approx(expected, abs=1e-6)
    assert sum(0.03 < p.value < 0.99 for p in econ.edges.values()) == len(ECON)
    assert heart.probability(heart.best).value == pytest.approx(0.25, abs=0.005)
    assert econ.probability(econ.best).value == pytest.approx(0.38, abs=0.005)


def paper_order() -> tuple[str, ...]:
    """Of econ; the columns of the bundled table are in the order of the paper's file."""
    return cl.read("econ").variables


@pytest.mark.parametrize(
    ("file", "log_evidence", "best"),
    [
        ("gm/sachs_discretised.csv", -8582.9493, (0.945, 0.956)),
        ("uci/bridges.csv", -1709.1435, (0.145, 0.155)),
        ("scores/flare.score", -6706.9018, (0.0005, 0.0015)),
    ],
    ids=["sachs", "bridges", "flare"],
)
def test_the_figures_of_larger_tables(
    measuring_data: Path, file: str, log_evidence: float, best: tuple[float, float]
) -> None:
    options = {} if file.endswith(".score") else {"missing": "category"}
    found = cl.posterior(str(measuring_data / file), **options)  # type: ignore[arg-type]
    assert found.log_evidence == pytest.approx(log_evidence, abs=5e-5)
    assert best[0] < found.probability(found.best).value < best[1]
    assert max(p.error for p in found.edges.values()) < 1e-9
    drawn = [set(network.edges) for network in found.sample(3000, seed=1)]
    for edge, p in found.edges.items():
        share = sum(edge in edges for edges in drawn) / len(drawn)
        assert abs(share - p.value) < 5 * math.sqrt(max(p.value * (1 - p.value), 1e-4) / len(drawn))


def test_the_sums_do_not_depend_on_the_order_of_the_variables() -> None:
    rng = np.random.default_rng(5)
    n = 9
    values = rng.normal(0, 3, 1 << n)
    values[0] = 0
    order = rng.permutation(n)
    masks = np.zeros(1 << n, dtype=np.int64)
    for i in range(n):
        masks |= ((np.arange(1 << n) >> i) & 1) << order[i]
    moved = np.empty_like(values)
    moved[masks] = values
    one, other = (NetworkSums(v, [], 2, Control()) for v in (values, moved))
    assert one.log_total[0] == pytest.approx(other.log_total[0], abs=1e-10)
    for mask in range(1 << n):
        p, q = one.complete(mask), other.complete(int(masks[mask]))
        assert abs(p[0] - q[0]) <= p[1] + q[1] < 1e-9


def test_the_bound_of_the_error_holds_and_says_something() -> None:
    # All networks weigh the same, so that the signs do their worst and the sum is known.
    n = 12
    log_total, error = NetworkSums(np.zeros(1 << n), [], 2, Control()).log_total
    assert abs(log_total - math.log(cl.count_chordal_graphs(n))) <= error < 1e-9


def test_scores_beyond_the_range_of_floating_point_numbers() -> None:
    n = 5
    powers = random_powers(n, 11, 3) * 10_000
    table = table_of(powers)
    _, weights = shares(chordal_networks(n), powers)
    best = max(weights, key=lambda cliques: weights[cliques])
    found = cl.posterior(table, method="exact")
    assert {e for e, p in found.edges.items() if p.value > 0.5} == set(found.best.edges)
    assert found.best.network.masks == best
    expected = probability(weights, lambda cliques: cliques == best)
    assert found.probability(found.best).value == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("rules", ["free", "required path", "all"])
@pytest.mark.parametrize("seed", [0, 1])
def test_draws_follow_the_exact_probabilities(rules: str, seed: int) -> None:
    powers, constraints = random_powers(4 + seed, 20 + seed, 2), CONSTRAINTS[rules]
    table = table_of(powers)
    _, weights = allowed_shares(table, powers, constraints)
    found = posterior_of(table, constraints)
    drawn = 40_000
    counts = dict.fromkeys(weights, 0)
    for network in found.sample(drawn, seed):
        counts[network.masks] += 1
    statistic, cells, rest, rest_expected = 0.0, 0, 0, 0.0
    for cliques, own in weights.items():
        expected = own / sum(weights.values()) * drawn
        if expected < 10:
            rest, rest_expected = rest + counts[cliques], rest_expected + expected
            continue
        statistic += (counts[cliques] - expected) ** 2 / expected
        cells += 1
    if rest_expected >= 10:
        statistic += (rest - rest_expected) ** 2 / rest_expected
        cells += 1
    freedom = cells - 1
    # By chance in one of a hundred thousand cases.
    assert cells > 3 and statistic < freedom + 4.3 * math.sqrt(2 * freedom) + 12


def test_draws_depend_on_the_seed_and_their_number_only() -> None:
    values = np.ascontiguousarray(cl.score_sets("econ").values)
    draws = NetworkDraws(NetworkSums(values, [], 1, Control()))
    many = draws.draw(3, 0, 20, Control())
    again = NetworkDraws(NetworkSums(values, [], 2, Control()))
    assert again.draw(3, 5, 10, Control()) == many[5:15]
    assert draws.draw(4, 0, 20, Control()) != many


def test_what_nothing_satisfies() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    with pytest.raises(ContradictionError):
        cl.posterior(table_of(random_powers(4, 0, 2)), require=edges, max_clique=2)
