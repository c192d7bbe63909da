"""What there is to draw in a file: its network, what is known of the edges, or which command takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chordlearn.cli.graphs import read_graph
from chordlearn.cli.kinds import KINDS, kind_by_suffix, kind_of
from chordlearn.errors import InputError
from chordlearn.network import ChordalNetwork
from chordlearn.report.pictures.plotting import FREQUENCY, INFORMATION
from chordlearn.system.json import parse_json, read_text

Numbers = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Drawable:
    """Variables, their network if there is one network, and a number for each edge if there are any."""

    variables: tuple[str, ...]
    structure: ChordalNetwork | None
    strengths: Numbers | None
    label: str = INFORMATION
    largest: float | None = None


def recognised(source: Path) -> str:
    """The kind of a file; one that is none of ours goes by its suffix, and what is wrong is said later.

    A file that has no picture is refused with what takes it.
    """
    found = kind_of(source) if source.is_file() else None
    if found is None:
        suffix = source.suffix.lower()
        if suffix not in (".json", ".jsonl"):
            raise InputError(
                f"{source} is no file that plot draws; "
                "of a table of data, give the result of chordlearn learn DATA --json FILE."
            )
        return "trace" if suffix == ".jsonl" else kind_by_suffix(source)
    if KINDS[found].taken_by:
        raise InputError(
            f"{source} is {KINDS[found].words}, which plot does not draw; {KINDS[found].taken_by}."
        )
    return found


def read_drawable(source: Path, kind: str, data: str | None, *, need_strengths: bool) -> Drawable:
    """What there is to draw in a file of this kind; ``data`` is what a result was learned from."""
    if kind == "bootstrap":
        return _bootstrap(source)
    if kind == "edges":
        return _edges(source)
    if kind in ("result", "network"):
        return _network(source, kind, data, need_strengths)
    structure = _checkpoint(source) if kind == "checkpoint" else read_graph(source, kind)
    return Drawable(structure.variables, structure, None)


def _network(source: Path, kind: str, data: str | None, need_strengths: bool) -> Drawable:
    from chordlearn.network.result import Result
    from chordlearn.pipeline.fitting import load_network
    from chordlearn.report.strengths import edge_information

    if kind == "network":
        network = load_network(source)
        return Drawable(network.variables, network.structure, edge_information(network))
    structure = Result.load(source).network
    try:
        strengths: Numbers | None = edge_information(load_network(source, data))
    except InputError:
        # The structure can be drawn without the data; only the thickness of the lines is lost.
        if need_strengths or data is not None:
            raise
        strengths = None
    return Drawable(structure.variables, structure, strengths)


def _bootstrap(source: Path) -> Drawable:
    from chordlearn.report.strengths import read_frequencies

    variables, shares = read_frequencies(source)
    return Drawable(variables, None, shares, FREQUENCY, largest=1.0)


def _edges(source: Path) -> Drawable:
    """What `chordlearn edges` wrote: all edges, with what their ends tell of each other where it is known."""
    try:
        document = parse_json(read_text(source))
        variables = tuple(map(str, document["variables"]))
        edges = [(str(a), str(b)) for a, b in (one["edge"] for one in document["edges"])]
        numbers = [one["conditional_mutual_information"] for one in document["edges"]]
        strengths = {edge: float(n) for edge, n in zip(edges, numbers, strict=True) if n is not None}
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(
            f"{source} is damaged; write it again with chordlearn edges NET --json FILE."
        ) from None
    return Drawable(variables, ChordalNetwork.from_edges(variables, edges), strengths)


def _checkpoint(source: Path) -> ChordalNetwork:
    from chordlearn.pipeline.checkpoints import read_checkpoint

    checkpoint = read_checkpoint(source)
    return ChordalNetwork.from_edges(checkpoint.variables, checkpoint.edges)
