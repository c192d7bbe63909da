"""The command `chordlearn` with its subcommands."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Annotated

import typer

from chordlearn.cli.failures import run_guarded

EXAMPLES = {
    "learn": "",
    "score": "chordlearn score heart -o heart.score",
    "verify": "chordlearn learn heart --json r.json && chordlearn verify r.json",
    "encode": "chordlearn encode heart -o heart.wcnf",
    "decode": "chordlearn decode heart.wcnf answer.txt",
    "plot": "chordlearn learn heart --json r.json && chordlearn plot r.json -o heart.png",
    "solvers": "",
    "selftest": "chordlearn selftest --minutes 5",
    "table1": "",
    "data": "chordlearn data my.csv",
    "query": 'chordlearn query heart.chord.json "P(smoke | phys=y)"',
    "mpe": "chordlearn mpe heart.chord.json --given phys=y,smoke=n",
    "sample": "chordlearn sample heart.chord.json -n 1000 -o rows.csv",
    "evaluate": "chordlearn evaluate heart.chord.json test.csv",
    "impute": "chordlearn impute heart.chord.json gaps.csv -o whole.csv",
    "export": "chordlearn export heart.chord.json heart.bif heart.uai",
    "compare": "chordlearn compare a.chord.json b.chord.json",
    "edges": "chordlearn edges heart.chord.json",
    "bootstrap": "chordlearn bootstrap econ --samples 200 --journal econ.jsonl",
}
"""An example of each command, unless its module has `EXAMPLES` of its own."""

app = typer.Typer(
    name="chordlearn",
    help="Learns chordal Markov networks from discrete data and proves them optimal.",
    epilog="Start with: chordlearn learn heart",
    rich_markup_mode="rich",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chordlearn {version('chordlearn')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code."""
    return run_guarded(lambda: _invoke(list(arguments)))


def _invoke(arguments: list[str]) -> object:
    # Only the module of the command asked for is loaded; help and a misspelled command need all of them.
    asked = arguments[0] if arguments else ""
    for name in [asked] if asked in EXAMPLES else EXAMPLES:
        _add(name)
    # Not through the command's own main(), which would keep Ctrl-C and closed pipes to itself.
    command = typer.main.get_command(app)
    with command.make_context("chordlearn", arguments) as context:
        return command.invoke(context)


def _add(name: str) -> None:
    if any(command.name == name for command in app.registered_commands):
        return
    module = import_module(f"chordlearn.cli.{name}")
    example = f"Example: {EXAMPLES[name]}" if EXAMPLES[name] else getattr(module, "EXAMPLES", None)
    app.command(name, epilog=example)(getattr(module, f"{name}_command"))
