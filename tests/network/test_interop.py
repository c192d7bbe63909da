"""Other people's programs read our files and objects, and give our marginals."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from functools import cache
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest

import chordlearn as cl
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.exports import to_networkx
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.table_formats import BIF_WORDS, NET_WORDS, conditionals, identifiers
from network.brute_force import random_network

CLOSE = 1e-9
NAMES = ["heart", "econ", "random 4", "zeros", "odd"]
READ_UAI = """
import json, sys
import pyagrum as gum

model = gum.loadMRF(sys.argv[1])
inference = gum.ShaferShenoyMRFInference(model)
inference.makeInference()
print(json.dumps([inference.posterior(i).tolist() for i in range(model.size())]))
"""
# A process of its own, because pyAgrum's reader of Markov networks crashes where warnings are errors.
CONSTANT_COLUMNS = ["constants 8"]
"""pyAgrum knows no variables of one state."""


@cache
def network(name: str) -> FittedNetwork:
    kind, _, number = name.partition(" ")
    if number:
        return random_network(int(number), fewest_states=1 if kind == "constants" else 2)
    if kind == "zeros":
        return random_network(15, 5, "maximum-likelihood", fewest_states=2)
    if kind == "odd":
        data = {'a "b", c': ["<1", "é", "<1"], "P(x | y=z)": ["'", ">=2", "&"], "3": ["1", "2", "2"]}
        a, b, c = data
        return cl.fit(ChordalNetwork.from_edges([a, b, c], [(a, b), (b, c)]), data)
    return cl.fit(cl.learn(kind, threads=1))


def by_position(net: FittedNetwork) -> list[np.ndarray]:
    return [found.probabilities for found in net.marginals().values()]


Factors = list[tuple[tuple[int, ...], np.ndarray]]


def in_single_precision(net: FittedNetwork, factors: Factors) -> list[np.ndarray]:
    """Our marginals if every number in the file had been read with 24 bits, as pyAgrum does."""
    whole = np.ones([len(labels) for labels in net.states])
    for places, table in factors:
        rounded = table.astype(np.float32).astype(np.float64)
        sizes = [len(labels) if i in places else 1 for i, labels in enumerate(net.states)]
        whole = whole * rounded.transpose(np.argsort(places)).reshape(sizes)
    return [
        whole.sum(axis=tuple(j for j in range(whole.ndim) if j != i)) / whole.sum() for i in range(whole.ndim)
    ]


def directed_factors(net: FittedNetwork) -> Factors:
    place = net.variables.index
    return [
        (tuple(map(place, (*c.parents, c.variable))), c.table)
        for c in conditionals(net.structure, net.tables)
    ]


@pytest.fixture(scope="module")
def pgmpy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(
            "pgmpy", reason="pgmpy is not installed (pip install 'chordlearn[interop]')"
        )


@pytest.fixture(scope="module")
def gum():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(
            "pyagrum", reason="pyAgrum is not installed (pip install 'chordlearn[interop]')"
        )


def close(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    assert len(found) == len(expected)
    for ours, theirs in zip(expected, found, strict=True):
        assert np.abs(ours - theirs).max() < CLOSE


def agrum_marginals(gum, model, engine) -> list[np.ndarray]:
    inference = engine(model)
    inference.makeInference()
    return [inference.posterior(i).toarray() for i in range(model.size())]


def pgmpy_marginals(model, names: list[str]) -> list[np.ndarray]:
    from pgmpy.inference import VariableElimination

    engine = VariableElimination(model)
    return [engine.query([name], show_progress=False).values for name in names]


@pytest.mark.parametrize("suffix", ["bif", "net", "xmlbif"])
@pytest.mark.parametrize("name", NAMES)
def test_pyagrum_reads_directed_files(name: str, suffix: str, gum, tmp_path: Path) -> None:
    net = network(name)
    path = tmp_path / f"net.{suffix.replace('xmlbif', 'bifxml')}"
    path.write_text(net.export_text(f"net.{suffix}"), encoding="utf-8")
    model = gum.loadBN(str(path))
    assert model.size() == len(net.variables)
    found = agrum_marginals(gum, model, gum.LazyPropagation)
    exact = suffix == "xmlbif"
    close(found, by_position(net) if exact else in_single_precision(net, directed_factors(net)))
    assert max(np.abs(a - b).max() for a, b in zip(found, by_position(net), strict=True)) < 1e-7


@pytest.mark.parametrize("name", NAMES)
def test_pyagrum_reads_uai(name: str, gum, tmp_path: Path) -> None:
    net = network(name)
    net.export(tmp_path / "net.uai")
    done = subprocess.run(
        [sys.executable, "-c", READ_UAI, str(tmp_path / "net.uai")],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [np.array(values) for values in json.loads(done.stdout)]
    close(found, in_single_precision(net, [(node.clique, np.exp(node.log_table)) for node in net.forest]))
    assert max(np.abs(a - b).max() for a, b in zip(found, by_position(net), strict=True)) < 1e-7


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", ["bif", "net", "xmlbif"])
@pytest.mark.parametrize("name", [*NAMES, *CONSTANT_COLUMNS])
def test_pgmpy_reads_directed_files(name: str, suffix: str, pgmpy, tmp_path: Path) -> None:
    from pgmpy.readwrite import BIFReader, NETReader, XMLBIFReader

    if (name, suffix) == ("odd", "net"):
        pytest.skip("pgmpy's reader of NET files takes only words as states")
    net = network(name)
    net.export(tmp_path / f"net.{suffix}")
    reader = {"bif": BIFReader, "net": NETReader, "xmlbif": XMLBIFReader}[suffix]
    model = reader(str(tmp_path / f"net.{suffix}")).get_model()
    names = list(net.variables if suffix == "xmlbif" else identifiers(net.variables))
    close(pgmpy_marginals(model, names), by_position(net))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_pgmpy_reads_uai(name: str, pgmpy, tmp_path: Path) -> None:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork
    from pgmpy.readwrite import UAIReader

    net = network(name)
    net.export(tmp_path / "net.uai")
    reader = UAIReader(str(tmp_path / "net.uai"))
    # Not through its get_model(), which loses variables without edges.
    model = DiscreteMarkovNetwork()
    model.add_nodes_from(reader.variables)
    model.add_edges_from(reader.edges)
    for names, values in reader.tables:
        sizes = [int(reader.domain[variable]) for variable in names]
        model.add_factors(DiscreteFactor(names, sizes, np.array(values, dtype=float)))
    close(pgmpy_marginals(model, [f"var_{i}" for i in range(len(net.variables))]), by_position(net))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", [*NAMES, *CONSTANT_COLUMNS])
def test_pgmpy_objects(name: str, directed: bool, pgmpy) -> None:
    net = network(name)
    model = net.to_pgmpy(directed=directed)
    assert model.check_model()
    close(pgmpy_marginals(model, list(net.variables)), by_position(net))


def evidences(net: FittedNetwork, count: int) -> list[dict[str, str]]:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(count):
        chosen = rng.permutation(len(net.variables))[: rng.integers(1, len(net.variables))]
        found.append({net.variables[i]: str(rng.choice(net.states[i])) for i in chosen})
    return found


@pytest.mark.parametrize("name", ["heart", "econ"])
def test_pyagrum_agrees_on_200_evidences(name: str, gum, tmp_path: Path) -> None:
    net = network(name)
    (tmp_path / "net.bifxml").write_text(net.export_text("net.xmlbif"), encoding="utf-8")
    engine = gum.LazyPropagation(gum.loadBN(str(tmp_path / "net.bifxml")))
    for given in evidences(net, 200):
        engine.setEvidence(given)
        engine.makeInference()
        for variable, ours in net.marginals(given).items():
            assert np.abs(engine.posterior(variable).toarray() - ours.probabilities).max() < CLOSE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["heart", "econ"])
def test_pgmpy_agrees_on_200_evidences(name: str, pgmpy, tmp_path: Path) -> None:
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    net = network(name)
    net.export(tmp_path / "net.bif")
    engine = VariableElimination(BIFReader(str(tmp_path / "net.bif")).get_model())
    spelled = {
        (variable, state): word
        for variable, labels in zip(net.variables, net.states, strict=True)
        for state, word in zip(labels, identifiers(labels, first_letter=False), strict=True)
    }
    for given in evidences(net, 200):
        variable = next(name for name in net.variables if name not in given)
        known = {name: spelled[name, state] for name, state in given.items()}
        theirs = engine.query([variable], evidence=known, show_progress=False).values
        assert np.abs(theirs - net.marginal(variable, given).probabilities).max() < CLOSE


@pytest.mark.parametrize("name", [*NAMES, *CONSTANT_COLUMNS])
def test_networkx_agrees_on_the_structure(name: str) -> None:
    net = network(name)
    graph = to_networkx(net.structure)
    assert networkx.is_chordal(graph)
    assert {frozenset(c) for c in networkx.chordal_graph_cliques(graph)} == {
        frozenset(c) for c in net.cliques
    }
    tree = networkx.Graph()
    tree.add_nodes_from(net.cliques)
    for edge in net.structure.junction_tree:
        tree.add_edge(*(net.cliques[i] for i in edge.cliques), separator=edge.separator)
    assert networkx.is_forest(tree)
    ours = sorted(data["separator"] for _, _, data in tree.edges(data=True))
    assert ours == sorted(net.structure.separators)
    for variable in net.variables:
        homes = [clique for clique in net.cliques if variable in clique]
        assert networkx.is_connected(tree.subgraph(homes))
    theirs = networkx.junction_tree(graph) if net.edges else None
    if theirs is not None:
        separators = [n for n, kind in theirs.nodes(data="type") if kind == "sepset"]
        assert {frozenset(s) for s in separators} == {frozenset(s) for s in net.structure.separators}


WORDS = sorted({*BIF_WORDS, *NET_WORDS, "states", "label", "naïve", "1e5", "int", "é", "男", "女", '"', "\\"})
"""Words of BIF and NET, and others that a reader may stumble over."""


@cache
def network_of_words() -> FittedNetwork:
    """A chain whose names are words of the languages, and so are its states."""
    rng = np.random.default_rng(5)
    data = {word: [WORDS[i - k] for k in rng.integers(0, 3, 60)] for i, word in enumerate(WORDS)}
    return cl.fit(ChordalNetwork.from_edges(WORDS, list(pairwise(WORDS))), data)


@pytest.mark.parametrize("suffix", ["bif", "net", "xmlbif"])
def test_pyagrum_reads_names_that_are_words_of_the_language(suffix: str, gum, tmp_path: Path) -> None:
    net = network_of_words()
    path = tmp_path / f"net.{suffix.replace('xmlbif', 'bifxml')}"
    path.write_text(net.export_text(f"net.{suffix}"), encoding="utf-8")
    model = gum.loadBN(str(path))
    found = agrum_marginals(gum, model, gum.LazyPropagation)
    assert max(np.abs(a - b).max() for a, b in zip(found, by_position(net), strict=True)) < 1e-7


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", ["bif", "xmlbif"])
def test_pgmpy_reads_names_that_are_words_of_the_language(suffix: str, pgmpy, tmp_path: Path) -> None:
    from pgmpy.readwrite import BIFReader, XMLBIFReader

    net = network_of_words()
    net.export(tmp_path / f"net.{suffix}")
    reader = {"bif": BIFReader, "xmlbif": XMLBIFReader}[suffix]
    model = reader(str(tmp_path / f"net.{suffix}")).get_model()
    written = identifiers(WORDS, reserved=BIF_WORDS)
    close(pgmpy_marginals(model, list(WORDS if suffix == "xmlbif" else written)), by_position(net))


def test_a_file_says_what_stands_for_which_name(tmp_path: Path) -> None:
    text = network_of_words().export_text("net.bif")
    assert '// type_ stands for "type"\n' in text
    assert '// na_ve stands for "naïve"\n' in text
    assert re.search(r'\n// \w+ stands for "男" in "[^"]+"\n', text)
    assert 'label = "node";' in network_of_words().export_text("net.net")
