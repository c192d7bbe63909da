"""The network file: what is written is read again to the last bit, and nothing else is believed."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chordlearn as cl
from chordlearn.errors import InputError
from chordlearn.network.fitted import FittedNetwork
from network.brute_force import random_network


@pytest.fixture(scope="module")
def heart() -> FittedNetwork:
    return cl.fit(cl.learn("heart", threads=1))


def same(first: FittedNetwork, second: FittedNetwork) -> bool:
    return (
        first.structure == second.structure
        and first.estimation == second.estimation
        and first.provenance == second.provenance
        and all(np.array_equal(a, b) for a, b in zip(first.tables, second.tables, strict=True))
    )


def test_written_and_read(heart: FittedNetwork, tmp_path: Path) -> None:
    heart.save(tmp_path / "heart.chord.json")
    assert same(cl.load_network(tmp_path / "heart.chord.json"), heart)
    for seed in range(6):
        net = random_network(seed)
        assert same(FittedNetwork.from_json(net.to_json()), net)
    assert same(pickle.loads(pickle.dumps(heart)), heart)


def test_provenance(heart: FittedNetwork) -> None:
    provenance = json.loads(heart.to_json())["provenance"]
    assert provenance["score"] == pytest.approx(-6732.459258)
    assert provenance["status"] == "optimal"
    assert provenance["rows"] == 1841
    assert provenance["data"] == {"source": "heart", "options": {}}
    assert provenance["data_sha256"] == cl.read("heart").sha256


def test_a_result_is_fitted_again_from_its_data(heart: FittedNetwork, tmp_path: Path) -> None:
    cl.learn("heart", threads=1).save(tmp_path / "result.json")
    assert cl.load_network(tmp_path / "result.json").structure == heart.structure
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "x,u\ny,v\n" * 20)
    cl.learn(table, threads=1).save(tmp_path / "own.json")
    assert cl.load_network(tmp_path / "own.json").edges == (("a", "b"),)
    table.write_text("a,b\n" + "x,u\ny,v\n" * 21)
    with pytest.raises(InputError, match="have changed since the network was learned"):
        cl.load_network(tmp_path / "own.json")
    assert cl.load_network(tmp_path / "own.json", table).provenance["rows"] == 42
    table.unlink()
    with pytest.raises(InputError, match=r"own\.json: .* not there to read again"):
        cl.load_network(tmp_path / "own.json")


def reversed_tree(document: dict[str, Any]) -> dict[str, Any]:
    last = len(document["cliques"]) - 1
    tree = [edge | {"cliques": [last - i for i in edge["cliques"]]} for edge in document["junction_tree"]]
    return {"junction_tree": tree}


def damaged(change) -> str:
    document = json.loads(cl.fit(cl.learn("heart", threads=1)).to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.update(schema="chordlearn/network@2"), "reads 'chordlearn/network@1'"),
        (lambda d: d.pop("variables"), "'variables'"),
        (lambda d: d.pop("states"), "'states'"),
        (lambda d: d["states"].pop(), "'states'"),
        (lambda d: d["states"][0].append("y"), "'smoke' of the network has a state twice"),
        (lambda d: d["states"][0].append("z"), "must hold 12 probabilities"),
        (lambda d: d["states"].__setitem__(0, []), "'states'"),
        (lambda d: d["cliques"].reverse(), "The neighbours in the junction tree"),
        (lambda d: d.update(cliques=d["cliques"][::-1], **reversed_tree(d)), "not in the order"),
        (lambda d: d["cliques"].pop(), "is in no clique"),
        (lambda d: d["cliques"][0].append(7), "'cliques'"),
        (lambda d: d["tables"].pop(), "'tables'"),
        (lambda d: d["tables"][0].update(variables=["family"]), "'tables'"),
        (lambda d: d["tables"][0]["probabilities"].append(0), "must hold 8 probabilities"),
        (lambda d: d["tables"][0]["probabilities"].__setitem__(0, -0.1), "expected float"),
        (lambda d: d["tables"][0]["probabilities"].__setitem__(0, True), "expected float"),
        (lambda d: d["tables"][0]["probabilities"].__setitem__(0, "x"), "expected float"),
        (lambda d: d["tables"][0]["probabilities"].__setitem__(0, 0), "do not add up to 1"),
        (lambda d: d["tables"][1]["probabilities"].reverse(), "disagree on phys"),
        (lambda d: d.update(estimation={"method": "guess"}), "no estimation 'guess'"),
        (lambda d: d.update(estimation={"method": "posterior-mean", "ess": "1"}), "'estimation'"),
        (lambda d: d.update(estimation={"method": "posterior-mean", "ess": -1}), "positive"),
        (lambda d: d.update(provenance=[]), "'provenance'"),
        (lambda d: d["edges"].pop(), "The edges of the network are not those of its cliques"),
        (lambda d: d["edges"].append(["smoke", "family"]), "The edges of the network"),
        (lambda d: d["edges"].__setitem__(0, ["smoke", "family"]), "The edges of the network"),
        (lambda d: d["edges"].append(d["edges"][0]), "The edges of the network"),
        (lambda d: d.pop("edges"), "'edges'"),
        (lambda d: d["separators"].pop(), "The separators of the network"),
        (lambda d: d["separators"].__setitem__(0, ["family"]), "The separators of the network"),
        (lambda d: d.pop("separators"), "'separators'"),
        (lambda d: d["junction_tree"].pop(), "The neighbours in the junction tree"),
        (lambda d: d["junction_tree"].append(d["junction_tree"][0]), "The neighbours in the junction tree"),
        (lambda d: d["junction_tree"][0].update(cliques=[0, 3]), "The neighbours in the junction tree"),
        (lambda d: d["junction_tree"][0].update(separator=["smoke"]), "The neighbours in the junction tree"),
        (lambda d: d["junction_tree"][0].update(cliques=[0, 99]), "'junction_tree'"),
        (lambda d: d["junction_tree"][0].pop("separator"), "'junction_tree'"),
        (lambda d: d.pop("junction_tree"), "'junction_tree'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(change, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        FittedNetwork.from_json(damaged(change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "NaN", "[" * 100_000, "1" * 5000, '{"schema": 1e999}'])
def test_texts_that_are_no_networks_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        FittedNetwork.from_json(text)


def test_files_that_cannot_be_read_get_one_sentence(heart: FittedNetwork, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        cl.load_network(tmp_path / "absent.chord.json")
    (tmp_path / "binary.chord.json").write_bytes(b"\xff\x00")
    with pytest.raises(InputError, match="not text"):
        cl.load_network(tmp_path / "binary.chord.json")
    text = heart.to_json()
    for length in range(0, len(text) - 1, 211):
        (tmp_path / "cut.chord.json").write_text(text[:length], encoding="utf-8")
        with pytest.raises(InputError, match=r"cut\.chord\.json: This is not a whole JSON"):
            cl.load_network(tmp_path / "cut.chord.json")


def test_odd_names_survive() -> None:
    data = {'a "b", c': ["<1", "é", "<1"], "P(x | y=z)": ["'", '"', "\\"]}
    net = cl.fit(cl.ChordalNetwork.from_cliques(data, [list(data)]), data)
    again = FittedNetwork.from_json(net.to_json())
    assert again.variables == net.variables
    assert again.states == net.states
