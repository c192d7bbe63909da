"""The page put together: the template, its style and scripts, and the parts made from a result."""

from __future__ import annotations

import base64
import hashlib
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from chordlearn.analysis.edge_strength import Losses, Strengths, edge_information, removal_losses
from chordlearn.data import Dataset, describe, read
from chordlearn.data.origins import refuse_replacing
from chordlearn.errors import InputError
from chordlearn.network.evaluation import recorded_function
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.network.scenes import graph_scene, printable, tree_scene
from chordlearn.network.svg import svg_of
from chordlearn.pipeline.fitting import fit
from chordlearn.pipeline.verification import recorded_options, recorded_source
from chordlearn.report.html import sections
from chordlearn.report.html.sections import filled, script_json, text
from chordlearn.report.outputs import check_page
from chordlearn.system.files import write_whole

MOST_CELLS = 200_000
"""Larger tables would make the file too large to open with ease; the page then answers no queries."""
FEW = 20
"""With more variables the drawing takes the whole width of the page."""
SCRIPTS = ("query.js", "page.js")


def write_report(result: Result, path: str | os.PathLike[str], data: Any = None) -> None:
    """Write the report of a result as one HTML file that needs nothing else, all of it or nothing.

    ``data`` is what the network was learned from, read as the result records; by default the source that the
    result names. Without data or states (scores from a file) the report has no tables.

    >>> import tempfile, chordlearn as cl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(cl.learn("heart"), f"{folder}/heart.html")
    """
    check_page(path)
    for source in (data, result.data.get("source")):
        refuse_replacing(path, source)
    write_whole(Path(path), report_html(result, data))


def report_html(result: Result, data: Any = None) -> str:
    """The report as text; see :func:`write_report`."""
    dataset = _dataset(result, data)
    network = None if dataset is None or result.status == "none" else fit(result, dataset)
    strengths = None if network is None else edge_information(network)
    scripts = {name: _asset(name) for name in SCRIPTS}
    return filled(
        _asset("template.html"),
        {
            "policy": _policy(list(scripts.values())),
            "style": _asset("style.css"),
            "title": text(_title(result)),
            "summary": sections.summary(result),
            "network": _network_part(result, network, strengths, _losses(result, network, dataset)),
            "proof": sections.proof(result),
            "data": sections.data_summary(None if dataset is None else describe(dataset), result),
            "reproduction": sections.reproduction(result),
            "facts": script_json(_facts(result, network, strengths)),
            "query_script": scripts["query.js"],
            "page_script": scripts["page.js"],
        },
    )


def _title(result: Result) -> str:
    source = str(result.data.get("source", "memory"))
    return "Chordal network" if source == "memory" else Path(source).name


def _dataset(result: Result, data: Any) -> Dataset | None:
    if result.states is None:
        return None
    if isinstance(data, Dataset):
        return data
    if data is None:
        try:
            data = recorded_source(result.data)
        except InputError:
            return None
    return read(data, **recorded_options(result.data))


def _losses(result: Result, network: FittedNetwork | None, data: Dataset | None) -> Losses | None:
    if network is None or data is None:
        return None
    try:
        function = recorded_function(result.score_function)
    except InputError:
        # A score function of one's own, which the result can only name.
        return None
    return removal_losses(network, data, function)


def _network_part(
    result: Result, network: FittedNetwork | None, strengths: Strengths | None, losses: Losses | None
) -> str:
    if result.status == "none":
        return ""
    structure = result.network
    return filled(
        _asset("network.html"),
        {
            "graph": svg_of(graph_scene(structure, strengths), "The network", "graph"),
            "shape": " wide" if len(structure.variables) > FEW else "",
            "tree": svg_of(tree_scene(structure), "The junction tree", "tree"),
            "edges": sections.edges(result, strengths, losses),
            "query": "" if network is None else _query(network),
        },
    )


def _query(network: FittedNetwork) -> str:
    how = network.estimation
    tables = f"{how.method}, equivalent sample size {how.ess:g}" if how.ess is not None else how.method
    return filled(
        _asset("query.html"),
        {
            "marginals": sections.marginals(network),
            "estimation": text(tables),
            "disabled": ""
            if _is_small(network)
            else '<p class="note">The tables are too large for this page; '
            "chordlearn query answers questions on them.</p>",
        },
    )


def _is_small(network: FittedNetwork) -> bool:
    return sum(table.size for table in network.tables) <= MOST_CELLS


def _facts(result: Result, network: FittedNetwork | None, strengths: Strengths | None) -> dict[str, Any]:
    """What the scripts know of the network: positions for names, tables row by row."""
    place = {name: i for i, name in enumerate(result.variables)}
    facts: dict[str, Any] = {
        "variables": [printable(name) for name in result.variables],
        "states": result.states and [[printable(label) for label in labels] for labels in result.states],
        "cliques": [[place[name] for name in clique] for clique in result.cliques],
        "edges": [[place[a], place[b]] for a, b in result.edges],
        "strengths": None if strengths is None else [strengths[edge] for edge in result.edges],
        "forest": None,
        "tables": None,
    }
    if network is not None and _is_small(network):
        number = {tuple(clique): i for i, clique in enumerate(facts["cliques"])}
        facts["forest"] = [
            {"clique": number[node.clique], "parent": node.parent, "separator": node.separator}
            for node in network.forest
        ]
        facts["tables"] = [table.ravel().tolist() for table in network.tables]
    return facts


def _policy(scripts: list[str]) -> str:
    """Allow these scripts and no others, and nothing from anywhere else."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {hashes}"


def _asset(name: str) -> str:
    return files("chordlearn.report.html").joinpath("assets", name).read_text(encoding="utf-8")
