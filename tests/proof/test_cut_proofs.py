"""Proofs by cuts: what they take for granted, whole proofs, and falsified ones."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.bounds import BranchAndCut
from chordlearn.bounds.linear_program import Solution
from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.claim import Reader
from chordlearn.certificate.proofs.cuts import Cut, read_cuts
from chordlearn.certificate.proofs.families import SetList, UnitScores
from chordlearn.certificate.proofs.sets_left import SetsLeft
from chordlearn.certificate.results.report import Failed
from chordlearn.certificate.results.values import value_from_data
from chordlearn.errors import ProofError, StoppedError
from chordlearn.graphs import graph_from_edges, is_chordal, maximal_cliques, members, separators
from chordlearn.problem.constraints import Constraints, recorded_constraints
from chordlearn.problem.problem import make_problem
from chordlearn.proof import cutting, write_proof_by_cuts
from chordlearn.scores import BIC, BDeu
from chordlearn.scores.compute import ScoredData
from chordlearn.system import running
from proof import mutations as m
from proof.proofs import copies, followers
from proof.test_false_claims import falsified

N = 5
PAIRS = list(itertools.combinations(range(N), 2))
EDGE_SETS = [
    frozenset(edges)
    for size in range(len(PAIRS) + 1)
    for edges in itertools.combinations(PAIRS, size)
    if is_chordal(graph_from_edges(N, edges))
]


def random_cut(chance: random.Random, there: frozenset[tuple[int, int]]) -> Cut:
    multiplier = chance.randrange(0, 40)
    variables = chance.sample(range(N), N)
    kind = chance.choice(["component", "around", "edge"])
    if kind == "edge" and there:
        return Cut(multiplier, "edge", chance.choice(sorted(there)))
    if kind == "around":
        apart = chance.randrange(1, N)
        among = sorted(variables[apart : chance.randrange(apart + 1, N + 1)])
        return Cut(multiplier, "around", tuple(among), tuple(sorted(variables[:apart])), chance.choice(among))
    return Cut(multiplier, "component", tuple(sorted(variables[: chance.randrange(1, N + 1)])))


Sets = dict[tuple[int, ...], int]
ALL_SETS = [part for size in range(1, N + 1) for part in itertools.combinations(range(N), size)]


def listed(scores: Sets) -> SetList:
    ends = np.cumsum([len(part) for part in scores])
    return SetList(np.array([i for part in scores for i in part]), ends, np.array(list(scores.values())))


def score_of(edges: frozenset[tuple[int, int]], scores: Sets) -> int:
    cliques = maximal_cliques(graph_from_edges(N, edges))
    return sum(scores[tuple(members(clique))] for clique in cliques) - sum(
        scores[tuple(members(separator))] for separator in separators(cliques)
    )


def complete_sets(edges: frozenset[tuple[int, int]]) -> set[tuple[int, ...]]:
    return {part for part in ALL_SETS if edges.issuperset(itertools.combinations(part, 2))}


def sets_of(left: SetsLeft) -> list[tuple[int, ...]]:
    found = left.listed
    parts = np.split(found.members, found.ends[:-1]) if len(left) else []
    return [tuple(part.tolist()) for part in parts]


@pytest.mark.parametrize("seed", range(60))
def test_no_set_of_a_better_network_is_left_out(seed: int) -> None:
    chance = random.Random(seed)
    scores = {part: chance.randrange(-50, 60) for part in ALL_SETS}
    some = chance.choice(EDGE_SETS)
    there = frozenset(pair for pair in some if chance.random() < 0.4)
    closed = [pair for pair in PAIRS if pair not in some and chance.random() < 0.3]
    graphs = [edges for edges in EDGE_SETS if there <= edges and not edges & set(closed)]
    best = max(score_of(edges, scores) for edges in graphs)
    threshold = best - chance.randrange(0, 60)
    left = SetsLeft(N, listed(scores), there)
    for edge in closed:
        left = left.without_edge(edge)
    for _ in range(3):
        left.price([random_cut(chance, there) for _ in range(chance.randrange(0, 12))])
        left.shrink(threshold)
        for edges in graphs:
            if score_of(edges, scores) > threshold:
                assert complete_sets(edges) <= set(sets_of(left))
    left.shrink(10**9)
    assert len(left) == 0


@pytest.mark.parametrize("seed", range(60))
def test_sets_grow_as_they_are_counted(seed: int) -> None:
    """Every set that loses less than the slack, with all its parts, and no other; scores to half a unit."""
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    n, factor = 5, 2.0**20
    table = {f"v{i}": rng.integers(0, chance.randrange(2, 4), 40).tolist() for i in range(n)}
    data = cl.read(table)
    name = ("bdeu", "bic", "dirichlet", "qnml")[seed % 4]
    parameters: dict[str, float] = {"bdeu": {"ess": 2.5}, "dirichlet": {"alpha": 0.5}}.get(name, {})
    parameters["edge_prior"] = chance.choice([0.0, -1.5])
    function = {"name": name, "parameters": parameters}
    largest, forbidden = chance.choice([None, 3]), chance.choice([[], [["v0", "v2"]]])
    constraints = {"max_clique": largest, "forbidden": forbidden, "required": []}
    scores = UnitScores(data, function, constraints, factor)
    value = value_from_data(data, name, parameters)
    cuts = [random_cut(chance, frozenset()) for _ in range(chance.randrange(6))]
    cuts = [replace(cut, multiplier=round(cut.multiplier * factor)) for cut in cuts]
    most = [round(rng.normal(-15, 5) * factor) for _ in range(n)] if seed % 3 else []
    slack = round(12 * factor)
    expected: dict[tuple[int, ...], float] = {}
    for part in ALL_SETS:
        if len(part) > (largest or n) or (forbidden and {0, 2} <= set(part)):
            continue
        real = value(frozenset(data.variables[i] for i in part))
        worth = real * factor + sum(
            units
            for units, apart, among, at in (cut.parts for cut in cuts)
            if {*apart} <= {*part} and {*among} & {*part} and at not in part
        )
        is_left = not most or sum(most[i] for i in part) - worth < slack
        if is_left and all(
            smaller in expected for smaller in itertools.combinations(part, len(part) - 1) if smaller
        ):
            expected[part] = real
    left = SetsLeft(n, scores.grow(cuts, most, slack))
    assert set(sets_of(left)) == set(expected)
    assert np.allclose(left.scores / factor, [expected[part] for part in sets_of(left)], atol=0.51 / factor)


def test_multipliers_that_would_overflow_are_refused(tmp_path: Path) -> None:
    file = Reader([f"{1 << 51} component 0 1"] * 3, claims.CUTS)
    with pytest.raises(Failed, match="too large"):
        read_cuts(file, 3, ())


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
    assert set(texts) == {"README.txt", claims.CLAIM, claims.RESULT, claims.CUTS}
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
    assert lines.count("closed") == splits + 1
    assert any(" edge " in line for line in lines)
    assert cl.verify(tmp_path / "proof", data).ok


def test_no_proof_at_the_time_limit(tmp_path: Path) -> None:
    with pytest.raises(ProofError):
        cl.learn(followers(0, variables=60), proof=tmp_path / "proof", max_clique=4, time_limit=1.0)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def families_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where there are too many sets to look at all."""
    monkeypatch.setattr(cutting, "FEW_SETS", 0)


def prove(folder: Path, data: cl.Dataset, score: str = "bdeu", **options: Any) -> cl.Result:
    """Learn, and write the proof by cuts whatever would be shorter."""
    result = cl.learn(data, score=score, top=9, **options)
    constraints = recorded_constraints(result.to_dict()["constraints"])
    function = BDeu(1.0) if score == "bdeu" else BIC()
    write_proof_by_cuts(folder, result, make_problem(ScoredData(data, function), constraints))
    return result


@pytest.mark.parametrize("score", ["bdeu", "bic"])
@pytest.mark.parametrize("seed", range(4))
def test_families_of_any_size(seed: int, score: str, tmp_path: Path, families_only: None) -> None:
    """Small tables, whose proofs say nothing of the largest clique."""
    data = followers(seed, variables=8)
    options = {"require": [("v0", "v7")], "forbid": [("v1", "v2")], "max_clique": 5} if seed % 2 else {}
    prove(tmp_path / "proof", data, score, **options)
    lines = (tmp_path / "proof" / claims.CUTS).read_text().splitlines()
    assert lines[0] == "prices" and sum(line.startswith("most ") for line in lines) == 1
    report = cl.verify(tmp_path / "proof", data)
    assert report.ok and report.complete, report
    assert "families of any size looked into" in report.checks[-1].reason


@pytest.mark.parametrize("kind", ["small cliques", "families"])
def test_falsified_proofs_are_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "families":
        monkeypatch.setattr(cutting, "FEW_SETS", 0)
        data, mutations = followers(1, variables=9), m.OF_CUTS + m.OF_FAMILIES
        prove(tmp_path / "proof", data)
    else:
        data, mutations = followers(3, variables=13), m.OF_CUTS
        cl.learn(data, proof=tmp_path / "proof", max_clique=3, top=9)
    whole = m.texts_of(tmp_path / "proof")
    assert "left" in whole[claims.CUTS]
    verdicts = {}
    for name, texts in m.mutated(whole, m.OF_EVERY_PROOF + mutations, 6):
        m.state_hashes(texts)
        m.write(tmp_path / "changed", texts)
        failures = cl.verify(tmp_path / "changed", data).failures
        verdicts[name] = failures[0].name if failures else "accepted"
    assert [name for name, verdict in verdicts.items() if verdict == "accepted"] == []
    assert sum(verdict == "cuts" for verdict in verdicts.values()) >= 6 * len(mutations)
    assert len(verdicts) >= 100


def test_no_change_makes_a_false_claim_acceptable(tmp_path: Path, families_only: None) -> None:
    data = followers(1, variables=9)
    result = prove(tmp_path / "proof", data)
    assert result.score - result.runners_up[0].score > 2e-3
    texts, chance = m.texts_of(tmp_path / "proof"), random.Random(0)
    for _ in range(60):
        m.write(tmp_path / "proof", falsified(texts, chance))
        assert not cl.verify(tmp_path / "proof", data).ok


@pytest.mark.slow
def test_more_columns_than_can_be_scored_whole(tmp_path: Path) -> None:
    data = copies(1, variables=26, rows=200)
    result = cl.learn(data, proof=tmp_path / "proof")
    assert result.status == "optimal" and result.constraints["max_clique"] is None
    seen: list[str] = []

    class Observer(cl.Observer):
        def progress(self, stage: str, score: float | None, bound: float | None, detail: str = "") -> None:
            seen.append(detail)

    report = cl.verify(tmp_path / "proof", data, observer=Observer())
    assert report.ok and report.complete, report
    assert "families of 26 of 26 variables" in seen


def test_a_check_ends_at_its_time_limit(
    tmp_path: Path, families_only: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_ALARM_SECONDS", 0.0)
    data = followers(0, variables=10)
    prove(tmp_path / "proof", data)
    with pytest.raises(StoppedError, match=r"did not end within 0\.001 s, and nothing was found wrong"):
        cl.verify(tmp_path / "proof", data, time_limit=0.001)
