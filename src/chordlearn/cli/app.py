"""The command `chordlearn` with its subcommands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from chordlearn.cli.failures import run_guarded

LEARN, LOOK, ASK = "Learn", "Look at data", "Ask a network"
CHECK, RESEARCH = "Check", "Solver research"


class Command(NamedTuple):
    """A subcommand: what it is for, the module that has it, and examples for its help."""

    panel: str
    module: str
    examples: tuple[str, ...] = ()


COMMANDS = {
    "learn": Command(
        LEARN,
        "learn",
        (
            "chordlearn learn heart",
            "chordlearn learn survey.csv --missing category --max-clique 4 --json result.json "
            "--save network.graphml",
            "chordlearn learn table.csv --counts count --score dirichlet --alpha 0.5 --require age,income",
            "chordlearn learn wide.csv --time-limit 3600 --checkpoint wide.json --resume wide.json",
        ),
    ),
    "bootstrap": Command(
        LEARN, "bootstrap", ("chordlearn bootstrap econ --samples 200 --journal econ.jsonl",)
    ),
    "posterior": Command(
        LEARN,
        "posterior",
        (
            "chordlearn posterior heart",
            "chordlearn posterior survey.csv --json posterior.json --samples 1000 --draws networks.jsonl",
        ),
    ),
    "serve": Command(LEARN, "serve", ("chordlearn serve", "chordlearn serve survey.csv")),
    "data": Command(LOOK, "data", ("chordlearn data my.csv",)),
    "score": Command(LOOK, "research", ("chordlearn score heart -o heart.score",)),
    "query": Command(ASK, "questions", ('chordlearn query heart.chord.json "P(smoke | phys=y)"',)),
    "mpe": Command(ASK, "questions", ("chordlearn mpe heart.chord.json --given phys=y,smoke=n",)),
    "sample": Command(ASK, "network_rows", ("chordlearn sample heart.chord.json -n 1000 -o rows.csv",)),
    "evaluate": Command(ASK, "network_rows", ("chordlearn evaluate heart.chord.json test.csv",)),
    "impute": Command(ASK, "network_rows", ("chordlearn impute heart.chord.json gaps.csv -o whole.csv",)),
    "update": Command(ASK, "network_rows", ("chordlearn update heart.chord.json more.csv",)),
    "edges": Command(ASK, "networks", ("chordlearn edges heart.chord.json",)),
    "compare": Command(ASK, "networks", ("chordlearn compare a.chord.json b.chord.json",)),
    "export": Command(ASK, "networks", ("chordlearn export heart.chord.json heart.bif heart.uai",)),
    "plot": Command(
        ASK, "networks", ("chordlearn learn heart --json r.json && chordlearn plot r.json -o heart.png",)
    ),
    "verify": Command(
        CHECK, "checking", ("chordlearn learn heart --json r.json && chordlearn verify r.json",)
    ),
    "selftest": Command(CHECK, "checking", ("chordlearn selftest --minutes 5",)),
    "solvers": Command(RESEARCH, "research"),
    "encode": Command(RESEARCH, "research", ("chordlearn encode heart -o heart.wcnf",)),
    "decode": Command(RESEARCH, "research", ("chordlearn decode heart.wcnf answer.txt",)),
    "table1": Command(RESEARCH, "table1", ("chordlearn table1 --time-limit 60 --records table1.jsonl",)),
}


class _Quick:
    """Takes texts and defaults as they are; typer builds a pydantic validator for each, which is slow."""

    def get_params(self, context: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(context)  # type: ignore[misc]
        for parameter in parameters:
            if not isinstance(parameter.process_value, partial):
                parameter.process_value = partial(_value, parameter, parameter.process_value)
        return parameters


def _value(parameter: Any, convert: Callable[..., Any], context: Any, value: Any) -> Any:
    source = context.get_parameter_source(parameter.name)
    if source is not None and source.name == "DEFAULT" and not parameter.required:
        return parameter.callback(context, parameter, value) if parameter.callback else value
    declared = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    return value if value and declared in (str, list[str]) else convert(context, value)


class QuickCommand(_Quick, TyperCommand):
    """A command that is quick to start."""


class QuickGroup(_Quick, TyperGroup):
    """The whole program, quick to start."""


app = typer.Typer(
    name="chordlearn",
    cls=QuickGroup,
    help="Learns chordal Markov networks from discrete data and proves them optimal.",
    epilog="Start with: chordlearn learn heart",
    rich_markup_mode="rich",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

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


def load(names: Sequence[str] = tuple(COMMANDS)) -> typer.Typer:
    """The application with these commands; each is loaded when it is first needed."""
    loaded = {command.name for command in app.registered_commands}
    for name in names:
        if name not in loaded:
            panel, module, examples = COMMANDS[name]
            function = getattr(import_module(f"chordlearn.cli.{module}"), f"{name}_command")
            epilog = (
                f"Example: {examples[0]}" if len(examples) == 1 else "\n\n".join(("Examples:", *examples))
            )
            app.command(name, cls=QuickCommand, epilog=epilog if examples else None, rich_help_panel=panel)(
                function
            )
    return app


def _invoke(arguments: list[str]) -> object:
    # Only the module of the requested command is loaded; help and a misspelled command need all of them.
    asked = arguments[:1]
    if asked == ["--version"]:
        load(["learn"])
    else:
        load(asked if asked and asked[0] in COMMANDS else tuple(COMMANDS))
    # Not through the command's own main(), which would keep Ctrl-C and closed pipes to itself.
    command = typer.main.get_command(app)
    with command.make_context("chordlearn", arguments) as context:
        return command.invoke(context)
