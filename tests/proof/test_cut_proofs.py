"""Proofs by cuts: what they take for granted, whole proofs, and falsified ones."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.bounds import BranchAndCut
from chordlearn.bounds.linear_program import Solution
from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.cuts import Cut, Prices, moebius_weights
from chordlearn.certificate.proofs.scores import LARGEST
from chordlearn.certificate.proofs.sets import Flags, SmallSets
from chordlearn.certificate.results.report import Failed
from chordlearn.errors import ProofError
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, members, separators
from chordlearn.problem.constraints import Constraints
from chordlearn.problem.problem import make_problem
from chordlearn.proof import write_proof_by_cuts
from chordlearn.scores import BDeu
from chordlearn.scores.compute import ScoredData
from proof import mutations as m
from proof.proofs import copies, followers

N = 5
PAIRS = list(itertools.combinations(range(N), 2))
EDGE_SETS = [
    frozenset(edges)
    for size in range(len(PAIRS) + 1)
    for edges in itertools.combinations(PAIRS, size)
    if is_chordal(graph_from_edges(N, edges))
]


def test_sets_are_numbered_by_size() -> None:
    sets = SmallSets(7, 4)
    assert [sets.number(sets.members(number)) for number in range(sets.count)] == list(range(sets.count))
    assert sorted(len(sets.members(number)) for number in range(sets.count)) == [
        len(sets.members(number)) for number in range(sets.count)
    ]
    for size in range(5):
        assert sets.numbers(sets.of_size(size)).tolist() == list(range(sets.count)[sets.place(size)])
    chosen = sets.chosen_from([1, 3, 4, 6], 3).tolist()
    assert sorted(chosen) == [list(part) for part in itertools.combinations([1, 3, 4, 6], 3)]


def test_supersets_and_minimal_sets() -> None:
    sets = SmallSets(6, 4)
    chance = np.random.default_rng(0)
    marked = chance.random(sets.count) < 0.1
    minimal = sets.minimal(marked)
    sets.spread_upwards(marked)
    all_members = [set(sets.members(number)) for number in range(sets.count)]
    lowest = [all_members[number] for number in np.flatnonzero(minimal)]
    assert not any(a < b for a in lowest for b in lowest)
    for number, inside in enumerate(all_members):
        assert marked[number] == any(low <= inside for low in lowest)


def random_cut(chance: random.Random, largest: int, there: frozenset[tuple[int, int]]) -> Cut:
    multiplier = chance.randrange(0, 40)
    variables = chance.sample(range(N), N)
    kind = chance.choice(["component", "around", "edge"])
    if kind == "edge" and there:
        return Cut(multiplier, "edge", chance.choice(sorted(there)))
    if kind == "around" and largest > 1:
        apart = chance.randrange(1, min(largest, N - 1)) if largest > 2 else 1
        among = sorted(variables[apart : chance.randrange(apart + 1, N) + 1])
        return Cut(multiplier, "around", tuple(among), tuple(sorted(variables[:apart])), chance.choice(among))
    return Cut(multiplier, "component", tuple(sorted(variables[: chance.randrange(1, N + 1)])))


def cliques_of(edges: frozenset[tuple[int, int]]) -> list[list[int]]:
    return [list(members(clique)) for clique in maximal_cliques(graph_from_edges(N, edges))]


def complete_sets(edges: frozenset[tuple[int, int]], sets: SmallSets) -> set[int]:
    return {
        sets.number(part)
        for clique in cliques_of(edges)
        for size in range(1, len(clique) + 1)
        for part in itertools.combinations(clique, size)
    }


def excluded_in(edges: frozenset[tuple[int, int]], sets: SmallSets, excluded: Flags) -> bool:
    """Whether the graph has a complete set that is too large or excluded."""
    if max(map(len, cliques_of(edges))) > sets.largest:
        return True
    return bool(excluded[sorted(complete_sets(edges, sets))].any())


@pytest.mark.parametrize("seed", range(60))
def test_no_graph_exceeds_bounds_of_any_multipliers(seed: int) -> None:
    chance = random.Random(seed)
    largest = chance.randrange(2, N + 1)
    sets = SmallSets(N, largest)
    integers = np.array([chance.randrange(-50, 60) for _ in range(sets.count)])
    integers[: N + 1] = 0
    excluded = np.array([chance.random() < 0.05 for _ in range(sets.count)])
    excluded[: N + 1] = False
    sets.spread_upwards(excluded)
    some = chance.choice([edges for edges in EDGE_SETS if not excluded_in(edges, sets, excluded)])
    there = frozenset(pair for pair in some if chance.random() < 0.4)
    cuts = [random_cut(chance, largest, there) for _ in range(chance.randrange(0, 12))]
    weights = moebius_weights(integers, sets, ~excluded)
    prices = Prices(weights, sets, ~excluded, cuts)
    with_set = prices.bounds_with()
    for edges in EDGE_SETS:
        if excluded_in(edges, sets, excluded) or not there <= edges:
            continue
        cliques = cliques_of(edges)
        complete = complete_sets(edges, sets)
        score = sum(integers[sets.number(clique)] for clique in cliques) - sum(
            integers[sets.number(list(members(separator)))]
            for separator in separators(maximal_cliques(graph_from_edges(N, edges)))
        )
        assert score == sum(weights[number] for number in complete)
        assert score <= prices.bound()
        assert all(score <= with_set[number] for number in complete if number > N)


def test_multipliers_that_would_overflow_are_refused() -> None:
    sets = SmallSets(3, 2)
    nothing = np.zeros(sets.count, dtype=np.int64)
    with pytest.raises(Failed, match="too large"):
        Prices(nothing, sets, nothing == 0, [Cut(1 << 58, "component", (0, 1))])


def test_weights_that_would_overflow_are_refused() -> None:
    sets = SmallSets(14, 14)
    integers = np.full(sets.count, LARGEST)
    with pytest.raises(Failed, match="added up exactly"):
        moebius_weights(integers, sets, integers > 0)


@pytest.mark.parametrize("seed", range(4))
def test_many_variables_are_proved(seed: int, tmp_path: Path) -> None:
    data = copies(seed, variables=30)
    names = data.variables
    constraints: dict[str, Any] = {
        "require": [(names[0], names[9])],
        "forbid": [(names[0], names[1]), (names[3], names[4])],
    }
    result = cl.learn(data, proof=tmp_path / "proof", max_clique=3, **(constraints if seed % 2 else {}))
    assert result.status == "optimal"
    texts = m.texts_of(tmp_path / "proof")
    assert set(texts) == {"README.txt", claims.CLAIM, *claims.ALWAYS, claims.CUTS}
    assert "component C" in texts["README.txt"]
    report = cl.verify(tmp_path / "proof", data)
    assert report.ok and report.complete, report


@pytest.mark.parametrize(
    ("variables", "backend"), [(16, "auto"), (21, "native"), (30, "ilp:cuts"), (30, "maxsat:rc2")]
)
def test_whatever_solved_the_problem(variables: int, backend: str, tmp_path: Path) -> None:
    data = copies(5, variables)
    cl.learn(data, proof=tmp_path / "proof", max_clique=3, backend=backend)
    assert (tmp_path / "proof" / claims.CUTS).exists()
    assert cl.verify(tmp_path / "proof", data).ok


def test_cliques_of_one_variable(tmp_path: Path) -> None:
    data = copies(3, 5)
    result = cl.learn(data, max_clique=1, forbid=[("v0", "v1")])
    constraints = Constraints(1, forbidden=(("v0", "v1"),))
    write_proof_by_cuts(tmp_path / "proof", result, make_problem(ScoredData(data, BDeu(1.0)), constraints))
    assert cl.verify(tmp_path / "proof", data).ok
    texts = m.texts_of(tmp_path / "proof")
    for line in ("split 0 1", "prices\n1 edge 0 1", "prices\n1 around 0 : 1 : 1"):
        m.write(tmp_path / "changed", texts | {claims.CUTS: f"{line}\n{texts[claims.CUTS]}"})
        changed = m.texts_of(tmp_path / "changed")
        m.state_hashes(changed)
        m.write(tmp_path / "changed", changed)
        assert cl.verify(tmp_path / "changed", data).failures[0].name == "cuts"


def test_cases_where_cuts_do_not_close_the_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If cuts are looked for late, there are cases to tell apart; each is closed by prices of its own."""
    add_cuts = BranchAndCut._add_cuts

    def add_cuts_late(run: BranchAndCut, solution: Solution) -> int:
        return 0 if run._most_divided_edge(solution) else add_cuts(run, solution)

    monkeypatch.setattr(BranchAndCut, "_add_cuts", add_cuts_late)
    data = followers(2, variables=12)
    cl.learn(data, proof=tmp_path / "proof", max_clique=3)
    lines = (tmp_path / "proof" / claims.CUTS).read_text().splitlines()
    splits = sum(line.startswith("split") for line in lines)
    assert splits >= 1
    assert sum(line.startswith("closed") for line in lines) == splits + 1
    assert any(" edge " in line for line in lines)
    assert cl.verify(tmp_path / "proof", data).ok


def test_no_proof_at_the_time_limit(tmp_path: Path) -> None:
    with pytest.raises(ProofError):
        cl.learn(followers(0, variables=60), proof=tmp_path / "proof", max_clique=4, time_limit=1.0)
    assert list(tmp_path.iterdir()) == []


def test_falsified_proofs_are_refused(tmp_path: Path) -> None:
    data = followers(3, variables=13)
    cl.learn(data, proof=tmp_path / "proof", max_clique=3, top=9)
    whole = m.texts_of(tmp_path / "proof")
    assert "exclude" in whole[claims.CUTS]
    verdicts = {}
    for name, texts in m.mutated(whole, m.OF_EVERY_PROOF + m.OF_CUTS, 6):
        m.state_hashes(texts)
        m.write(tmp_path / "changed", texts)
        failures = cl.verify(tmp_path / "changed", data).failures
        verdicts[name] = failures[0].name if failures else "accepted"
    assert [name for name, verdict in verdicts.items() if verdict == "accepted"] == []
    assert sum(verdict == "cuts" for verdict in verdicts.values()) >= 6 * len(m.OF_CUTS)
    assert len(verdicts) >= 100
