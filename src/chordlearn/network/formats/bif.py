"""The Bayesian Interchange Format."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from chordlearn.network.directed import conditionals
from chordlearn.network.formats.identifiers import identifiers
from chordlearn.network.formats.numbers import decimals

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork


def bif(network: FittedNetwork) -> str:
    """The network through a perfect elimination order.

    Names and states become identifiers: letters, digits and underscores.

    >>> import chordlearn as cl
    >>> coin = cl.fit(cl.ChordalNetwork.from_cliques(["a coin"], [["a coin"]]), {"a coin": [0, 0, 1]})
    >>> print(bif(coin))
    network chordlearn {
    }
    variable a_coin {
      type discrete [ 2 ] { 0, 1 };
    }
    probability ( a_coin ) {
      table 0.625, 0.375;
    }
    <BLANKLINE>
    """
    names = dict(zip(network.variables, identifiers(network.variables), strict=True))
    states = {
        name: identifiers(labels, first_letter=False)
        for name, labels in zip(network.variables, network.states, strict=True)
    }
    lines = ["network chordlearn {", "}"]
    for name in network.variables:
        lines += [
            f"variable {names[name]} {{",
            f"  type discrete [ {len(states[name])} ] {{ {', '.join(states[name])} }};",
            "}",
        ]
    for conditional in conditionals(network.structure, network.tables):
        own = names[conditional.variable]
        if not conditional.parents:
            lines += [f"probability ( {own} ) {{", f"  table {', '.join(decimals(conditional.table))};", "}"]
            continue
        parents = ", ".join(names[parent] for parent in conditional.parents)
        lines.append(f"probability ( {own} | {parents} ) {{")
        rows = conditional.table.reshape(-1, conditional.table.shape[-1])
        for given, row in zip(product(*(states[p] for p in conditional.parents)), rows, strict=True):
            lines.append(f"  ({', '.join(given)}) {', '.join(decimals(row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"
