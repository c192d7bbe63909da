"""`chordlearn query` and `chordlearn mpe`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import chordlearn as cl
from chordlearn.cli.console import Console, answer
from chordlearn.cli.options import FitOption, ForceOption, GivenOption, JsonOption, NetworkArgument
from chordlearn.errors import InputError
from chordlearn.report.outputs import check_outputs

MOST_SHOWN = 200


def query_command(
    network: NetworkArgument,
    question: Annotated[
        str,
        typer.Argument(
            metavar="QUESTION", help='Such as "P(A | B=yes, C=no)"; quote odd names.', show_default=False
        ),
    ],
    data: FitOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Ask for probabilities: of one variable or several, given what is observed."""
    check_outputs([(json, "query")], [network, data], force=force)
    net = cl.load_network(network, data)
    if question in net.variables:
        # In Python a name is a question, for what is observed can stand beside it.
        raise InputError(f"The question {question!r} cannot be understood; write it as P({question}).")
    found = net.query(question)
    probabilities: Any = found.to_dict()
    if len(found.variables) > 1:
        probabilities = [
            {"states": dict(zip(found.variables, states, strict=True)), "probability": probability}
            for states, probability in found
        ]

    def show(console: Console) -> None:
        console.say(question, style="bold")
        shown = [(states, probability) for states, probability in found][:MOST_SHOWN]
        console.table(
            [*found.variables, ">probability"],
            [[*states, f"{probability:.6f}"] for states, probability in shown],
        )
        if len(found) > MOST_SHOWN:
            console.say(f"… {len(found) - MOST_SHOWN} more; --json has them all")

    answer("query", {"query": question, "probabilities": probabilities}, json, show)


def mpe_command(
    network: NetworkArgument,
    given: GivenOption = None,
    data: FitOption = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Find the most probable states of all variables together, given what is observed."""
    check_outputs([(json, "mpe")], [network, data], force=force)
    evidence = gather_evidence(given)
    best = cl.load_network(network, data).mpe(evidence)

    def show(console: Console) -> None:
        rows = (
            [name, state, "given" if isinstance(evidence.get(name), str) else ""]
            for name, state in best.states.items()
        )
        console.table(["", "", ""], rows)
        console.say(f"probability {best.probability:.6g}" + (" given the evidence" if evidence else ""))

    answer("mpe", {"given": evidence, **best.to_dict()}, json, show)


def gather_evidence(texts: list[str] | None) -> dict[str, Any]:
    """The evidence of an option that may be given several times.

    >>> gather_evidence(["a=x, b=y", "c=z"])
    {'a': 'x', 'b': 'y', 'c': 'z'}
    """
    given: dict[str, Any] = {}
    for text in texts or ():
        for name, value in cl.parse_evidence(text).items():
            if name in given:
                raise InputError(f"--given names {name!r} twice; give each variable once.")
            given[name] = value
    return given
