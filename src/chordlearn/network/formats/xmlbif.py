"""The Bayesian Interchange Format in XML, version 0.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chordlearn.network.directed import conditionals
from chordlearn.network.exports import legal_in_xml
from chordlearn.network.formats.identifiers import decimals, distinct

if TYPE_CHECKING:
    from chordlearn.network.fitted import FittedNetwork


def xmlbif(network: FittedNetwork) -> str:
    """The network through a perfect elimination order; names and states keep their characters.

    >>> import chordlearn as cl
    >>> coin = cl.fit(cl.ChordalNetwork.from_cliques(["a&b"], [["a&b"]]), {"a&b": [0, 0, 1]})
    >>> print(xmlbif(coin))
    <?xml version="1.0" encoding="UTF-8"?>
    <BIF VERSION="0.3">
    <NETWORK>
    <NAME>chordlearn</NAME>
    <VARIABLE TYPE="nature">
      <NAME>a&amp;b</NAME>
      <OUTCOME>0</OUTCOME>
      <OUTCOME>1</OUTCOME>
    </VARIABLE>
    <DEFINITION>
      <FOR>a&amp;b</FOR>
      <TABLE>0.625 0.375</TABLE>
    </DEFINITION>
    </NETWORK>
    </BIF>
    <BLANKLINE>
    """
    names = dict(zip(network.variables, distinct(map(legal_in_xml, network.variables)), strict=True))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "<NAME>chordlearn</NAME>",
    ]
    for name, labels in zip(network.variables, network.states, strict=True):
        lines += ['<VARIABLE TYPE="nature">', _tag("NAME", names[name])]
        lines += [_tag("OUTCOME", label) for label in distinct(map(legal_in_xml, labels))]
        lines.append("</VARIABLE>")
    for conditional in conditionals(network.structure, network.tables):
        lines += ["<DEFINITION>", _tag("FOR", names[conditional.variable])]
        lines += [_tag("GIVEN", names[parent]) for parent in conditional.parents]
        lines += [_tag("TABLE", " ".join(decimals(conditional.table))), "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def _tag(name: str, text: str) -> str:
    return f"  <{name}>{text}</{name}>"
