"""`chordlearn export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.cli.kinds import kind_by_suffix
from chordlearn.system.files import write_whole
from chordlearn.system.text import plain


def export_command(
    network: networks.NetworkArgument,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="By suffix: .bif, .xmlbif, .uai, .net (Hugin), .graphml, .dot, .csv, .chord.json.",
            show_default=False,
        ),
    ],
    data: networks.FitOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Write a network in formats that other programs read."""
    outputs.check_outputs(
        [(json, "export"), *((path, kind_by_suffix(path)) for path in files)], [network, data], force=force
    )
    net = networks.open_network(network, data)
    texts = [net.export_text(path) for path in files]
    for path, text in zip(files, texts, strict=True):
        write_whole(path, text)
    if json is not None:
        networks.emit_json("export", {"files": [str(path) for path in files]}, json)
    if json != "-":
        for path in files:
            Console(highlight=False).print(plain(str(path)))
