"""Hugin's NET format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chordlearn.network.directed import conditionals
from chordlearn.network.formats.identifiers import decimal, distinct, identifiers
from chordlearn.system.text import shown

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork


RESERVED = ("net", "node", "class", "potential", "data", "decision", "utility", "function", "experience")
"""Words of the language."""


def hugin_net(network: FittedNetwork) -> str:
    """The network through a perfect elimination order; labels and states keep their characters.

    >>> import chordlearn as cl
    >>> coin = cl.fit(cl.ChordalNetwork.from_cliques(["a coin"], [["a coin"]]), {"a coin": [0, 0, 1]})
    >>> print(hugin_net(coin))
    net
    {
    }
    node a_coin
    {
      label = "a coin";
      states = ( "0" "1" );
    }
    potential ( a_coin )
    {
      data = ( 0.625 0.375 );
    }
    <BLANKLINE>
    """
    names = dict(zip(network.variables, identifiers(network.variables, reserved=RESERVED), strict=True))
    lines = ["net", "{", "}"]
    for name, labels in zip(network.variables, network.states, strict=True):
        lines += [
            f"node {names[name]}",
            "{",
            f"  label = {_quoted(_plain(name))};",
            f"  states = ( {' '.join(map(_quoted, distinct(map(_plain, labels))))} );",
            "}",
        ]
    for conditional in conditionals(network.structure, network.tables):
        given = " ".join(names[parent] for parent in conditional.parents)
        scope = f"{names[conditional.variable]} | {given}" if given else names[conditional.variable]
        lines += [
            f"potential ( {scope} )",
            "{",
            f"  data = {_nested(conditional.table.tolist())};",
            "}",
        ]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    # The format has no escape for a quote inside a string.
    return shown(text).replace("\\", "/").replace('"', "'")


def _quoted(text: str) -> str:
    return f'"{text}"'


def _nested(values: Any) -> str:
    return "( " + " ".join(_nested(v) if isinstance(v, list) else decimal(v) for v in values) + " )"
