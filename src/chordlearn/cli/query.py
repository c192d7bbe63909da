"""`chordlearn query`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.network import Distribution
from chordlearn.network.query import parse_query
from chordlearn.system.text import plain

MOST_SHOWN = 200


def query_command(
    network: networks.NetworkArgument,
    question: Annotated[
        str,
        typer.Argument(
            metavar="QUESTION", help='Such as "P(A | B=yes, C=no)"; quote odd names.', show_default=False
        ),
    ],
    data: networks.FitOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Ask for probabilities: of one variable or several, given what is known."""
    outputs.check_outputs([(json, "query")], [network, data], force=force)
    # A bare name is a question in Python only, where what is known can stand beside it.
    parse_query(question)
    answer = networks.open_network(network, data).query(question)
    if json is not None:
        networks.emit_json("query", {"query": question, "probabilities": _listed(answer)}, json)
    if json != "-":
        _print(question, answer, Console(highlight=False))


def _listed(answer: Distribution) -> dict[str, float] | list[dict[str, Any]]:
    """An object for one variable, a list of joint states for several."""
    if len(answer.variables) == 1:
        return answer.to_dict()
    return [
        {"states": dict(zip(answer.variables, labels, strict=True)), "probability": probability}
        for labels, probability in answer
    ]


def _print(question: str, answer: Distribution, console: Console) -> None:
    console.print(plain(question, style="bold"))
    table = Table(box=None, pad_edge=False)
    for name in answer.variables:
        table.add_column(plain(name), overflow="fold")
    table.add_column("probability", justify="right")
    for number, (states, probability) in enumerate(answer):
        if number == MOST_SHOWN:
            break
        table.add_row(*map(plain, states), f"{probability:.6f}")
    console.print(table)
    if len(answer) > MOST_SHOWN:
        console.print(f"… {len(answer) - MOST_SHOWN} more; --json has them all")
