"""`chordlearn posterior`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import chordlearn as cl
from chordlearn.cli.console import Console, answer, note
from chordlearn.cli.failures import OK
from chordlearn.cli.options import (
    CONSTRAINTS,
    READING,
    SCORE,
    THREADS,
    DataArgument,
    ForceOption,
    JsonOption,
    one_source,
    option,
    with_options,
)
from chordlearn.cli.progress import ProgressLine
from chordlearn.errors import InputError
from chordlearn.report.outputs import check_outputs, schema
from chordlearn.system.files import write_whole
from chordlearn.system.text import json_text

MOST_EDGES = 60

SUMMING = {
    "method": option(
        None,
        str,
        "auto",
        "exact: the sum over all networks; certified: over those that may matter, up to 25 columns; chain: "
        "Markov chains, for any number of columns; auto: the first of these that is possible.",
        metavar="auto|exact|certified|chain",
    ),
    "tolerance": option(None, float, 1e-6, "The error of a certified probability.", metavar="E"),
    "seed": option(None, int, 0, "The seed of chains and draws.", min=0),
    "time_limit": option(
        None, float | None, None, "Chains use it all. [dim](default for chains: 60)[/dim]", metavar="SECONDS"
    ),
    "memory_limit": option(None, float | None, None, "What may be used.", metavar="GB"),
}
"""As :func:`chordlearn.posterior` takes them."""


@with_options(SUMMING, THREADS, SCORE, CONSTRAINTS, READING)
def posterior_command(
    data: DataArgument,
    samples: Annotated[
        int, typer.Option(metavar="N", min=0, help="Draw so many networks from the posterior.")
    ] = 0,
    draws: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write the networks drawn, one a line.")
    ] = None,
    json: JsonOption = None,
    force: ForceOption = False,
    **options: Any,
) -> int:
    """How probable is each edge? The posterior over all chordal networks.

    Interrupted with Ctrl-C, chains report what they have.
    """
    check_outputs([(json, "posterior"), (draws, "draws")], [data], force=force)
    if draws is not None and not samples:
        raise InputError(
            "There is nothing to write to --draws; say with --samples how many networks to draw."
        )
    with ProgressLine() as line:
        found = cl.posterior(one_source(data), observer=line, **options)
        networks = found.sample(samples, options["seed"]) if samples else []
    document = found.to_dict()
    if samples:
        document["samples"] = {"count": samples, "file": None if draws is None else str(draws)}
        for edge in document["edges"]:
            pair = {edge["a"], edge["b"]}
            drawn = sum(any(pair <= set(clique) for clique in network.cliques) for network in networks)
            edge["drawn"] = drawn / samples
    if draws is not None:
        _write(draws, found, networks)
    answer("posterior", document, json, lambda console: _print(found, console))
    if found.note:
        note(found.note)
    return OK


def _write(path: Path, found: cl.Posterior, networks: list[cl.ChordalNetwork]) -> None:
    head = {"schema": schema("draws"), "variables": found.variables, "method": found.method}
    lines = [head, *({"cliques": network.cliques} for network in networks)]
    write_whole(path, "".join(json_text(line) + "\n" for line in lines))


def _print(found: cl.Posterior, console: Console) -> None:
    if found.method != "chain":
        over = "all" if found.method == "exact" else "nearly all"
        console.say(f"The sum over {over} chordal networks, each counted once; ● in the best network")
        console.say()
        rows = [["log evidence", f"{found.log_evidence:.6f}"]]
    else:
        console.say("Networks that Markov chains visited; ● in the best network found")
        console.say()
        rows = []
    best = found.probability(found.best).value
    rows += [
        ["best network", f"score {found.best.score:.6f}, probability {best:.4g}"],
        ["edges expected", f"{found.expected_edges:.2f}"],
        ["median network", "  ".join("–".join(clique) for clique in found.median.cliques)],
    ]
    if found.prior is not None:
        prior = f"{found.prior.edge_probability:.4f} for each edge, {found.prior.expected_edges:.2f} expected"
        rows.insert(-2, ["before the data", prior])
    if found.left_out:
        left = "  ".join("–".join(edge) for edge in found.left_out)
        rows.append(["", f"without {left}, which would leave it not chordal"])
    console.table(["", ""], rows)
    console.say()
    known = set(found.best.edges)
    ordered = sorted(found.edges.items(), key=lambda item: -item[1].value)
    console.table(
        ["edge", ">probability", ">±", ""],
        (
            ["–".join(edge), f"{p.value:.6f}", f"{p.error:.1g}", "●" if edge in known else ""]
            for edge, p in ordered[:MOST_EDGES]
        ),
    )
    if len(ordered) > MOST_EDGES:
        console.say(f"… {len(ordered) - MOST_EDGES} less probable edges; --json has them all")
