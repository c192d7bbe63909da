"""`chordlearn solvers`."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from chordlearn.backends.base.registry import Availability, backend_names, load_backend
from chordlearn.cli.consoles import Console
from chordlearn.errors import BackendError


def solvers_command() -> None:
    """List the backends: which can run here, which cannot and why, and how to get them."""
    table = Table(box=None, pad_edge=False)
    table.add_column("backend", style="bold", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("version", no_wrap=True)
    table.add_column("proves", no_wrap=True)
    table.add_column("what it is, or why it cannot run and how to get it", overflow="fold")
    for name in backend_names():
        table.add_row(name, *_row(name))
    Console(highlight=False).print(table)


def _row(name: str) -> tuple[str, str, str, str]:
    try:
        backend = load_backend(name)
        found = backend.probe()
        summary, exact = backend.summary, "yes" if backend.exact else "no"
    except BackendError as error:
        found, summary, exact = Availability(False, reason=error.on_command_line()), "", "?"
    if found.available:
        return "[green]✓[/green]", escape(found.version), exact, escape(summary)
    why = " ".join(text for text in (found.reason, found.how_to_get) if text)
    return "[red]✗[/red]", "", exact, escape(f"{summary}: {why}" if summary else why)
