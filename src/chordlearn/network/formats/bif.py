"""The Bayesian Interchange Format."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from chordlearn.network.directed import conditionals
from chordlearn.network.formats.identifiers import decimals, identifiers
from chordlearn.system.text import shown

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork


RESERVED = ("network", "variable", "probability", "type", "discrete", "default", "table", "property")
"""Words of the language."""


def bif(network: FittedNetwork) -> str:
    """The network through a perfect elimination order.

    Names and states become identifiers: letters, digits and underscores, and no words of the language.
    Comments at the top say which.

    >>> import chordlearn as cl
    >>> coin = cl.fit(cl.ChordalNetwork.from_cliques(["a coin"], [["a coin"]]), {"a coin": [0, 0, 1]})
    >>> print(bif(coin))
    // a_coin stands for "a coin"
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
    names, states = _words(network)
    # The quotes also keep a name that ends in a backslash from going on in the next line.
    lines = [f'// {written} stands for "{shown(name)}"' for name, written in respelled(network)]
    lines += ["network chordlearn {", "}"]
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


def respelled(network: FittedNetwork) -> list[tuple[str, str]]:
    """The names and states that are written otherwise, each with what stands for it."""
    names, states = _words(network)
    pairs = dict.fromkeys(names.items())
    for name, labels in zip(network.variables, network.states, strict=True):
        pairs |= dict.fromkeys(zip(labels, states[name], strict=True))
    return [(name, written) for name, written in pairs if name != written]


def _words(network: FittedNetwork) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    names = identifiers(network.variables, reserved=RESERVED)
    states = (identifiers(labels, first_letter=False, reserved=RESERVED) for labels in network.states)
    return (
        dict(zip(network.variables, names, strict=True)),
        dict(zip(network.variables, states, strict=True)),
    )
