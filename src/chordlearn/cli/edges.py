"""`chordlearn edges`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from chordlearn.cli import networks, options, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.progress import ProgressLine
from chordlearn.system.text import plain

if TYPE_CHECKING:
    from chordlearn.analysis import EdgeStrength


def edges_command(
    network: networks.NetworkArgument,
    data: networks.FitOption = None,
    relearn: Annotated[
        bool,
        typer.Option("--relearn", help="Learn the best network without each edge, even if removal is easy."),
    ] = False,
    threads: options.ThreadsOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Say what each edge is worth: the score lost without it, and what its ends tell of each other."""
    from chordlearn.analysis import edge_strengths
    from chordlearn.network.evaluation import recorded_function
    from chordlearn.pipeline.fitting import data_of
    from chordlearn.problem.constraints import recorded_constraints

    outputs.check_outputs([(json, "edges")], [network, data], force=force)
    with ProgressLine() as line:
        line.progress("reading", None, None)
        net = networks.open_network(network, data)
        constraints = recorded_constraints(net.provenance.get("constraints"))
        found = edge_strengths(
            net,
            data_of(net, data),
            recorded_function(net.provenance.get("score_function")),
            relearn=relearn,
            max_clique=constraints.max_clique,
            require=constraints.required,
            forbid=constraints.forbidden,
            threads=threads,
            observer=line,
        )
    strongest_first = sorted(found, key=lambda one: -one.loss if one.loss is not None else float("-inf"))
    if json is not None:
        networks.emit_json(
            "edges", {"variables": net.variables, "edges": [one.to_dict() for one in strongest_first]}, json
        )
    if json != "-":
        _print(strongest_first, Console(highlight=False))


def _print(found: list[EdgeStrength], console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("edge", overflow="fold")
    table.add_column("score lost", justify="right")
    table.add_column("by")
    table.add_column("mutual information", justify="right")
    for one in found:
        information = one.conditional_mutual_information
        table.add_row(
            plain("–".join(one.edge), style="bold"),
            "required" if one.loss is None else f"{one.loss:.4f}",
            "" if one.loss is None else one.by,
            "" if information is None else f"{information:.6f}",
        )
    console.print(table)
