"""The public names: they are regular, complete and documented."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import chordlearn as cl


def returned(folder: Path) -> dict[str, Any]:
    """One of everything that goes to JSON."""
    result = cl.learn("econ", max_clique=3, top=2, backend="native")
    net, data = cl.fit(result), cl.read("econ")
    report = cl.verify(result)
    found = cl.bootstrap("econ", samples=2, max_clique=3)
    updated = cl.update(net, "econ")
    return {
        "result": result,
        "network": net,
        "evaluation": cl.evaluate(net, "econ"),
        "comparison": cl.compare(result.network, net.structure),
        "bootstrap": found,
        "update": updated,
        "review": updated.review(),
        "replicate": found.replicates[0],
        "strength": cl.edge_strengths(net, data, score=cl.BDeu())[0],
        "report": report,
        "check": report.checks[0],
        "survey": cl.survey("econ"),
        "score": cl.BDeu(ess=2.0),
        "distribution": net.joint(net.variables[:2]),
        "explanation": net.mpe(),
        "runner-up": result.runners_up[0],
        "claim": result.claims[0],
        "structure": net.structure,
        "junction edge": net.structure.junction_tree[0],
        "estimation": net.estimation,
        "fit of a variable": cl.evaluate(net, "econ").variables[net.variables[0]],
        "solver": cl.solvers()[0],
        "bundled set": cl.bundled()[0],
        "encoded": cl.encode("heart", folder / "heart.wcnf"),
    }


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return returned(tmp_path_factory.mktemp("encoded"))


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


def test_given_says_the_same_as_the_text() -> None:
    net = cl.learn("heart").fit()
    expected = net.query("P(smoke | phys=y, protein=n)").to_dict()
    assert net.query("smoke", given={"phys": "y", "protein": "n"}).to_dict() == expected
    assert net.query("P(smoke | phys=y)", given={"protein": "n"}).to_dict() == expected
    two = net.query(["smoke", "systol"], given={"phys": "y"})
    assert two.to_dict() == net.query("P(smoke, systol | phys=y)").to_dict()
    with pytest.raises(cl.errors.InputError, match="'phys' stands in the question and in given"):
        net.query("P(smoke | phys=y)", given={"phys": "n"})


def test_a_result_does_what_the_functions_do(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = cl.learn("heart")
    result.report(tmp_path / "one.html")
    cl.write_report(result, tmp_path / "other.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "other.html").read_bytes()
    assert result.fit().to_json() == cl.fit(result).to_json()
    texts = {text.get_text() for text in result.plot().axes[0].texts}
    assert set(result.variables) <= texts
    with pytest.raises(cl.errors.InputError, match="no picture 'trace'"):
        result.plot("trace")


def test_the_graph_of_a_result_goes_to_networkx() -> None:
    pytest.importorskip("networkx")
    result = cl.learn("heart")
    assert {frozenset(edge) for edge in result.to_networkx().edges} == set(map(frozenset, result.edges))


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars"])
def test_data_frames_come_back_as_the_kind_that_went_in(kind: str) -> None:
    net = cl.fit(cl.learn("heart"))
    columns = {name: ["y", None] for name in net.variables}
    frame: Any = getattr(pytest.importorskip(kind), "table" if kind == "pyarrow" else "DataFrame")(columns)
    for filled in (net.complete(frame), cl.impute(net, frame).frame):
        assert type(filled) is type(frame)
        assert list(map(str, filled["smoke"])) == ["y", str(net.complete(columns)["smoke"][1])]
    if kind == "pandas":
        frame.index = ["first", "second"]
        assert list(net.complete(frame).index) == ["first", "second"]


def test_compare_takes_results_and_networks_with_tables() -> None:
    result, chain = cl.learn("heart"), cl.learn("heart", max_clique=2)
    found = cl.compare(result, chain.fit())
    assert found == cl.compare(result.network, chain.network)
    assert found.distance == len(set(result.edges) ^ set(chain.edges)) > 0


def test_solvers_say_whether_they_run_or_why_not() -> None:
    listed = {solver.name: solver for solver in cl.solvers()}
    assert listed["native"].available and listed["native"].exact and listed["native"].version
    assert all(solver.available or solver.reason for solver in listed.values())


def test_all_public_names_are_on_the_page() -> None:
    page = (Path(__file__).parent.parent / "docs/reference/api.md").read_text(encoding="utf-8")
    for name in set(dir(cl)) - {"__version__", "errors"}:
        assert re.search(rf"^\.\. auto(class|function):: {name}$", page, re.MULTILINE), name
