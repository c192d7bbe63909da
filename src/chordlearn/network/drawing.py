"""Pictures of the graph: as SVG, and as text for terminals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from chordlearn.graphs import Graph, edges_of
from chordlearn.network.layout import layout
from chordlearn.system.text import shown

if TYPE_CHECKING:
    from chordlearn.network.chordal import ChordalNetwork

CHARACTER_WIDTH = 7.6
BOX_HEIGHT = 26.0
LONGEST_LABEL = 22


def svg_of(variables: Sequence[str], graph: Graph) -> str:
    """The graph as one SVG element: a labelled box per variable, a line per edge.

    The same graph gives the same picture. Names are escaped; long ones are cut, with the full name as
    a tooltip.

    >>> svg_of(["a<b", "c"], (2, 1)).count("<line")
    1
    """
    texts = [_shortened(_printable(name)) for name in variables]
    sizes = [(max(len(text), 2) * CHARACTER_WIDTH + 16, BOX_HEIGHT) for text in texts]
    points, (width, height) = layout(graph, sizes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="13">',
        f"<title>Chordal network of {len(variables)} variables</title>",
        '<g stroke="#7a869a" stroke-width="1.6">',
    ]
    for a, b in edges_of(graph):
        (x1, y1), (x2, y2) = points[a], points[b]
        parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    parts.append('</g><g text-anchor="middle">')
    for name, text, near, (x, y), (box_width, box_height) in zip(
        variables, texts, graph, points, sizes, strict=True
    ):
        fill, stroke = ("#e8f0fe", "#3367d6") if near else ("#f4f4f4", "#9e9e9e")
        parts.append(
            f"<g><title>{escape(_printable(name))}</title>"
            f'<rect x="{x - box_width / 2:.1f}" y="{y - box_height / 2:.1f}" width="{box_width:.1f}" '
            f'height="{box_height:.1f}" rx="8" fill="{fill}" stroke="{stroke}"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}" fill="#1a1a1a">{escape(text)}</text></g>'
        )
    parts.append("</g></svg>")
    return "\n".join(parts)


def _printable(name: str) -> str:
    """Without the control characters that XML does not allow."""
    return "".join(letter if letter.isprintable() else "�" for letter in name)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"


def adjacency_text(network: ChordalNetwork, *, ascii_only: bool = False) -> str:
    """The adjacency matrix: one line per variable, columns headed by the variables' numbers.

    >>> from chordlearn.network import ChordalNetwork
    >>> print(adjacency_text(ChordalNetwork.from_edges(["smoke", "phys", "age"], [("smoke", "phys")])))
             1 2 3
    1 smoke  ╲ ● ·
    2 phys   ● ╲ ·
    3 age    · · ╲
    """
    edge, empty, diagonal = ("x", ".", "\\") if ascii_only else ("●", "·", "╲")
    names = [shown(name) for name in network.variables]
    n = len(names)
    digits = len(str(n))
    widest = max((len(name) for name in names), default=0)
    lines = [" " * (digits + widest + 3) + " ".join(f"{i + 1:>{digits}}" for i in range(n))]
    for i, (name, near) in enumerate(zip(names, network.graph, strict=True)):
        cells = (diagonal if i == j else edge if near >> j & 1 else empty for j in range(n))
        row = " ".join(f"{cell:>{digits}}" for cell in cells)
        lines.append(f"{i + 1:>{digits}} {name:<{widest}}  {row}")
    return "\n".join(lines)
