"""Colours that readers with any colour vision tell apart, after Okabe and Ito; never the only sign.

A second sign goes with each: the dash pattern of an outline, the shape of a marker, a written number.
"""

from __future__ import annotations

from collections.abc import Sequence

CLIQUE_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
DASHES = ((), (7, 3), (2, 2), (9, 3, 2, 3), (4, 4), (12, 4))
INK = "#1b1f24"
QUIET = "#6b7480"
EDGE = "#55606e"
SCORE_COLOUR = "#0072B2"
BOUND_COLOUR = "#D55E00"


def clique_colours(masks: Sequence[int]) -> tuple[int, ...]:
    """A number of a colour for each clique, such that cliques that share a variable differ where possible.

    >>> clique_colours([0b011, 0b110, 0b1000])
    (0, 1, 0)
    """
    chosen: list[int] = []
    for i, mask in enumerate(masks):
        used = [chosen[j] for j in range(i) if masks[j] & mask]
        chosen.append(min(range(len(CLIQUE_COLOURS)), key=lambda colour: (used.count(colour), colour)))
    return tuple(chosen)
