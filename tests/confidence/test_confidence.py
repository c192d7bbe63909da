"""What an edge is worth, and how often it comes back."""

from __future__ import annotations

import itertools
import signal
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import chordlearn as cl
from chordlearn.analysis.resampling import Journal, resampled
from chordlearn.errors import InputError
from chordlearn.graphs import is_chordal, toggled
from chordlearn.network.evaluation import compare, recorded_function, score_network


@pytest.mark.parametrize("name", ["heart", "econ"])
def test_edge_strengths(name: str) -> None:
    result, data = cl.learn(name, threads=1), cl.read(name)
    net = cl.fit(result)
    removed = cl.edge_strengths(net, data, score=cl.BDeu())
    relearned = {one.edge: one for one in cl.edge_strengths(net, data, score=cl.BDeu(), relearn=True)}
    assert tuple(one.edge for one in removed) == result.edges
    for one in removed:
        a, b = map(net.variables.index, one.edge)
        graph = toggled(net.structure.graph, a, b)
        assert (one.by == "removal") == is_chordal(graph)
        best = cl.learn(name, forbid=[one.edge], threads=1).score
        assert relearned[one.edge].loss == pytest.approx(result.score - best, abs=1e-6)
        if one.by == "removal":
            edges = [edge for edge in result.edges if edge != one.edge]
            other = score_network(cl.ChordalNetwork.from_edges(net.variables, edges), data, cl.BDeu())
            assert one.loss == pytest.approx(result.score - other, abs=1e-6)
            assert one.loss is not None and one.loss >= result.score - best - 2e-6
        else:
            assert one.loss == pytest.approx(relearned[one.edge].loss)
        common = set(net.structure.neighbours(one.edge[0])) & set(net.structure.neighbours(one.edge[1]))
        expected = net.mutual_information(*one.edge, on=sorted(common))
        assert one.conditional_mutual_information == pytest.approx(expected, abs=1e-12)


def test_an_edge_in_the_middle_is_relearned_and_a_required_one_is_not_lost() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    data = cl.read({"a": a, "b": b ^ (a & (rng.random(400) < 0.5)), "c": a ^ b, "d": (a | b)})
    structure = cl.ChordalNetwork.from_cliques("abcd", ["abc", "abd"], data.states)
    net = cl.fit(structure, data)
    found = {one.edge: one for one in cl.edge_strengths(net, data, score=cl.BIC(), require=[("b", "c")])}
    assert found["a", "b"].by == "relearning"
    assert found["b", "c"].loss is None
    assert found["a", "d"].by == "removal"


def test_resampling_depends_on_seed_and_number_only() -> None:
    data = cl.read("econ")
    one, again, other = resampled(data, 1, 5), resampled(data, 1, 5), resampled(data, 1, 6)
    assert one.sha256 == again.sha256 != other.sha256
    assert one.rows == data.rows
    assert one.states == data.states
    assert (one.weights > 0).all()


def test_bootstrap(tmp_path: Path) -> None:
    found = cl.bootstrap("econ", samples=20, threads=1, seed=3)
    assert len(found.replicates) == found.proved == 20
    assert sum(found.networks.values()) == pytest.approx(1)
    for replicate in found.replicates[:3]:
        data = resampled(cl.read("econ"), 3, replicate.number)
        assert cl.learn(data, threads=1).score == pytest.approx(replicate.score)
        network = cl.ChordalNetwork.from_cliques(data.variables, replicate.cliques)
        assert score_network(network, data, cl.BDeu()) == pytest.approx(replicate.score)
    share = np.mean([any({"Age", "Child"} <= set(c) for c in r.cliques) for r in found.replicates])
    assert found.edges["Age", "Child"] == share
    assert list(found.edges.values()) == sorted(found.edges.values(), reverse=True)
    parallel = cl.bootstrap("econ", samples=20, threads=2, seed=3, journal=tmp_path / "j.jsonl")
    assert parallel.replicates == found.replicates
    more = cl.bootstrap("econ", samples=22, threads=2, seed=3, journal=tmp_path / "j.jsonl")
    assert [(r.cliques, r.from_journal) for r in more.replicates[:20]] == [
        (r.cliques, True) for r in found.replicates
    ]
    assert more.edges.keys() >= found.edges.keys()
    assert "22 networks, 2 proved, 20 from a journal" in repr(more)
    assert (more.to_dict()["proved"], more.to_dict()["from_journal"]) == (2, 20)
    fewer = cl.bootstrap("econ", samples=5, seed=3, journal=tmp_path / "j.jsonl")
    assert len(fewer.replicates) == 5


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_interrupt_while_the_journal_is_written_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    add = Journal.add
    count = itertools.count(1)

    def interrupted_add(journal: Journal, replicate: cl.Replicate) -> None:
        third = next(count) == 3
        if third and moment == "before":
            signal.raise_signal(signal.SIGINT)
        add(journal, replicate)
        if third and moment == "after":
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Journal, "add", interrupted_add)
    path = tmp_path / "journal.jsonl"
    found = cl.bootstrap("econ", samples=1000, threads=2, journal=path)
    assert 3 <= len(found.replicates) < 1000
    assert path.read_bytes().count(b"\n") == 1 + len(found.replicates)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_before_the_first_resample_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted_learn(*arguments: Any, **options: Any) -> cl.Result:
        return msgspec.structs.replace(cl.learn(*arguments, **options), stopped_by="interrupted")

    monkeypatch.setattr("chordlearn.analysis.resampling.learn", interrupted_learn)
    with pytest.raises(KeyboardInterrupt):
        cl.bootstrap("econ", samples=1000)


def test_wrong_calls_get_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 1"):
        cl.bootstrap("heart", samples=0)
    with pytest.raises(InputError, match="no score 'x'"):
        cl.bootstrap("heart", score="x")
    with pytest.raises(InputError, match="cannot be written"):
        cl.bootstrap("heart", samples=1, journal=tmp_path)
    with pytest.raises(InputError, match="cannot be computed again"):
        recorded_function({"name": "custom", "parameters": {}})
    with pytest.raises(InputError, match="not on the same variables"):
        compare(cl.ChordalNetwork.from_edges("ab", []), cl.ChordalNetwork.from_edges("ac", []))
