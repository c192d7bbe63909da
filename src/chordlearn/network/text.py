"""The graph as text for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chordlearn.showing import shown

if TYPE_CHECKING:
    from chordlearn.network.chordal import ChordalNetwork


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
