"""`chordlearn plot`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chordlearn.cli.outputs import check_writable
from chordlearn.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FREQUENCY = "share of bootstrap networks"
STRENGTH = "conditional mutual information (nats)"


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
            metavar="NET",
            help="A network file, a result, a trace (learn --trace), or what bootstrap --json wrote.",
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
        typer.Option(
            "--kind", help="What to draw. [dim](default: trace for a .jsonl file, else graph)[/dim]"
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="DATA", help="What a result was learned from, if it is not found."),
    ] = None,
) -> None:
    """Draw a network, its junction tree, the strengths of its edges, or how a proof came about."""
    from chordlearn.report.pictures import save_picture
    from chordlearn.report.pictures.canvas import check_format

    check_format(output)
    check_writable(output)
    chosen = kind or (Kind.TRACE if source.suffix.lower() == ".jsonl" else Kind.GRAPH)
    save_picture(_figure(chosen, source, data), output)


def _figure(kind: Kind, source: Path, data: str | None) -> Figure:
    from chordlearn.report import pictures

    if kind is Kind.TRACE:
        return pictures.draw_trace(pictures.read_trace(source))
    from chordlearn.fitting import is_network_file, load_network
    from chordlearn.report.frequencies import read_frequencies
    from chordlearn.report.strengths import Strengths, edge_information
    from chordlearn.result import Result

    if kind is Kind.HEATMAP:
        frequencies = read_frequencies(source)
        if frequencies is not None:
            variables, shares = frequencies
            return pictures.draw_heatmap(variables, shares, FREQUENCY, largest=1.0)
        network = load_network(source, data)
        return pictures.draw_heatmap(network.variables, edge_information(network), STRENGTH)
    strengths: Strengths | None = None
    if is_network_file(source):
        fitted = load_network(source)
        structure, strengths = fitted.structure, edge_information(fitted)
    else:
        structure = Result.load(source).network
        try:
            strengths = edge_information(load_network(source, data))
        except InputError:
            # The structure can be drawn without the data; only the thickness of the lines is lost.
            if data is not None:
                raise
    if kind is Kind.JUNCTION_TREE:
        return pictures.draw_junction_tree(structure)
    return pictures.draw_graph(structure, strengths)
