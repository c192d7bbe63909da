"""More rows in the tables of a network, and whether its structure is still the best."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.network.evaluation import score_network
from chordlearn.pipeline.updating import data_of


def some_rows(n: int, seed: int, link: float) -> pl.DataFrame:
    """Rows of three columns; `b` follows `a` as often as the link says."""
    rng = np.random.default_rng(seed)
    a, noise, c = rng.integers(0, 2, (3, n))
    b = np.where(rng.random(n) < link, a, noise)
    return pl.DataFrame({"a": a, "b": b, "c": c * 10}).cast(pl.String)


@pytest.mark.parametrize("method", ["posterior-mean", "maximum-likelihood"])
def test_the_tables_are_those_of_all_rows(method: str, tmp_path: Path) -> None:
    parts = [some_rows(n, n, 0.7) for n in (300, 50, 7)]
    result = cl.learn(parts[0])
    net = cl.fit(result, parts[0], method=method)
    for number, part in enumerate(parts[1:], start=2):
        net = cl.update(net, part).network
        net.save(tmp_path / "net.chord.json")
        net = cl.FittedNetwork.load(tmp_path / "net.chord.json")
        whole = cl.fit(result, pl.concat(parts[:number]), method=method)
        assert net.edges == whole.edges == (("a", "b"),)
        assert net.rows == whole.rows
        for one, other in zip(net.tables, whole.tables, strict=True):
            assert one == pytest.approx(other, abs=1e-14)


def test_provenance_names_every_part_and_reads_it_again(tmp_path: Path) -> None:
    names = [str(tmp_path / f"{name}.csv") for name in "xyz"]
    parts = [some_rows(n, n, 0.7) for n in (300, 50, 7)]
    for name, part in zip(names, parts, strict=True):
        part.write_csv(name)
    net = cl.fit(cl.learn(names[0]))
    for name in names[1:]:
        net = cl.update(net, name).network
    assert [part["data"]["source"] for part in net.provenance["updates"]] == names[1:]
    assert [part["rows"] for part in net.provenance["updates"]] == [50, 7]
    assert net.provenance["rows"] == 300
    assert data_of(net).sha256 == cl.read(pl.concat(parts)).sha256
    assert cl.edge_strengths(net)[0].loss == cl.edge_strengths(net, pl.concat(parts))[0].loss
    parts[0].write_csv(names[2])
    with pytest.raises(InputError, match="have changed"):
        data_of(net)


def test_counts_intervals_and_missing_states_are_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text(
        "a,b,count\n" + "".join(f"{i},{'xy?'[i % 3]},{i + 1}\n" for i in range(12))
    )
    (tmp_path / "new.csv").write_text("b,a,count,note\nx,3.5,4,k\n?,-7,2,k\n")
    options: Any = {"counts": "count", "missing": "category", "discretize": "a=width:3"}
    net = cl.fit(cl.learn(tmp_path / "old.csv", **options))
    found = cl.update(net, tmp_path / "new.csv")
    assert found.added.rows == 6
    assert found.network.rows == 78 + 6
    assert net.states[1] == ("x", "y", "?")
    rows = dict(zip(map(tuple, found.added.codes.tolist()), found.added.weights.tolist(), strict=True))
    assert rows == {(0, 0): 4, (0, 2): 2}
    assert data_of(found.network).rows == 84


def test_rows_with_holes_are_refused_or_dropped_and_strange_states_refused() -> None:
    net = cl.fit(cl.learn(some_rows(100, 0, 0.7)), some_rows(100, 0, 0.7))
    holes: dict[str, list[Any]] = {"a": ["0", None, "1"], "b": ["1", "1", None], "c": ["0", "0", "10"]}
    with pytest.raises(InputError, match=r"Row 2 .* no value of 'a'; .* missing=\"drop\""):
        cl.update(net, holes)
    found = cl.update(net, holes, missing="drop")
    assert (found.added.rows, found.dropped, found.network.rows) == (1, 2, 101)
    with pytest.raises(InputError, match="No row"):
        cl.update(net, {name: values[1:2] for name, values in holes.items()}, missing="drop")
    with pytest.raises(InputError, match="no column 'b'"):
        cl.update(net, {"a": ["0"]})
    own = cl.FittedNetwork.from_data(net.structure, cl.read(some_rows(100, 0, 0.7)))
    with pytest.raises(InputError, match="does not say how many rows"):
        cl.update(own, some_rows(3, 0, 0.7))


def test_rows_with_holes_add_what_the_network_expects() -> None:
    old = some_rows(100, 0, 0.7)
    net = cl.fit(cl.learn(old), old)
    holes: dict[str, list[Any]] = {"a": ["0", None], "b": [None, None], "c": ["10", "0"]}
    found = cl.update(net, holes, missing="em")
    assert (found.added.rows, found.dropped, found.network.rows) == (2, 0, 102)
    expected = [net.joint(["a", "b"], {"a": "0"}), net.joint(["a", "b"])]
    before, after = (one.joint(["a", "b"]).probabilities for one in (net, found.network))
    added = sum(one.probabilities for one in expected)
    assert after * (102 + 1) == pytest.approx(before * (100 + 1) + added, abs=1e-6)
    assert found.network.marginal("c")["10"] * 103 == pytest.approx(net.marginal("c")["10"] * 101 + 1)
    again = cl.FittedNetwork.from_dict(found.network.to_dict())
    assert data_of(again, old).rows == 100
    assert found.review(old).in_words == "the structure is still the best, proved"
    assert cl.update(found.network, holes, missing="em").counted_before


def test_rows_that_are_counted_already_are_noticed() -> None:
    old, new = some_rows(100, 0, 0.7), some_rows(20, 1, 0.7)
    first = cl.update(cl.fit(cl.learn(old), old), new)
    assert not first.counted_before
    assert cl.update(first.network, new).counted_before
    assert cl.update(first.network, old).counted_before


def test_review_tells_when_the_structure_would_be_another() -> None:
    old, new = some_rows(60, 0, 0.0), some_rows(600, 1, 0.8)
    net = cl.fit(cl.learn(old), old)
    assert net.edges == ()
    review = cl.update(net, new).review(old)
    whole = cl.read(pl.concat([old, new]))
    assert review.best.score == pytest.approx(cl.learn(whole).score)
    assert review.score == pytest.approx(score_network(net.structure, whole, cl.BDeu()))
    assert review.gain == pytest.approx(review.best.score - review.score)
    assert review.most_gain >= review.gain > 10
    assert review.changes.only_second == (("a", "b"),)
    assert "would now be another, with 1 more and 0 fewer edges" in review.in_words
    relearned = cl.fit(review.best, whole)
    assert cl.update(relearned, old).review(whole).in_words == "the structure is still the best, proved"
    # Tables in memory are found again as long as what was learned from them is there, in this process.
    updated = cl.update(net, new)
    assert updated.review().gain == review.gain
    assert len(cl.edge_strengths(relearned)) == len(relearned.edges)
    elsewhere = cl.FittedNetwork.from_json(updated.network.to_json())
    del updated, net, relearned, review, whole
    gc.collect()
    with pytest.raises(InputError, match="not there to read again"):
        cl.edge_strengths(elsewhere)


def test_a_damaged_record_of_updates_gets_a_sentence(tmp_path: Path) -> None:
    net = cl.update(cl.fit(cl.learn("heart")), "heart").network
    damages: list[Any] = [[{}], [7], "x", [{**net.provenance["updates"][0], "rows": "many"}]]
    for damage in damages:
        document = net.to_dict()
        document["provenance"]["updates"] = damage
        damaged = cl.FittedNetwork.from_dict(document)
        with pytest.raises(InputError, match="field 'updates'"):
            data_of(damaged)
        with pytest.raises(InputError, match="field 'updates'"):
            cl.update(damaged, "heart")


def test_review_keeps_to_the_constraints_and_the_score() -> None:
    old, new = some_rows(60, 0, 0.0), some_rows(600, 1, 0.8)
    net = cl.fit(cl.learn(old, score="bic", forbid=[("a", "b")]), old)
    review = cl.update(net, new).review(old)
    assert review.gain == 0
    assert review.best.score_function["name"] == "bic"
    assert review.best.edges == ()


def test_the_command(call, tmp_path: Path) -> None:
    some_rows(60, 0, 0.0).write_csv(tmp_path / "old.csv")
    some_rows(600, 1, 0.8).write_csv(tmp_path / "new.csv")
    assert call("learn", "old.csv", "--save", "net.chord.json", "--json", "result.json").returncode == 0
    done = call("update", "net.chord.json", "new.csv", "-o", "more.chord.json", "--json", "-")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["schema"], found["rows_before"], found["rows_added"]) == ("chordlearn/update@1", 60, 600)
    assert found["review"]["gain"] > 10
    assert found["review"]["changes"]["only_in_second"] == [["a", "b"]]
    assert cl.load_network(tmp_path / "net.chord.json").rows == 60
    done = call("update", "net.chord.json", "new.csv")
    assert "60 rows and 600 more" in done.stdout
    assert "would now be another" in done.stdout
    assert cl.load_network(tmp_path / "net.chord.json").rows == 660
    done = call("update", "net.chord.json", "new.csv", "--no-review")
    assert "just these rows before" in done.stderr
    (tmp_path / "old.csv").unlink()
    done = call("update", "more.chord.json", "new.csv", "--data", "new.csv")
    assert done.returncode == 0, done.stderr
    done = call("update", "more.chord.json", "new.csv")
    assert done.returncode == 0
    assert "(--data) the structure was not reviewed: " in done.stderr
    for wrong in (
        ["result.json", "new.csv"],
        ["net.chord.json", "new.csv", "-o", "new.csv"],
        ["net.chord.json", "none.csv"],
    ):
        done = call("update", *wrong)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
