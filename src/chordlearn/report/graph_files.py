"""Graphs in the formats of other programs that we write, read back: adjacency matrix, GraphML, DOT."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from chordlearn.errors import InputError
from chordlearn.system.files import LARGEST_BYTES
from chordlearn.system.json import read_text

if TYPE_CHECKING:
    from chordlearn.network.chordal import ChordalNetwork

Graph = tuple[list[str], list[tuple[str, str]]]
"""Names and edges."""

_NODE = re.compile(r'<node id="n(\d+)"><data key="label">(.*?)</data></node>')
_LINK = re.compile(r'<edge source="n(\d+)" target="n(\d+)"/>')
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_VERTEX = re.compile(rf"^ *{_QUOTED};$", re.MULTILINE)
_EDGE = re.compile(rf"^ *{_QUOTED} -- {_QUOTED};$", re.MULTILINE)


def read_graph(path: Path, kind: str) -> ChordalNetwork:
    """The network whose graph is in a file of this kind, as :mod:`chordlearn.network.exports` wrote it."""
    from chordlearn.network.chordal import ChordalNetwork

    try:
        names, edges = {"adjacency": _adjacency, "graphml": _graphml, "dot": _dot}[kind](path)
    except (OSError, ValueError, LookupError, csv.Error):
        raise InputError(
            f"{path} is damaged, or another program changed it; write it again with chordlearn export."
        ) from None
    return ChordalNetwork.from_edges(names, edges)


def is_adjacency(path: Path) -> bool:
    """Whether a file is an adjacency matrix: names, then as many rows of 0 and 1, symmetric."""
    try:
        return bool(_adjacency(path)[0])
    except (OSError, ValueError, csv.Error):
        return False


def _adjacency(path: Path) -> Graph:
    if path.stat().st_size > LARGEST_BYTES:
        raise ValueError("it is too large")
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        names = next(lines, [])
        rows = list(_matrix(lines, len(names)))
    pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
    if len(rows) != len(names) or any(row[i] == "1" for i, row in enumerate(rows)):
        raise ValueError("it is not square with an empty diagonal")
    if any(rows[i][j] != rows[j][i] for i, j in pairs):
        raise ValueError("it is not symmetric")
    return names, [(names[j], names[i]) for i, j in pairs if rows[i][j] == "1"]


def _matrix(lines: Iterator[list[str]], size: int) -> Iterator[list[str]]:
    for number, row in enumerate(lines):
        if number == size or len(row) != size or not set(row) <= {"0", "1"}:
            raise ValueError("a row is not of the matrix")
        yield row


def _graphml(path: Path) -> Graph:
    text = read_text(path)
    names = {number: unescape(name) for number, name in _NODE.findall(text)}
    return list(names.values()), [(names[a], names[b]) for a, b in _LINK.findall(text)]


def _dot(path: Path) -> Graph:
    text = read_text(path)
    edges = [(_unquoted(a), _unquoted(b)) for a, b in _EDGE.findall(text)]
    return [_unquoted(name) for name in _VERTEX.findall(text)], edges


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
