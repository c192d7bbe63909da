"""What the commands on a learned network share: the network itself, evidence, and JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from chordlearn.cli.kinds import schema
from chordlearn.network import FittedNetwork
from chordlearn.system.files import write_whole
from chordlearn.system.text import json_text

NetworkArgument = Annotated[
    Path,
    typer.Argument(
        metavar="NET",
        help="A network file (.chord.json), or a result, whose data are then read again.",
        show_default=False,
    ),
]
FitOption = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="DATA",
        help="For a result: the data, if they are no longer where it says.",
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        "-g",
        metavar="A=x,…",
        help="What is known; weights of states as A={x: 0.8, y: 0.2}. May be repeated.",
    ),
]
JsonOption = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Write JSON; - prints it and nothing else."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Of what is random. [dim](default: another each time)[/dim]"),
]


def open_network(path: Path, data: str | None = None) -> FittedNetwork:
    """The network in a network file or a result."""
    from chordlearn.pipeline.fitting import load_network

    return load_network(path, data)


def gather_evidence(texts: list[str] | None) -> dict[str, Any]:
    """The evidence of an option that may be given several times.

    >>> gather_evidence(["a=x, b=y", "c=z"])
    {'a': 'x', 'b': 'y', 'c': 'z'}
    """
    from chordlearn.errors import InputError
    from chordlearn.network.query import parse_evidence

    given: dict[str, Any] = {}
    for text in texts or ():
        for name, value in parse_evidence(text).items():
            if name in given:
                raise InputError(f"--given names {name!r} twice; give each variable once.")
            given[name] = value
    return given


def emit_json(kind: str, document: Mapping[str, Any], target: str) -> None:
    """Write a document, which says what it is, to a file, or to stdout for `-`."""
    text = json_text({"schema": schema(kind), **document}, indent=2) + "\n"
    if target == "-":
        # JSON is UTF-8, whatever the terminal speaks.
        sys.stdout.buffer.write(text.encode())
    else:
        write_whole(Path(target), text)
