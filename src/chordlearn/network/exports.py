"""The graph as files that other programs read (GraphML, DOT, CSV), and as objects of other libraries."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib import import_module
from pathlib import PurePath
from typing import Any

from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.system.text import HIDDEN, protected, shown

Edges = Iterable[tuple[str, str]]
_ILLEGAL_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def graphml(variables: Sequence[str], edges: Edges) -> str:
    """The graph in GraphML; the names are the nodes' labels, so that any character may stand in them."""
    number = {name: i for i, name in enumerate(variables)}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
        '  <graph edgedefault="undirected">',
        *(
            f'    <node id="n{i}"><data key="label">{legal_in_xml(name)}</data></node>'
            for i, name in enumerate(variables)
        ),
        *(f'    <edge source="n{number[a]}" target="n{number[b]}"/>' for a, b in edges),
        "  </graph>",
        "</graphml>",
    ]
    return "\n".join(lines) + "\n"


def dot(variables: Sequence[str], edges: Edges) -> str:
    """The graph in Graphviz's DOT."""
    lines = [
        "graph {",
        *(f"  {_dot_quoted(name)};" for name in variables),
        *(f"  {_dot_quoted(a)} -- {_dot_quoted(b)};" for a, b in edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def adjacency_csv(variables: Sequence[str], edges: Edges) -> str:
    """The adjacency matrix below a header row of the names, as Benchpress reads it.

    A name that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    joined = {frozenset(edge) for edge in edges}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(protected, variables))
    for a in variables:
        writer.writerow([int(frozenset((a, b)) in joined) for b in variables])
    return buffer.getvalue()


EXPORTS: dict[str, Callable[[Sequence[str], Edges], str]] = {
    ".graphml": graphml,
    ".dot": dot,
    ".csv": adjacency_csv,
}


def export_text(path: str | PurePath, variables: Sequence[str], edges: Edges) -> str:
    """The graph in the format that the path's suffix names."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in EXPORTS:
        known = ", ".join(EXPORTS)
        raise InputError(f"No graph format has the suffix {suffix!r}; those known are {known}.")
    return EXPORTS[suffix](variables, edges)


def _dot_quoted(name: str) -> str:
    # DOT itself escapes only the quote, but a label understands sequences such as \n: hence two backslashes.
    escaped = shown(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def legal_in_xml(name: str) -> str:
    """Escaped for XML: hidden characters by number, with a replacement for each that it cannot hold."""
    escaped = escape(_ILLEGAL_IN_XML.sub("\ufffd", name))
    return HIDDEN.sub(lambda match: f"&#{ord(match[0])};", escaped)


def to_networkx(structure: ChordalNetwork) -> Any:
    """The graph of networkx; each node has its `states`, if they are known.

    >>> to_networkx(ChordalNetwork.from_edges("abc", ["ab"])).number_of_edges()
    1
    """
    networkx = imported("networkx")
    graph = networkx.Graph()
    for i, name in enumerate(structure.variables):
        graph.add_node(name, **({} if structure.states is None else {"states": structure.states[i]}))
    graph.add_edges_from(structure.edges)
    return graph


def imported(package: str) -> Any:
    """A package that need not be installed; says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise InputError(f"{package} is not installed; get it with: pip install {package}.") from None
