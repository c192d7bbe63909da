"""Graph files, read back by another library or by hand."""

from __future__ import annotations

import csv
import io

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chordlearn.errors import InputError
from chordlearn.network.exports import EXPORTS, adjacency_csv, dot, export_text, graphml
from chordlearn.system.text import protected

NAMES = st.lists(
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
    unique=True,
)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, str]]]:
    names = draw(NAMES)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return names, [pair for pair in pairs if draw(st.booleans())]


@settings(deadline=None, max_examples=50)
@given(graphs())
def test_graphml_is_read_by_networkx(graph: tuple[list[str], list[tuple[str, str]]]) -> None:
    names, edges = graph
    found = networkx.parse_graphml(graphml(names, edges))
    labels = networkx.get_node_attributes(found, "label")
    expected = [name.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") for name in names]
    assert [labels[f"n{i}"] for i in range(len(names))] == expected
    number = {name: f"n{i}" for i, name in enumerate(names)}
    assert {frozenset(edge) for edge in found.edges} == {frozenset((number[a], number[b])) for a, b in edges}


@settings(deadline=None, max_examples=50)
@given(graphs())
def test_adjacency_is_symmetric_and_complete(graph: tuple[list[str], list[tuple[str, str]]]) -> None:
    names, edges = graph
    header, *rows = csv.reader(io.StringIO(adjacency_csv(names, edges), newline=""))
    assert header == [protected(name) for name in names]
    found = {
        frozenset((a, b))
        for a, row in zip(names, rows, strict=True)
        for b, cell in zip(names, row, strict=True)
        if cell == "1"
    }
    assert found == {frozenset(edge) for edge in edges}


def test_dot_escapes_quotes_and_backslashes() -> None:
    text = dot(['a"b', "c\\", "d;e -- f"], [('a"b', "c\\")])
    assert text.splitlines()[1:] == [
        '  "a\\"b";',
        '  "c\\\\";',
        '  "d;e -- f";',
        '  "a\\"b" -- "c\\\\";',
        "}",
    ]


def test_suffix_decides() -> None:
    for suffix in EXPORTS:
        assert export_text(f"graph{suffix.upper()}", ["a"], []) == export_text(f"graph{suffix}", ["a"], [])
    with pytest.raises(InputError, match=r"\.graphml"):
        export_text("graph.png", ["a"], [])
