import pickle
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from chordlearn.errors import InputError
from chordlearn.graphs import maximal_cliques
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.layout import layout
from chordlearn.report.terminal import adjacency_text
from graphs.chordal_graphs import chordal_graphs

HEART = ["smoke", "mental", "phys", "systol", "protein", "family"]
CLIQUES = [["phys", "mental"], ["smoke", "phys", "protein"], ["systol", "protein"], ["family"]]


def test_everything_follows_from_the_cliques():
    network = ChordalNetwork.from_cliques(HEART, CLIQUES)
    assert network.cliques == (
        ("smoke", "phys", "protein"),
        ("mental", "phys"),
        ("systol", "protein"),
        ("family",),
    )
    assert network.separators == (("phys",), ("protein",))
    assert [(edge.cliques, edge.separator) for edge in network.junction_tree] == [
        ((0, 1), ("phys",)),
        ((0, 2), ("protein",)),
    ]
    assert network.neighbours("phys") == ("smoke", "mental", "protein")
    assert network.treewidth == 2
    assert not network.is_connected
    assert network.components == (("smoke", "mental", "phys", "systol", "protein"), ("family",))
    assert network.adjacency.sum() == 2 * len(network.edges) == 10
    assert np.array_equal(network.adjacency, network.adjacency.T)
    assert "smoke phys protein | mental phys" in repr(network)
    assert ChordalNetwork.from_edges(HEART, network.edges) == network
    assert pickle.loads(pickle.dumps(network)) == network


def pairs(*edges: str) -> Any:
    """Edges, also such that are none."""
    return [tuple(edge) for edge in edges]


def test_one_variable_and_states():
    network = ChordalNetwork.from_cliques(["x"], [["x"]], [["no", "yes"]])
    assert network.states == (("no", "yes"),)
    assert network.treewidth == 0
    assert network.is_connected
    assert "<svg" in network.svg()


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (
            lambda: ChordalNetwork.from_edges("abcd", pairs("ab", "bc", "cd", "da")),
            "cycle a–b–c–d–a has no chord",
        ),
        (lambda: ChordalNetwork.from_cliques("abcd", ["ab", "bc", "cd", "da"]), "not chordal"),
        (lambda: ChordalNetwork.from_cliques("abc", ["ab", "bc", "ac"]), "not the maximal cliques"),
        (lambda: ChordalNetwork.from_cliques("abc", ["abc", "ab"]), "not the maximal cliques"),
        (lambda: ChordalNetwork.from_cliques("ab", ["ab", "ab"]), "not the maximal cliques"),
        (lambda: ChordalNetwork.from_cliques("abc", ["ab"]), "'c' is in no clique"),
        (lambda: ChordalNetwork.from_cliques("abc", ["aab", "c"]), "names a variable twice"),
        (lambda: ChordalNetwork.from_edges("aab", []), "'a' is named twice"),
        (lambda: ChordalNetwork.from_edges("ab", pairs("aa")), "names a variable twice"),
        (lambda: ChordalNetwork.from_edges("ab", pairs("a")), "joins two variables"),
        (
            lambda: ChordalNetwork.from_edges("abcdefghijklm", pairs("ax")),
            "no variable 'x'; its variables are a, b",
        ),
        (lambda: ChordalNetwork.from_edges("ab", []).neighbours("z"), "no variable 'z'"),
    ],
)
def test_wrong_structures_are_refused_with_a_sentence(build, reason):
    with pytest.raises(InputError, match=reason):
        build()


def test_names_are_escaped_and_control_characters_replaced_in_drawings():
    network = ChordalNetwork.from_edges(["<script>&\"'", "nul\x00\n", "long" * 20], [])
    root = ET.fromstring(network.svg())
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "<script>&\"'"
    assert "\x00" not in texts[1]
    assert len(texts[2]) <= 18
    assert "<script>" not in network._repr_html_()


@settings(deadline=None, max_examples=15)
@given(chordal_graphs(max_n=14))
def test_boxes_stay_apart_and_inside_and_the_picture_is_always_the_same(graph):
    sizes = [(40.0 + 12 * (i % 5), 26.0) for i in range(len(graph))]
    points, (width, height) = layout(graph, sizes)
    assert (points, (width, height)) == layout(graph, sizes)
    for i, (x, y) in enumerate(points):
        assert sizes[i][0] / 2 <= x <= width - sizes[i][0] / 2
        assert 13 <= y <= height - 13
        for j in range(i):
            apart_x = abs(x - points[j][0]) >= (sizes[i][0] + sizes[j][0]) / 2
            assert apart_x or abs(y - points[j][1]) >= 26
    lowest_joined = max((points[i][1] for i, near in enumerate(graph) if near), default=0)
    assert all(points[i][1] > lowest_joined for i, near in enumerate(graph) if not near)


@settings(deadline=None, max_examples=25)
@given(chordal_graphs(max_n=12))
def test_the_text_matrix_shows_every_edge_twice(graph):
    names = [f"v{i}" for i in range(len(graph))]
    network = ChordalNetwork.from_masks(names, maximal_cliques(graph))
    assert adjacency_text(network).count("●") == 2 * len(network.edges)
    plain = adjacency_text(network, ascii_only=True)
    assert plain.isascii()
    assert len({len(line) for line in plain.splitlines()}) == 1
