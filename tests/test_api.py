"""The public names: they are regular, complete and documented."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import chordlearn as cl
from chordlearn.data import survey
from chordlearn.network.comparison import compare
from chordlearn.network.evaluation import evaluate


def returned() -> dict[str, Any]:
    """One of everything that goes to JSON."""
    result = cl.learn("econ", max_clique=3)
    net, data = cl.fit(result), cl.read("econ")
    report = cl.verify(result)
    found = cl.bootstrap("econ", samples=2, max_clique=3)
    return {
        "result": result,
        "network": net,
        "evaluation": evaluate(net, "econ"),
        "comparison": compare(result.network, net.structure),
        "bootstrap": found,
        "replicate": found.replicates[0],
        "strength": cl.edge_strengths(net, data, cl.BDeu())[0],
        "report": report,
        "check": report.checks[0],
        "survey": survey("econ"),
        "score": cl.BDeu(ess=2.0),
        "distribution": net.joint(net.variables[:2]),
        "explanation": net.mpe(),
    }


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    return returned()


def test_to_dict_gives_a_dict_and_to_json_its_text(objects: dict[str, Any]) -> None:
    for name, one in objects.items():
        document = one.to_dict()
        assert isinstance(document, dict) and document, name
        assert isinstance(one.to_json(), str), name
        # Lists and no tuples, so that what is read again is the same.
        assert json.loads(one.to_json()) == document, name


def test_what_is_read_from_files_comes_back_from_a_dict(objects: dict[str, Any]) -> None:
    assert cl.Result.from_dict(objects["result"].to_dict()) == objects["result"]
    net = objects["network"]
    again = cl.FittedNetwork.from_dict(net.to_dict())
    assert (again.structure, again.estimation) == (net.structure, net.estimation)
    with pytest.raises(cl.errors.InputError, match="schema"):
        cl.FittedNetwork.from_dict([])


def test_the_dict_of_a_joint_distribution_is_nested(objects: dict[str, Any]) -> None:
    joint = objects["distribution"]
    document = joint.to_dict()
    assert all(document[a][b] == joint[a, b] for (a, b), _ in joint)
    assert math.isclose(sum(sum(row.values()) for row in document.values()), 1.0)
