"""The network file: structure, states, tables and provenance as JSON, which is safe to open.

The reader believes nothing: sizes, signs, sums and the agreement of cliques on what they share are checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from chordlearn.errors import InputError
from chordlearn.graphs.adjacency import DisjointSets
from chordlearn.network.chordal import ChordalNetwork, JunctionEdge
from chordlearn.network.parameters import Estimation
from chordlearn.network.propagation import Table
from chordlearn.system.json import JsonMixin, convert

if TYPE_CHECKING:
    from chordlearn.network.result import Result


SCHEMA = "chordlearn/network@1"
SUFFIX = ".chord.json"
TOLERANCE = 1e-9

Names = tuple[str, ...]
Labels = Annotated[Names, Meta(min_length=1)]


class TableRecord(msgspec.Struct, frozen=True):
    """The joint distribution of a clique; the last variable changes fastest."""

    variables: Names
    probabilities: list[Annotated[float, Meta(ge=0, le=1)]]


class NetworkFile(JsonMixin, msgspec.Struct, frozen=True, kw_only=True):
    """The content of a network file."""

    schema: Literal["chordlearn/network@1"]
    variables: Names
    states: tuple[Labels, ...]
    edges: tuple[Names, ...]
    cliques: tuple[Names, ...]
    separators: tuple[Names, ...]
    junction_tree: tuple[JunctionEdge, ...]
    estimation: Estimation
    tables: tuple[TableRecord, ...]
    provenance: dict[str, Any]


def network_file(
    structure: ChordalNetwork, tables: Sequence[Table], estimation: Estimation, provenance: Mapping[str, Any]
) -> NetworkFile:
    """The network file of a network with its tables."""
    assert structure.states is not None
    return NetworkFile(
        schema="chordlearn/network@1",
        variables=structure.variables,
        states=structure.states,
        edges=structure.edges,
        cliques=structure.cliques,
        separators=structure.separators,
        junction_tree=structure.junction_tree,
        estimation=estimation,
        tables=tuple(
            TableRecord(clique, table.ravel().tolist())
            for clique, table in zip(structure.cliques, tables, strict=True)
        ),
        provenance=dict(provenance),
    )


def read_network(document: object) -> tuple[ChordalNetwork, tuple[Table, ...], Estimation, dict[str, Any]]:
    """What stands in a network file, once it has been found sound."""
    found = document.get("schema") if isinstance(document, dict) else None
    if found != SCHEMA:
        raise InputError(
            f"The schema is {found!r} where this version reads {SCHEMA!r}; give a network file ({SUFFIX})."
        )
    record = convert(document, NetworkFile, "network")
    structure = checked_structure(record)
    if structure.cliques != record.cliques:
        raise InputError("The cliques of the network are not in the order of its variables; write it again.")
    return structure, _tables(structure, record.tables), record.estimation, record.provenance


def checked_structure(record: NetworkFile | Result) -> ChordalNetwork:
    """The structure of a file; refuses what stands beside the cliques if it does not follow from them."""
    states = record.states
    if states is not None and len(states) != len(record.variables):
        raise InputError("The field 'states' must be a list with labels for each variable; write it again.")
    for name, labels in zip(record.variables, states or (), strict=False):
        if len(set(labels)) != len(labels):
            raise InputError(f"The variable {name!r} of the network has a state twice; write it again.")
    structure = ChordalNetwork.from_cliques(record.variables, record.cliques, states)
    if _as_sets(record.edges) != _as_sets(structure.edges):
        raise _contradiction("edges")
    if _as_sets(record.separators) != _as_sets(structure.separators):
        raise _contradiction("separators")
    tree = record.junction_tree
    if any(not 0 <= i < len(record.cliques) for edge in tree for i in edge.cliques):
        raise InputError("The field 'junction_tree' names a clique that is not there; write the file again.")
    # A forest on the cliques whose labels are the separators has the largest weight that one can have.
    if not _is_forest(tree, record.cliques) or (
        _as_sets(edge.separator for edge in tree) != _as_sets(structure.separators)
    ):
        raise _contradiction("neighbours in the junction tree")
    return structure


def _as_sets(lists: Iterable[Sequence[str]]) -> list[list[str]]:
    return sorted(map(sorted, lists))


def _is_forest(tree: Iterable[JunctionEdge], cliques: Sequence[Sequence[str]]) -> bool:
    """Whether the tree has no cycle and its labels are what its neighbours share."""
    joined = DisjointSets(len(cliques))
    return all(
        joined.join(i, j) and set(edge.separator) == set(cliques[i]) & set(cliques[j])
        for edge in tree
        for i, j in [edge.cliques]
    )


def _contradiction(what: str) -> InputError:
    return InputError(f"The {what} of the network are not those of its cliques; write the file again.")


def _tables(structure: ChordalNetwork, records: Sequence[TableRecord]) -> tuple[Table, ...]:
    if tuple(record.variables for record in records) != structure.cliques:
        raise InputError(
            "The field 'tables' of the network must have a table for each clique, in their order; "
            "write it again."
        )
    assert structure.states is not None
    size = dict(zip(structure.variables, map(len, structure.states), strict=True))
    tables = []
    for clique, record in zip(structure.cliques, records, strict=True):
        shown = ", ".join(clique)
        shape = tuple(size[name] for name in clique)
        if len(record.probabilities) != math.prod(shape):
            raise InputError(f"The table of {shown} must hold {math.prod(shape)} probabilities.")
        table = np.array(record.probabilities).reshape(shape)
        if abs(float(table.sum()) - 1) > TOLERANCE:
            raise InputError(f"The probabilities in the table of {shown} do not add up to 1.")
        tables.append(table)
    for edge in structure.junction_tree:
        first, second = (_onto(tables[i], structure.cliques[i], edge.separator) for i in edge.cliques)
        if np.abs(first - second).max() > TOLERANCE:
            raise InputError(f"Two tables of the network disagree on {', '.join(edge.separator)}.")
    return tuple(tables)


def _onto(table: Table, clique: Sequence[str], kept: Sequence[str]) -> Table:
    return np.asarray(table.sum(axis=tuple(i for i, name in enumerate(clique) if name not in kept)))
