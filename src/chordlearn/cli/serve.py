"""`chordlearn serve`."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from chordlearn.cli.console import note
from chordlearn.cli.failures import OK
from chordlearn.web import serve


def serve_command(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="A table to begin with: a file, a pattern or a bundled set.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="P", help="The port. [dim](default: 8642, or one that is free)[/dim]"),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Where to listen; another address than this machine's own lets others in."
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open nothing.")
    ] = False,
) -> int:
    """Open the live page: drop a table, watch it learn, ask the network.

    Ctrl-C ends it and leaves nothing behind.
    """
    # Ctrl-C is how one ends it.
    with contextlib.suppress(KeyboardInterrupt):
        serve(
            source,
            port=port,
            host=host,
            browser=not no_browser,
            announce=lambda line: print(line, flush=True),
            warn=note,
        )
    return OK
