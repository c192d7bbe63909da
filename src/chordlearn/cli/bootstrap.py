"""`chordlearn bootstrap`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from chordlearn.cli import networks, options, outputs
from chordlearn.cli.clusters import cluster_notes, open_cluster
from chordlearn.cli.consoles import Console
from chordlearn.cli.failures import INTERRUPTED, OK
from chordlearn.cli.options import gather_edges
from chordlearn.cli.progress import ProgressLine
from chordlearn.system.text import plain

if TYPE_CHECKING:
    from chordlearn.analysis import Bootstrap

MOST_EDGES = 60
MOST_CLIQUES = 12


def bootstrap_command(
    data: options.DataArgument,
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", min=1, help="How many data sets to draw.")
    ] = 200,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draws.")] = 0,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            metavar="FILE.jsonl",
            help="Add every finished network to this file, and take up those that are in it.",
        ),
    ] = None,
    score: options.ScoreOption = "bdeu",
    ess: options.EssOption = None,
    alpha: options.AlphaOption = None,
    edge_prior: options.EdgePriorOption = 0.0,
    backend: Annotated[str, typer.Option("--backend", metavar="NAME", help="Solves each.")] = "auto",
    max_clique: Annotated[
        int | None, typer.Option("--max-clique", metavar="K", min=1, help="Largest clique allowed.")
    ] = None,
    require: Annotated[
        list[str] | None, typer.Option("--require", metavar="A,B", help="An edge that must be there.")
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option("--forbid", metavar="A,B", help="An edge that must not be.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="SECONDS", help="For each network.")
    ] = None,
    threads: options.ThreadsOption = None,
    cluster: options.ClusterOption = None,
    columns: options.ColumnsOption = None,
    drop: options.DropOption = None,
    counts: options.CountsOption = None,
    missing: options.MissingOption = "error",
    discretize: options.DiscretizeOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> int:
    """Learn the networks of resampled data, each with proof: how often does each edge come back?

    Interrupted with Ctrl-C, it reports the networks that are finished and ends with exit code 130; with the
    same --journal it goes on from there.
    """
    from chordlearn.analysis import bootstrap

    outputs.check_outputs([(json, "bootstrap"), (journal, "journal")], [data], force=force)
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine())
        workers = stack.enter_context(open_cluster(cluster, line)) if cluster else None
        found = bootstrap(
            options.one_source(data),
            samples=samples,
            seed=seed,
            journal=journal,
            jobs=threads,
            cluster=workers,
            observer=line,
            score=score,
            ess=ess,
            alpha=alpha,
            edge_prior=edge_prior,
            backend=backend,
            max_clique=max_clique,
            require=gather_edges(require, "--require"),
            forbid=gather_edges(forbid, "--forbid"),
            time_limit=time_limit,
            **options.reading(columns, drop, counts, missing, discretize),
        )
    if json is not None:
        networks.emit_json("bootstrap", found.to_dict(), json)
    if json != "-":
        _print(found, Console(highlight=False))
    for note in cluster_notes(workers):
        print(f"chordlearn: {note}", file=sys.stderr)
    return OK if len(found.replicates) == found.samples else INTERRUPTED


def _print(found: Bootstrap, console: Console) -> None:
    proved = "each proved" if found.proved == len(found.replicates) else f"{found.proved} proved"
    if found.from_journal:
        proved += f", {found.from_journal} from the journal (scored again, not proved again)"
    console.print(f"{len(found.replicates)} networks of resampled data, {proved}; ● in the best network")
    console.print()
    best = set(found.original.edges)
    table = Table(box=None, pad_edge=False)
    table.add_column("edge", overflow="fold")
    table.add_column("frequency", justify="right")
    table.add_column("")
    for edge, share in list(found.edges.items())[:MOST_EDGES]:
        table.add_row(plain("–".join(edge), style="bold"), f"{share:.3f}", "●" if edge in best else "")
    console.print(table)
    if len(found.edges) > MOST_EDGES:
        console.print(f"… {len(found.edges) - MOST_EDGES} rarer edges; --json has them all")
    console.print()
    cliques = Table(box=None, pad_edge=False)
    cliques.add_column("clique", overflow="fold")
    cliques.add_column("frequency", justify="right")
    cliques.add_column("")
    known = set(found.original.cliques)
    for clique, share in list(found.cliques.items())[:MOST_CLIQUES]:
        cliques.add_row(plain("–".join(clique), style="bold"), f"{share:.3f}", "●" if clique in known else "")
    console.print(cliques)
