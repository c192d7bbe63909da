"""The command `chordlearn` with its subcommands."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from chordlearn.cli.bootstrap import bootstrap_command
from chordlearn.cli.compare import compare_command
from chordlearn.cli.data import data_command
from chordlearn.cli.decode import decode_command
from chordlearn.cli.edges import edges_command
from chordlearn.cli.encode import encode_command
from chordlearn.cli.evaluate import evaluate_command
from chordlearn.cli.export import export_command
from chordlearn.cli.failures import run_guarded
from chordlearn.cli.impute import impute_command
from chordlearn.cli.learn import EXAMPLES as LEARN_EXAMPLES
from chordlearn.cli.learn import learn_command
from chordlearn.cli.mpe import mpe_command
from chordlearn.cli.plot import plot_command
from chordlearn.cli.query import query_command
from chordlearn.cli.sample import sample_command
from chordlearn.cli.score import score_command
from chordlearn.cli.selftest import selftest_command
from chordlearn.cli.solvers import solvers_command
from chordlearn.cli.table1 import EXAMPLES as TABLE1_EXAMPLES
from chordlearn.cli.table1 import table1_command
from chordlearn.cli.verify import verify_command

app = typer.Typer(
    name="chordlearn",
    help="Learns chordal Markov networks from discrete data and proves them optimal.",
    epilog="Start with: chordlearn learn heart",
    rich_markup_mode="rich",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("learn", epilog=LEARN_EXAMPLES)(learn_command)
app.command("score", epilog="Example: chordlearn score heart -o heart.score")(score_command)
app.command("verify", epilog="Example: chordlearn learn heart --json r.json && chordlearn verify r.json")(
    verify_command
)
app.command("encode", epilog="Example: chordlearn encode heart -o heart.wcnf")(encode_command)
app.command("decode", epilog="Example: chordlearn decode heart.wcnf answer.txt")(decode_command)
app.command(
    "plot", epilog="Example: chordlearn learn heart --json r.json && chordlearn plot r.json -o heart.png"
)(plot_command)
app.command("solvers")(solvers_command)
app.command("selftest", epilog="Example: chordlearn selftest --minutes 5")(selftest_command)
app.command("table1", epilog=TABLE1_EXAMPLES)(table1_command)
app.command("data", epilog="Examples: chordlearn data · chordlearn data heart · chordlearn data my.csv")(
    data_command
)
for _name, _command, _example in (
    ("query", query_command, 'query heart.chord.json "P(smoke | phys=y)"'),
    ("mpe", mpe_command, "mpe heart.chord.json --given phys=y,smoke=n"),
    ("sample", sample_command, "sample heart.chord.json -n 1000 -o rows.csv"),
    ("evaluate", evaluate_command, "evaluate heart.chord.json test.csv"),
    ("impute", impute_command, "impute heart.chord.json gaps.csv -o whole.csv"),
    ("export", export_command, "export heart.chord.json heart.bif heart.uai"),
    ("compare", compare_command, "compare a.chord.json b.chord.json"),
    ("edges", edges_command, "edges heart.chord.json"),
    ("bootstrap", bootstrap_command, "bootstrap econ --samples 200 --journal econ.jsonl"),
):
    app.command(_name, epilog=f"Example: chordlearn {_example}")(_command)


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
    # Not through the command's own main(), which would keep Ctrl-C and closed pipes to itself.
    command = typer.main.get_command(app)
    with command.make_context("chordlearn", arguments) as context:
        return command.invoke(context)
