"""The picture of whatever has one: a result, a network, a bootstrap, or a file with one of them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chordlearn.analysis import Bootstrap, Posterior
from chordlearn.analysis.edge_strength import edge_information
from chordlearn.errors import InputError, either
from chordlearn.network.chordal import ChordalNetwork
from chordlearn.network.fitted import FittedNetwork
from chordlearn.network.result import Result
from chordlearn.pipeline.checkpoints import read_checkpoint
from chordlearn.pipeline.fitting import fit, load_network
from chordlearn.report.graph_files import read_graph
from chordlearn.report.outputs import KINDS, kind_of, saved_kind
from chordlearn.report.pictures.canvas import in_letters, scale_figure
from chordlearn.report.pictures.graph import draw_graph, draw_junction_tree
from chordlearn.report.pictures.heatmap import draw_heatmap
from chordlearn.report.pictures.race import draw_cactus, draw_sizes
from chordlearn.report.pictures.trace import draw_trace, read_trace
from chordlearn.report.table1 import read_records
from chordlearn.system.files import is_stream
from chordlearn.system.json import parse_json, read_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INFORMATION = "conditional mutual information (nats)"
FREQUENCY = "share of bootstrap networks"
PROBABILITY = "posterior probability"
MOST_TINTED = 25
"""Variables of a graph whose cliques are tinted by default."""
LEAST_SHOWN = 0.05
"""Edges that the best network lacks are dashed if they are more probable."""
PICTURES = ("graph", "junction-tree", "heatmap", "trace", "cactus", "sizes")
OF_NETWORKS: tuple[str, ...] = PICTURES[:3]
OF_GRAPHS: tuple[str, ...] = PICTURES[:2]
OF_FILES: dict[str, tuple[str, ...]] = {
    "trace": ("trace",),
    "records": ("cactus", "sizes"),
    "bootstrap": ("heatmap",),
    "posterior": ("graph", "heatmap"),
    **dict.fromkeys(("checkpoint", "adjacency", "graphml", "dot"), OF_GRAPHS),
}
"""What can be drawn of a kind of file, if it is less than of a network."""

Numbers = Mapping[tuple[str, str], float]
Source = Result | ChordalNetwork | FittedNetwork | Bootstrap | Posterior | str | os.PathLike[str]


@dataclass(frozen=True)
class Drawable:
    """Variables, their network if there is one network, and a number for each edge if there are any."""

    variables: tuple[str, ...]
    structure: ChordalNetwork | None
    strengths: Numbers | None = None
    label: str = INFORMATION
    largest: float | None = None


def plot(
    source: Source,
    kind: str | None = None,
    *,
    data: Any = None,
    size: tuple[float, float] | None = None,
    font_size: float | None = None,
    threshold: float | None = None,
    colours: str | None = None,
    cliques: bool | None = None,
) -> Figure:
    """Draw a network as a figure of matplotlib, which has `savefig` (the extra `plot`).

    Parameters
    ----------
    source
        A result, a network with or without tables, a bootstrap or a posterior; or the path of one of these,
        of a checkpoint, a trace, the JSON of `chordlearn edges`, records of `chordlearn table1`, or a graph
        (`.csv`, `.graphml`, `.dot`). Where tables are known, or the data of a result can be read again, the
        strength of an edge shows in its line. The graph of a posterior is the best network, and a line is as
        thick as its edge is probable; edges that it lacks and that have more than 5 % are dashed.
    kind
        `"graph"`, `"junction-tree"`, `"heatmap"` (the strengths of the edges) or `"trace"`; of records
        `"cactus"` (the seconds of each solver's proofs, rising) or `"sizes"` (of their inputs). By default
        the first that the source has.
    data
        What a result was learned from, if it is no longer where it was.
    size
        Width and height in inches, into which the picture fits; a graph with a `font_size` fills them.
    font_size
        Points of the names of variables.
    threshold
        The smallest strength, share or probability of an edge that is drawn.
    colours
        A colormap of matplotlib for the edges of a graph, or the cells of a heatmap, by their numbers.
    cliques
        Whether the cliques of a graph are tinted; by default with up to 25 variables.

    Examples
    --------
    >>> import chordlearn as cl
    >>> figure = plot(cl.learn("heart"), "junction-tree")
    >>> len(figure.axes)
    1
    >>> for_a_column = plot(cl.learn("heart"), size=(3.3, 2.4), font_size=8, threshold=0.005, colours="Blues")
    >>> for_a_column.get_size_inches().round(6).tolist()
    [3.3, 2.4]
    """
    figure = _plotted(source, kind, data, _Look(size, font_size, threshold, colours, cliques))
    if size is None and font_size is None:
        return figure
    scale_figure(figure, size, font_size)
    return figure


@dataclass(frozen=True)
class _Look:
    size: tuple[float, float] | None
    font_size: float | None
    threshold: float | None
    colours: str | None
    cliques: bool | None

    def __post_init__(self) -> None:
        numbers = [*(self.size or ()), *([] if self.font_size is None else [self.font_size])]
        if not all(math.isfinite(number) and number > 0 for number in numbers):
            raise InputError("The size of a picture and of its letters must be positive numbers.")

    def kept(self, numbers: Numbers | None) -> Numbers | None:
        """Those from the threshold up."""
        if self.threshold is None:
            return numbers
        if numbers is None:
            raise InputError("A threshold needs the strengths of the edges; fit the network to data first.")
        return {edge: number for edge, number in numbers.items() if number >= self.threshold}


def _plotted(source: Source, kind: str | None, data: Any, look: _Look) -> Figure:
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    if path is None:
        what = f"A {type(source).__name__}"
        possible = {Bootstrap: OF_FILES["bootstrap"], Posterior: OF_FILES["posterior"]}.get(
            type(source), OF_NETWORKS
        )
    else:
        found = "trace" if kind == "trace" and is_stream(path) else _recognised(path)
        what, possible = f"{path} is {KINDS[found].words}", OF_FILES.get(found, OF_NETWORKS)
    chosen = kind or possible[0]
    if chosen not in possible:
        choices = either(" or ".join(map(repr, possible)), f"--kind {' or '.join(possible)}")
        raise InputError(f"{what}, of which there is no picture {chosen!r}; use {choices}.")
    if chosen == "trace":
        assert path is not None
        return draw_trace(read_trace(path))
    if chosen in OF_FILES["records"]:
        assert path is not None
        return {"cactus": draw_cactus, "sizes": draw_sizes}[chosen](read_records(path))
    needed = chosen == "heatmap"
    given = _of_object(source, data, needed) if path is None else _of_file(path, found, data, needed)
    if needed:
        kept = look.kept(given.strengths or {}) or {}
        return draw_heatmap(given.variables, kept, given.label, largest=given.largest, colours=look.colours)
    assert given.structure is not None
    if chosen == "junction-tree":
        return draw_junction_tree(given.structure)
    shown = look.kept(given.strengths)
    if given.label == PROBABILITY and shown is not None:
        best = set(given.structure.edges)
        shown = {edge: p for edge, p in shown.items() if p > LEAST_SHOWN or edge in best}
    tinted = look.cliques if look.cliques is not None else len(given.variables) <= MOST_TINTED
    filling = None if look.size is None or look.font_size is None else in_letters(look.size, look.font_size)
    labelled = given.label == PROBABILITY
    return draw_graph(
        given.structure, shown, labelled=labelled, tinted=tinted, colours=look.colours, size=filling
    )


def _of_object(source: Any, data: Any, needed: bool) -> Drawable:
    match source:
        case Bootstrap():
            return Drawable(source.original.variables, None, source.edges, FREQUENCY, 1.0)
        case Posterior():
            numbers = {edge: p.value for edge, p in source.edges.items()}
            return Drawable(source.variables, source.best.network, numbers, PROBABILITY, 1.0)
        case FittedNetwork():
            return Drawable(source.variables, source.structure, edge_information(source))
        case Result():
            return _of_result(source, data, needed)
        case ChordalNetwork() if needed:
            raise InputError("A network without tables has no strengths of edges; fit it to data first.")
        case ChordalNetwork():
            return Drawable(source.variables, source)
    raise InputError(f"Of a {type(source).__name__} there is no picture; give a result or a network.")


def _of_result(result: Result, data: Any, needed: bool) -> Drawable:
    network = result.network
    try:
        return Drawable(network.variables, network, edge_information(fit(result, data)))
    except InputError:
        # The structure can be drawn without the data; only the thickness of the lines is lost.
        if needed or data is not None:
            raise
        return Drawable(network.variables, network)


def _recognised(path: Path) -> str:
    """The kind of a file; one that is none of ours goes by its suffix, and what is wrong is said later.

    A file that has no picture is refused with what takes it.
    """
    found = kind_of(path) if path.is_file() else None
    if found is None:
        suffix = path.suffix.lower()
        if suffix not in (".json", ".jsonl"):
            raise InputError(
                f"{path} is not a file that can be drawn; of a table of data, give the result of "
                f"{either('learn', 'chordlearn learn DATA --json FILE')}."
            )
        return "trace" if suffix == ".jsonl" else saved_kind(path)
    if KINDS[found].taken_by:
        raise InputError(f"{path} is {KINDS[found].words}, which cannot be drawn; {KINDS[found].taken_by}.")
    return found


def _of_file(path: Path, kind: str, data: Any, needed: bool) -> Drawable:
    if kind in ("bootstrap", "edges"):
        return read_edge_numbers(path, kind)
    if kind == "posterior":
        return _read_posterior(path)
    if kind == "network":
        return _of_object(load_network(path), data, needed)
    if kind == "result":
        try:
            return _of_result(Result.load(path), data, needed)
        except InputError as error:
            raise InputError(
                error.sentence if str(path) in error.sentence else f"{path}: {error.sentence}"
            ) from None
    if kind == "checkpoint":
        checkpoint = read_checkpoint(path)
        structure = ChordalNetwork.from_edges(checkpoint.variables, checkpoint.edges)
    else:
        structure = read_graph(path, kind)
    return Drawable(structure.variables, structure)


def read_edge_numbers(path: Path, kind: str) -> Drawable:
    """The edges that `chordlearn bootstrap` or `chordlearn edges` wrote, each with a number if it has one."""
    field = "frequency" if kind == "bootstrap" else "conditional_mutual_information"
    try:
        document = parse_json(read_text(path))
        variables = tuple(map(str, document["variables"]))
        found = [(_edge(one["edge"], variables), one[field]) for one in document["edges"]]
        numbers = {edge: float(number) for edge, number in found if number is not None}
        if kind == "bootstrap" and not all(0 <= share <= 1 for share in numbers.values()):
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError, OverflowError):
        raise InputError(f"{path} is damaged; write it again with chordlearn {kind}.") from None
    if kind == "bootstrap":
        return Drawable(variables, None, numbers, FREQUENCY, 1.0)
    return Drawable(variables, ChordalNetwork.from_edges(variables, [edge for edge, _ in found]), numbers)


def _read_posterior(path: Path) -> Drawable:
    try:
        document = parse_json(read_text(path))
        variables = tuple(map(str, document["variables"]))
        numbers = {
            _edge([one["a"], one["b"]], variables): float(one["probability"]) for one in document["edges"]
        }
        best = [_edge(edge, variables) for edge in document["best"]["edges"]]
        if not all(0 <= share <= 1 for share in numbers.values()):
            raise ValueError
        structure = ChordalNetwork.from_edges(variables, best)
    except (OSError, ValueError, LookupError, TypeError, OverflowError, InputError):
        raise InputError(f"{path} is damaged; write it again with chordlearn posterior.") from None
    return Drawable(variables, structure, numbers, PROBABILITY, 1.0)


def _edge(ends: Any, variables: tuple[str, ...]) -> tuple[str, str]:
    if not isinstance(ends, list):
        raise TypeError
    a, b = ends
    if a not in variables or b not in variables:
        raise ValueError
    return str(a), str(b)
