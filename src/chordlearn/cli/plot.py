"""`chordlearn plot`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import chordlearn as cl
from chordlearn.cli.options import ForceOption
from chordlearn.report.outputs import check_outputs, check_picture


class Kind(StrEnum):
    """What to draw."""

    GRAPH = "graph"
    JUNCTION_TREE = "junction-tree"
    HEATMAP = "heatmap"
    TRACE = "trace"


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
        typer.Option(help="What to draw. [dim](default: graph, or what the file holds)[/dim]"),
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DATA", help="What a result was learned from, if it is not found.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Draw a network, its junction tree, the strengths of its edges, or how a proof came about."""
    from chordlearn.report.pictures import save_picture

    check_picture(output)
    result_of_proof = source / "result.json"
    if result_of_proof.is_file():
        source = result_of_proof
    check_outputs([(output, "picture")], [source, data], force=force)
    save_picture(cl.plot(source, kind, data=data), output)
