"""`chordlearn compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.network.comparison import compare
from chordlearn.system.text import plain, shown


def compare_command(
    first: Annotated[
        Path, typer.Argument(metavar="NET1", help="A network file or a result.", show_default=False)
    ],
    second: Annotated[Path, typer.Argument(metavar="NET2", help="Another.", show_default=False)],
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help="Score both on these data, with the score function of the first. "
            "[dim](default: the scores on record, if they are of the same data)[/dim]",
        ),
    ] = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Compare two networks: edges, structural Hamming distance, scores."""
    from chordlearn.cli.comparison import read_summary

    outputs.check_outputs([(json, "comparison")], [first, second, data], force=force)
    one, other = read_summary(first), read_summary(second)
    found = compare(one.structure, other.structure)
    scores = one.scores_beside(other, data)
    document = {"networks": [str(first), str(second)], **found.to_dict(), **scores}
    if json is not None:
        networks.emit_json("comparison", document, json)
    if json != "-":
        _print(document, Console(highlight=False))


def _print(document: dict[str, Any], console: Console) -> None:
    console.print(f"structural Hamming distance {document['structural_hamming_distance']}")
    for title, key in (
        ("in both", "common_edges"),
        ("only in the first", "only_in_first"),
        ("only in the second", "only_in_second"),
    ):
        edges = shown("  ".join("–".join(edge) for edge in document[key])) or "none"
        console.print(Text.assemble((f"{title} ({len(document[key])}): ", "bold"), edges))
    if document["score_difference"] is None:
        console.print(plain(document["why_no_scores"], style="dim"))
    else:
        first, second = document["scores"]
        source = "" if document["scores_from"] == "data" else " on record, which --data would compute again"
        console.print(
            f"score {first:.6f} and {second:.6f}: the second has {document['score_difference']:+.6f}{source}"
        )
