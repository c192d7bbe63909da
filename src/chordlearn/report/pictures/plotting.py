"""The picture of whatever has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chordlearn.analysis import Bootstrap
from chordlearn.errors import InputError
from chordlearn.network import ChordalNetwork, FittedNetwork
from chordlearn.network.comparison import structure_of
from chordlearn.network.result import Result
from chordlearn.pipeline.fitting import fit
from chordlearn.report.pictures.graph import draw_graph, draw_junction_tree
from chordlearn.report.pictures.heatmap import draw_heatmap
from chordlearn.report.strengths import edge_information

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INFORMATION = "conditional mutual information (nats)"
FREQUENCY = "share of bootstrap networks"
KINDS = ("graph", "junction-tree", "heatmap")

Numbers = Mapping[tuple[str, str], float]


def plot(source: Result | ChordalNetwork | FittedNetwork | Bootstrap, kind: str | None = None) -> Figure:
    """Draw a network as a figure of matplotlib, which has `savefig` (the extra `plot`).

    Parameters
    ----------
    source
        A result, a network with or without tables, or a bootstrap. Where tables are known, or the data of a
        result can be read again, the strength of an edge shows in its line.
    kind
        `"graph"`, `"junction-tree"` or `"heatmap"` (the strengths of the edges); by default the graph, of a
        bootstrap the heatmap, which is all it has.

    Examples
    --------
    >>> import chordlearn as cl
    >>> figure = plot(cl.learn("heart"), "junction-tree")
    >>> len(figure.axes)
    1
    """
    possible = KINDS[2:] if isinstance(source, Bootstrap) else KINDS
    chosen = kind or possible[0]
    if chosen not in possible:
        words = " or ".join(repr(name) for name in possible)
        raise InputError(f"Of a {type(source).__name__} there is no picture {chosen!r}; choose {words}.")
    if isinstance(source, Bootstrap):
        return draw_heatmap(source.original.variables, source.edges, FREQUENCY, largest=1.0)
    structure = structure_of(source)
    if chosen == "junction-tree":
        return draw_junction_tree(structure)
    if chosen == "graph":
        return draw_graph(structure, _strengths(source, needed=False))
    return draw_heatmap(structure.variables, _strengths(source, needed=True) or {}, INFORMATION)


def _strengths(source: Result | ChordalNetwork | FittedNetwork, *, needed: bool) -> Numbers | None:
    if isinstance(source, FittedNetwork):
        return edge_information(source)
    if isinstance(source, ChordalNetwork):
        if needed:
            raise InputError("A network without tables has no strengths of edges; fit it to data first.")
        return None
    try:
        return edge_information(fit(source))
    except InputError:
        # The structure can be drawn without the data; only the thickness of the lines is lost.
        if needed:
            raise
        return None
