"""`chordlearn solvers`."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from chordlearn.backends.base.registry import Solver, solvers
from chordlearn.cli.consoles import Console


def solvers_command() -> None:
    """List the backends: which can run here, which cannot and why, and how to get them."""
    table = Table(box=None, pad_edge=False)
    table.add_column("backend", style="bold", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("version", no_wrap=True)
    table.add_column("proves", no_wrap=True)
    table.add_column("what it is, or why it cannot run and how to get it", overflow="fold")
    for solver in solvers():
        table.add_row(solver.name, *_row(solver))
    Console(highlight=False).print(table)


def _row(solver: Solver) -> tuple[str, str, str, str]:
    exact = "?" if solver.exact is None else "yes" if solver.exact else "no"
    if solver.available:
        return "[green]✓[/green]", escape(solver.version), exact, escape(solver.summary)
    why = " ".join(text for text in (solver.reason, solver.how_to_get) if text)
    return "[red]✗[/red]", "", exact, escape(f"{solver.summary}: {why}" if solver.summary else why)
