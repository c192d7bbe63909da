"""`chordlearn plot`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chordlearn.certificate.proofs.claim import RESULT
from chordlearn.cli.drawable import read_drawable, recognised
from chordlearn.cli.kinds import KINDS
from chordlearn.cli.outputs import ForceOption, check_outputs
from chordlearn.data.origins import is_stream
from chordlearn.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Kind(StrEnum):
    """What to draw."""

    GRAPH = "graph"
    JUNCTION_TREE = "junction-tree"
    HEATMAP = "heatmap"
    TRACE = "trace"


PICTURES = {"trace": (Kind.TRACE,), "bootstrap": (Kind.HEATMAP,)}
NETWORKS = (Kind.GRAPH, Kind.JUNCTION_TREE, Kind.HEATMAP)
WITHOUT_NUMBERS = {"checkpoint", "adjacency", "graphml", "dot"}


def plot_command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A network file, a result or the folder of a proof, a checkpoint, a trace, the JSON of "
            "bootstrap or edges, or a graph (.csv, .graphml, .dot).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf.", show_default=False
        ),
    ],
    kind: Annotated[
        Kind | None,
        typer.Option("--kind", help="What to draw. [dim](default: graph, or what the file holds)[/dim]"),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="DATA", help="What a result was learned from, if it is not found."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Draw a network, its junction tree, the strengths of its edges, or how a proof came about."""
    from chordlearn.report.pictures import save_picture
    from chordlearn.report.pictures.canvas import check_format

    check_format(output)
    if (source / RESULT).is_file():
        source = source / RESULT
    check_outputs([(output, "picture")], [source, data], force=force)
    save_picture(_figure(kind, source, data), output)


def _figure(kind: Kind | None, source: Path, data: str | None) -> Figure:
    from chordlearn.report import pictures

    found = "trace" if kind is Kind.TRACE and is_stream(source) else recognised(source)
    possible = _possible(found)
    chosen = kind or possible[0]
    if chosen not in possible:
        raise InputError(
            f"{source} is {KINDS[found].words}, of which there is no {chosen.value}; "
            f"use --kind {' or '.join(possible)}."
        )
    if chosen is Kind.TRACE:
        return pictures.draw_trace(pictures.read_trace(source))
    given = read_drawable(source, found, data, need_strengths=chosen is Kind.HEATMAP)
    if chosen is Kind.HEATMAP:
        return pictures.draw_heatmap(
            given.variables, given.strengths or {}, given.label, largest=given.largest
        )
    assert given.structure is not None
    if chosen is Kind.JUNCTION_TREE:
        return pictures.draw_junction_tree(given.structure)
    return pictures.draw_graph(given.structure, given.strengths)


def _possible(found: str) -> Sequence[Kind]:
    """What can be drawn of a kind of file; the first is drawn if nothing is asked for."""
    if found in WITHOUT_NUMBERS:
        return NETWORKS[:2]
    return PICTURES.get(found, NETWORKS)
