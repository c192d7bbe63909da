import ast
import copy
import csv
import json
import random
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import chordlearn as cl
import chordlearn.certificate.results
from certificate.tiny import chain_data, dataset_from, learned, plain_value, ranked_networks
from chordlearn.certificate.results import check, read_document
from chordlearn.errors import InputError
from chordlearn.graphs import mask_of
from chordlearn.network.result import build_result

SHARED = Path(__file__).parents[3] / "shared" / "data" / "tables"

FUNCTIONS = [
    ("bdeu", {"ess": 1.0, "edge_prior": 0.0}),
    ("bdeu", {"ess": 4.0, "edge_prior": 0.75}),
    ("dirichlet", {"alpha": 0.5}),
    ("bic", {}),
    ("aic", {}),
    ("qnml", {}),
]


def failed(report):
    return {check.name for check in report.failures}


@pytest.mark.parametrize(("name", "parameters"), FUNCTIONS)
def test_honest_results_pass_whole(name, parameters):
    dataset = chain_data(5)
    report = check(learned(dataset, name, parameters), dataset)
    assert report.ok, str(report)
    assert report.complete, str(report)


@pytest.mark.parametrize("seed", range(6))
def test_honest_results_on_random_tables_pass(seed):
    chance = random.Random(seed)
    arities = [chance.randint(1, 3) for _ in range(chance.randint(1, 4))]
    dataset = dataset_from(
        [[chance.randrange(a) for a in arities] for _ in range(chance.randint(1, 40))], arities
    )
    report = check(learned(dataset), dataset)
    assert report.ok, str(report)


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, value


def changed(document, path, value):
    copied = copy.deepcopy(document)
    inner = copied
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return copied


def other_values(path, value, variables):
    if isinstance(value, str):
        yield value + "x"
        yield value[:-1]
        if path[0] in ("edges", "cliques", "separators", "junction_tree", "variables", "runners_up"):
            yield from (name for name in variables if name != value)
    elif isinstance(value, int):
        # A larger limit on cliques is kept as well as the one asked for.
        yield from (value - 1,) if path[-1] == "max_clique" else (value - 1, value + 1)
        yield str(value)
    elif isinstance(value, float):
        yield from (value + 0.001, value - 0.001, value * 10 + 1, str(value), None)
        if path[0] in ("score", "bound", "gap"):
            yield from (value + 1e-5, value - 1e-5)
    else:
        yield from (1, "x", [])


# Said, not proved: how the run went and where the table was read from (the hash says which it was).
PROVENANCE = {
    *("seconds", "versions", "seed", "details", "stopped_by"),
    *("backend", "encoding", "candidates", "scaling", "data"),
}


def assert_every_change_is_noticed(document, dataset):
    tried = 0
    for path, value in leaves(document):
        if path[0] in PROVENANCE:
            continue
        for other in other_values(path, value, document["variables"]):
            mutated = changed(document, path, other)
            tried += 1
            report = check(mutated, dataset)
            if report.ok and path[0] == "junction_tree":
                assert is_a_junction_tree(mutated), (path, other)
            else:
                assert not report.ok, (path, value, other)
                assert all(failure.reason for failure in report.failures)
    return tried


def is_a_junction_tree(document):
    """One of several junction trees is as right as another."""
    cliques = [set(clique) for clique in document["cliques"]]
    tree = nx.empty_graph(len(cliques))
    tree.add_edges_from(edge["cliques"] for edge in document["junction_tree"])
    homes = ([i for i, clique in enumerate(cliques) if name in clique] for name in document["variables"])
    return nx.is_forest(tree) and all(nx.is_connected(tree.subgraph(home)) for home in homes)


@pytest.mark.parametrize(
    ("name", "parameters", "options"),
    [
        ("bdeu", {"ess": 1.0, "edge_prior": 0.0}, {}),
        ("dirichlet", {"alpha": 0.5, "edge_prior": 0.25}, {"max_clique": 2}),
        ("qnml", {"edge_prior": 0.0}, {"constraints": {"required": [["a", "b"]], "forbidden": [["a", "d"]]}}),
    ],
)
def test_every_changed_leaf_is_noticed(name, parameters, options):
    dataset = chain_data(11)
    document = learned(dataset, name, parameters, runners_up=0 if "constraints" in options else 2, **options)
    assert len(document["separators"]) >= 2
    report = check(document, dataset)
    assert report.ok, str(report)
    assert assert_every_change_is_noticed(document, dataset) > 150


def test_every_missing_and_added_entry_is_noticed():
    dataset = chain_data(11)
    document = learned(dataset)
    for field in document:
        without = {key: value for key, value in document.items() if key != field}
        assert failed(check(without, dataset)) == {"document"}
    for field in ("variables", "states", "edges", "cliques", "separators", "junction_tree"):
        for i in range(len(document[field])):
            assert not check(document | {field: document[field][:i] + document[field][i + 1 :]}, dataset).ok
            assert not check(document | {field: [*document[field], document[field][i]]}, dataset).ok
    for i, clique in enumerate(document["cliques"]):
        for name in set(document["variables"]) - set(clique):
            assert not check(changed(document, ("cliques", i), [*clique, name]), dataset).ok
        assert not check(changed(document, ("cliques", i), clique[1:]), dataset).ok


def test_every_changed_data_row_is_noticed():
    dataset = chain_data(11)
    document = learned(dataset)
    rows = [
        row
        for row, weight in zip(dataset.codes.tolist(), dataset.weights, strict=True)
        for _ in range(weight)
    ]
    for position in range(0, len(rows), 10):
        altered = copy.deepcopy(rows)
        altered[position][1] = (altered[position][1] + 1) % 3
        other = dataset_from(altered, dataset.arities)
        assert "data" in failed(check(document, other))
        # Even a forged hash does not help: the scores differ.
        assert "score" in failed(check(document | {"data_sha256": other.sha256}, other))
    assert "data" in failed(check(document, dataset_from(rows[1:], dataset.arities)))


def test_a_worse_network_is_not_optimal():
    dataset = chain_data(11)
    value = plain_value(dataset, "bdeu", {"ess": 1.0})
    honest = learned(dataset, runners_up=0)
    for cliques, score in ranked_networks(4, value)[1:]:
        result = build_result(
            variables=dataset.variables,
            cliques=cliques,
            score=score,
            bound=score,
            stopped_by="proof",
            tolerance=1e-6,
            score_function=honest["score_function"],
            backend="liar",
            data_sha256=dataset.sha256,
            rows=dataset.rows,
            states=dataset.states,
        )
        # Not every false claim shows by one edge, but whatever fails must be this check and no other.
        assert failed(check(result.to_dict(), dataset)) <= {"neighbouring networks"}
    assert failed(check(result.to_dict(), dataset)) == {"neighbouring networks"}


def test_feasible_results_with_and_without_a_bound_pass():
    dataset = chain_data(11)
    document = learned(dataset)

    def claiming(**known: Any) -> dict[str, Any]:
        return document | known | {"claims": [*document["claims"][:-1], document["claims"][-1] | known]}

    assert check(claiming(status="feasible", bound=None, gap=None), dataset).ok
    unknown = {"bound": None, "gap": None}
    assert failed(check(claiming(status="optimal", **unknown), dataset)) == {"status", "claims"}
    assert failed(check(claiming(status="feasible", bound=None, gap=1.0), dataset)) == {
        "bound and gap",
        "claims",
    }
    bound = document["score"] + 1.5
    gap = bound - document["score"]
    assert check(claiming(status="feasible", bound=bound, gap=gap), dataset).ok
    assert failed(check(document | {"status": "feasible", "bound": bound, "gap": gap}, dataset)) == {"claims"}
    below = document["score"] - 1e-3
    assert "bound and gap" in failed(check(document | {"bound": below}, dataset))


def test_a_result_without_a_network_passes_and_may_not_claim_one():
    dataset = chain_data(11)
    result = build_result(
        variables=dataset.variables,
        cliques=None,
        score=-1.0,
        bound=-3.0,
        stopped_by="time limit",
        tolerance=1e-6,
        score_function={"name": "bic", "parameters": {}},
        backend="native",
        data_sha256=dataset.sha256,
        rows=dataset.rows,
        states=dataset.states,
    )
    assert check(result.to_dict(), dataset).ok
    assert failed(check(result.to_dict() | {"score": -1.0}, dataset)) == {"no network"}
    assert failed(check(result.to_dict() | {"cliques": [["a"]]}, dataset)) == {"no network"}
    assert failed(check(result.to_dict() | {"status": "feasible"}, dataset)) == {"document"}


def test_without_data_the_structure_is_checked_and_the_rest_said_to_be_skipped():
    dataset = chain_data(11)
    document = learned(dataset)
    report = check(document)
    assert report.ok
    assert {skip.name for skip in report.skipped} == {"data", "score", "neighbouring networks"}
    assert not check(document | {"edges": document["edges"][1:]}).ok


def test_scores_from_a_file_are_looked_up():
    dataset = chain_data(11)
    value = plain_value(dataset, "bic", {})
    document = learned(dataset, "bic", {})
    document |= {"score_function": {"name": "file", "parameters": {}}, "rows": None, "states": None}
    index = {name: i for i, name in enumerate(dataset.variables)}

    def scores(names):
        mask = mask_of(index[name] for name in names)
        if mask == 15:
            raise KeyError(mask)
        return value(mask)

    report = check(document, scores=scores, sha256=dataset.sha256)
    assert report.ok, str(report)
    assert report.complete, str(report)
    assert failed(check(document, scores=scores, sha256="0" * 64)) == {"data"}
    assert failed(check(document | {"rows": 3}, scores=scores, sha256=dataset.sha256)) == {"data"}
    assert "score" in failed(
        check(document, scores=lambda names: value(0) + len(set(names)), sha256=dataset.sha256)
    )
    assert {"score"} <= {skip.name for skip in check(document).skipped}
    custom = document | {"score_function": {"name": "custom", "parameters": {}}}
    assert "user's own function" in str(check(custom))


def test_a_graph_that_is_not_chordal_is_named_so():
    dataset = chain_data(11)
    square = [["a", "b"], ["b", "c"], ["c", "d"], ["a", "d"]]
    forged = learned(dataset) | {"edges": square, "cliques": square, "junction_tree": [], "separators": []}
    report = check(forged, dataset)
    assert {"chordality", "maximal cliques", "balancing", "running intersection"} <= failed(report)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ('{"score": NaN}', "NaN is not JSON"),
        ('{"score": 1, "score": 2}', "stands twice"),
        ("[]", "no JSON object"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_files_that_are_no_documents_are_refused(tmp_path, text, reason):
    path = tmp_path / "result.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        read_document(path)


def test_documents_are_read_and_missing_files_refused(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"schema": "x"}), encoding="utf-8")
    assert read_document(path) == {"schema": "x"}
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        read_document(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_document(tmp_path / "absent.json")


@pytest.mark.parametrize("document", [[], None, "text", {"schema": 1}])
def test_anything_is_a_document_to_judge(document):
    assert failed(check(document)) == {"document"}


GOLDEN = [
    ("heart_reinis_table.csv", "bdeu", {"ess": 1.0}, -6732.459258, ["024", "12", "34", "5"]),
    ("heart_reinis_table.csv", "dirichlet", {"alpha": 0.5}, -6719.518274, ["024", "034", "12", "5"]),
    (
        "econ_rochdale_table.csv",
        "bdeu",
        {"ess": 1.0},
        -2695.956502,
        ["026", "036", "136", "146", "456", "137"],
    ),
    (
        "econ_rochdale_table.csv",
        "dirichlet",
        {"alpha": 0.5},
        -2674.546769,
        ["0246", "0346", "134", "137", "456"],
    ),
]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published tables are not beside the repository")
@pytest.mark.parametrize(("file", "name", "parameters", "score", "cliques"), GOLDEN)
def test_the_published_optima_pass(file, name, parameters, score, cliques):
    with (SHARED / file).open(newline="") as lines:
        header, *table = csv.reader(lines)
    labels = [sorted({row[i] for row in table}) for i in range(len(header) - 1)]
    rows = [
        [labels[i].index(cell) for i, cell in enumerate(row[:-1])]
        for row in table
        for _ in range(int(row[-1]))
    ]
    dataset = dataset_from(rows, [len(states) for states in labels], tuple(header[:-1]))
    result = build_result(
        variables=dataset.variables,
        cliques=[mask_of(map(int, clique)) for clique in cliques],
        score=score,
        bound=score,
        stopped_by="proof",
        tolerance=1e-6,
        score_function={"name": name, "parameters": parameters},
        backend="published",
        data_sha256=dataset.sha256,
        rows=dataset.rows,
        states=dataset.states,
    )
    report = check(result.to_dict(), dataset)
    assert report.ok, str(report)
    assert report.complete, str(report)


def test_the_certificate_imports_nothing_that_finds_networks():
    allowed = (
        "chordlearn.certificate.results",
        "chordlearn.system.files",
        "chordlearn.data",
        "chordlearn.errors",
    )
    for path in Path(chordlearn.certificate.results.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0 and node.module is not None
                modules = [node.module]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            for module in modules:
                assert not module.startswith("numpy")
                assert not module.startswith("chordlearn") or module.startswith(allowed), (path.name, module)


def impossible_triple() -> cl.ScoreTable:
    """Of four variables one pair may not be complete, though sets that contain it have good scores."""
    sizes = np.bitwise_count(np.arange(16))
    values = -10.0 * sizes + np.where(sizes > 1, 1.0 * sizes, 0.0)
    values[0b0011] = -np.inf
    return cl.ScoreTable(tuple("abcd"), values, 4)


def test_an_impossible_set_forbids_all_that_contain_it():
    table = impossible_triple()
    result = cl.learn(table)
    assert not any({"a", "b"} <= set(clique) for clique in result.cliques)
    assert cl.verify(result, table).ok
    whole = cl.learn(cl.ScoreTable(table.variables, np.where(np.isinf(table.values), -15.0, table.values), 4))
    assert any({"a", "b"} <= set(clique) for clique in whole.cliques)
    forged = whole.to_dict() | {"data_sha256": result.data_sha256}
    report = cl.verify(forged, table)
    assert not report.ok
    assert "may not be complete" in " ".join(check.reason for check in report.failures)
