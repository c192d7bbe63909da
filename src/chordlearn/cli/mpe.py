"""`chordlearn mpe`."""

from __future__ import annotations

from rich.table import Table

from chordlearn.cli import networks, outputs
from chordlearn.cli.consoles import Console
from chordlearn.system.text import plain


def mpe_command(
    network: networks.NetworkArgument,
    given: networks.GivenOption = None,
    data: networks.FitOption = None,
    json: networks.JsonOption = None,
    force: outputs.ForceOption = False,
) -> None:
    """Find the most probable states of all variables together, given what is known."""
    outputs.check_outputs([(json, "mpe")], [network, data], force=force)
    evidence = networks.gather_evidence(given)
    best = networks.open_network(network, data).mpe(evidence)
    if json is not None:
        networks.emit_json("mpe", {"given": evidence, **best.to_dict()}, json)
    if json != "-":
        console = Console(highlight=False)
        table = Table(box=None, pad_edge=False, show_header=False)
        for name, state in best.states.items():
            known = "given" if isinstance(evidence.get(name), str) else ""
            table.add_row(plain(name, style="bold"), plain(state), plain(known, style="dim"))
        console.print(table)
        console.print(f"probability {best.probability:.6g}" + (" given the evidence" if evidence else ""))
