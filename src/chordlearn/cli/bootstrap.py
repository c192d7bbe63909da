"""`chordlearn bootstrap`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import chordlearn as cl
from chordlearn.cli.console import Console, answer, note
from chordlearn.cli.failures import INTERRUPTED, OK
from chordlearn.cli.options import (
    CONSTRAINTS,
    READING,
    SCORE,
    THREADS,
    ClusterOption,
    DataArgument,
    ForceOption,
    JsonOption,
    one_source,
    option,
    with_options,
)
from chordlearn.cli.progress import ProgressLine, cluster_notes, open_cluster
from chordlearn.report.outputs import check_outputs

MOST_EDGES = 60
MOST_CLIQUES = 12


RESAMPLING = {
    "samples": option(None, int, 200, "How many data sets to draw.", metavar="N", min=1),
    "seed": option(None, int, 0, "The seed of the draws.", min=0),
    "journal": option(
        None,
        Path | None,
        None,
        "Add every finished network to this file, and reuse those that are in it.",
        metavar="FILE.jsonl",
    ),
    "backend": option(None, str, "auto", "Learns each network.", metavar="NAME"),
    "time_limit": option(None, float | None, None, "For each network.", metavar="SECONDS"),
}
"""As :func:`chordlearn.bootstrap` takes them."""


@with_options(RESAMPLING, SCORE, CONSTRAINTS, THREADS, READING)
def bootstrap_command(
    data: DataArgument,
    cluster: ClusterOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
    **options: Any,
) -> int:
    """Learn the networks of resampled data, each with proof: how often does each edge come back?

    Interrupted with Ctrl-C, it reports the networks that are finished and ends with exit code 130; with the
    same --journal it goes on from there.
    """
    check_outputs([(json, "bootstrap"), (options["journal"], "journal")], [data], force=force)
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine())
        workers = stack.enter_context(open_cluster(cluster, line)) if cluster else None
        found = cl.bootstrap(one_source(data), cluster=workers, observer=line, **options)
    answer("bootstrap", found.to_dict(), json, lambda console: _print(found, console))
    for sentence in cluster_notes(workers):
        note(sentence)
    return OK if len(found.replicates) == found.samples else INTERRUPTED


def _print(found: cl.Bootstrap, console: Console) -> None:
    proved = "each proved" if found.proved == len(found.replicates) else f"{found.proved} proved"
    if found.from_journal:
        proved += f", {found.from_journal} from the journal (scored again, not proved again)"
    console.say(f"{len(found.replicates)} networks of resampled data, {proved}; ● in the best network")
    for noun, shares, known, most in (
        ("edge", found.edges, set(found.original.edges), MOST_EDGES),
        ("clique", found.cliques, set(found.original.cliques), MOST_CLIQUES),
    ):
        console.say()
        console.table(
            [noun, ">frequency", ""],
            (
                ["–".join(names), f"{share:.3f}", "●" if names in known else ""]
                for names, share in list(shares.items())[:most]
            ),
        )
        if len(shares) > most:
            console.say(f"… {len(shares) - most} rarer {noun}s; --json has them all")
