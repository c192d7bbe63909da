"""The document of the explorer: what its page knows of a network, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from chordlearn.analysis import Bootstrap, Posterior
from chordlearn.analysis.edge_strength import edge_information, removal_losses
from chordlearn.data import Dataset, describe
from chordlearn.errors import InputError
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.evaluation import recorded_function
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.network.scenes import printable, tree_scene
from chordlearn.network.svg import svg_of
from chordlearn.pipeline.fitting import fit
from chordlearn.pipeline.rereading import read_again, recorded_options, recorded_source
from chordlearn.report.html.certainty import certainty
from chordlearn.report.html.sections import figures, headline, sections

MOST_CELLS = 200_000
"""Larger tables would make the file too large to open with ease; the page then answers no queries."""
MOST_IN_TREE = 60
"""A junction tree of more cliques is not drawn."""
STRENGTH = "strength (nats)"
"""Mutual information of the two ends given their common neighbours."""


def explorer_document(
    source: Result | FittedNetwork,
    data: Any = None,
    posterior: Posterior | None = None,
    bootstrap: Bootstrap | None = None,
    *,
    around: bool = True,
) -> dict[str, Any]:
    """What the explorer shows of a result, or of a network with its tables.

    ``data`` is what a result was learned from; by default the source that it names. Without data there are no
    tables, and evidence cannot be set. With a posterior or a bootstrap a result also shows how sure its edges
    are. What stands around the explorer (junction tree, proof, data, how to learn it again) can be left out.

    >>> import chordlearn as cl
    >>> document = explorer_document(cl.learn("heart"))
    >>> document["status"], document["figures"][0], document["cliques"][0]
    ('optimal', ('score', '−6732.459258'), [0, 2, 4])
    """
    if isinstance(source, FittedNetwork):
        return {
            "title": _title(source.provenance.get("data")),
            "figures": [("variables", str(len(source.variables))), ("edges", str(len(source.edges)))],
            **structure_of(source.structure, around),
            **tables_of(source),
        }
    result = source
    dataset = _dataset(result, data)
    network = None if dataset is None or result.status == "none" else fit(result, dataset)
    document: dict[str, Any] = {
        "title": _title(result.data),
        "status": result.status,
        "headline": printable(headline(result)),
        "figures": figures(result),
        "variables": [printable(name) for name in result.variables],
    }
    if around:
        document["sections"] = sections(result, None if dataset is None else describe(dataset))
    if result.status != "none":
        document |= structure_of(result.network, around)
    if network is not None and dataset is not None:
        document |= tables_of(network) | {"losses": _losses(result, network, dataset)}
    if result.status != "none" and (sure := certainty(result, posterior, bootstrap)):
        document["weights"] = sure["weights"] + document.get("weights", [])
        document["likely"] = sure["likely"]
        document["sections"] = [sure["section"], *document.get("sections", [])]
    return document


def structure_of(network: ChordalNetwork, with_tree: bool) -> dict[str, Any]:
    """Cliques and edges as numbers of variables, and the junction tree drawn."""
    place = {name: i for i, name in enumerate(network.variables)}
    structure: dict[str, Any] = {
        "variables": [printable(name) for name in network.variables],
        "states": network.states and [[printable(label) for label in labels] for labels in network.states],
        "cliques": [[place[name] for name in clique] for clique in network.cliques],
        "edges": [[place[a], place[b]] for a, b in network.edges],
    }
    if with_tree and 1 < len(network.cliques) <= MOST_IN_TREE:
        structure["tree"] = svg_of(tree_scene(network), "The junction tree", "tree")
    return structure


def tables_of(network: FittedNetwork) -> dict[str, Any]:
    """Strengths of edges and distributions: tables row by row, in which equal numbers are written once."""
    strengths = edge_information(network)
    found: dict[str, Any] = {
        "states": [[printable(label) for label in labels] for labels in network.states],
        "weights": [{"name": STRENGTH, "values": [strengths[edge] for edge in network.edges]}],
    }
    if sum(table.size for table in network.tables) > MOST_CELLS:
        return found | {
            "marginals": [one.probabilities.tolist() for one in network.marginals().values()],
            "note": "The tables are too large for this page; chordlearn query answers questions on them.",
        }
    place = {name: i for i, name in enumerate(network.variables)}
    number = {tuple(place[name] for name in clique): i for i, clique in enumerate(network.cliques)}
    values, cells = np.unique(
        np.concatenate([table.ravel() for table in network.tables]), return_inverse=True
    )
    ends = np.cumsum([table.size for table in network.tables])[:-1]
    return found | {
        "forest": [
            {"clique": number[node.clique], "parent": node.parent, "separator": node.separator}
            for node in network.forest
        ],
        "tables": {"values": values.tolist(), "cells": [part.tolist() for part in np.split(cells, ends)]},
    }


def _title(data: Any) -> str:
    source = str(data.get("source", "memory")) if isinstance(data, Mapping) else "memory"
    return printable("Chordal network" if source == "memory" else Path(source).name)


def _dataset(result: Result, data: Any) -> Dataset | None:
    if result.states is None:
        return None
    if data is None:
        try:
            recorded_source(result.data, result.data_sha256)
        except InputError:
            return None
    return read_again(result.data, recorded_options(result.data), result.data_sha256, data)


def _losses(result: Result, network: FittedNetwork, data: Dataset) -> list[float | None] | None:
    try:
        function = recorded_function(result.score_function)
    except InputError:
        # A score function of one's own, which the result can only name.
        return None
    losses: Mapping[tuple[str, str], float | None] = removal_losses(network, data, function)
    return [losses[edge] for edge in network.edges]
