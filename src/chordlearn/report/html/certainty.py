"""How sure the edges are, for the report: probabilities over all networks, and bootstrap frequencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from chordlearn.analysis import Bootstrap, Posterior
from chordlearn.network.result import Result
from chordlearn.network.scenes import printable, shortened

PROBABILITY = "posterior probability"
FREQUENCY = "bootstrap frequency"
LEAST_SHOWN = 0.05
"""Pairs that have more are shown though the best network does not join them."""
MOST_IN_HEATMAP = 40
"""Variables."""
LONGEST_LABEL = 18
CELL, LETTER = 22, 7.0
TINT = "#2f6fb5"

Shares = Mapping[tuple[str, str], float]


def certainty(result: Result, posterior: Posterior | None, bootstrap: Bootstrap | None) -> dict[str, Any]:
    """The parts of the explorer's document: weights of edges, pairs that are dashed, and a section.

    >>> import chordlearn as cl
    >>> found = certainty(cl.learn("heart"), cl.posterior("heart"), None)
    >>> len(found["likely"]), found["weights"][0]["name"]
    (4, 'posterior probability')
    """
    known: dict[str, Shares] = {}
    if posterior is not None:
        known[PROBABILITY] = {edge: p.value for edge, p in posterior.edges.items()}
    if bootstrap is not None:
        known[FREQUENCY] = bootstrap.edges
    if not known:
        return {}
    of_pair = {
        name: {frozenset(edge): share for edge, share in shares.items()} for name, shares in known.items()
    }
    joined = {frozenset(edge) for edge in result.edges}
    main = next(iter(of_pair.values()))
    place = {name: i for i, name in enumerate(result.variables)}
    likely = {pair: share for pair, share in main.items() if share > LEAST_SHOWN and pair not in joined}
    shown = sorted({*joined, *likely}, key=lambda pair: -main.get(pair, 0.0))
    rows = [
        [
            " – ".join(printable(name) for name in sorted(pair, key=place.__getitem__)),
            *(f"{shares.get(pair, 0.0):.4f}" for shares in of_pair.values()),
            "yes" if pair in joined else "no",
        ]
        for pair in shown
    ]
    parts: list[dict[str, Any]] = [{"heads": ["edge", *known, "in the best network"], "rows": rows}]
    if len(place) <= MOST_IN_HEATMAP:
        parts += [
            {"caption": name, "svg": heatmap_svg(result.variables, shares, name)}
            for name, shares in known.items()
        ]
    hint = "Probabilities weigh all networks. " if posterior is not None else ""
    hint += "Frequencies are of the best networks of resampled rows. " if bootstrap is not None else ""
    hint += posterior.note if posterior is not None else ""
    return {
        "weights": [
            {"name": name, "values": [shares.get(frozenset(edge), 0.0) for edge in result.edges]}
            for name, shares in of_pair.items()
        ],
        "likely": [
            {"edge": sorted(place[name] for name in pair), "probability": share}
            for pair, share in likely.items()
        ],
        "section": {"id": "sure", "title": "How sure", "hint": printable(hint.strip()), "parts": parts},
    }


def heatmap_svg(variables: Sequence[str], shares: Shares, title: str) -> str:
    """A triangle with a tinted cell for each pair.

    >>> svg = heatmap_svg("abc", {("a", "b"): 0.9}, "share")
    >>> svg.count("<rect"), "a – b: 0.90" in svg
    (3, True)
    """
    labels = [shortened(printable(name), LONGEST_LABEL) for name in variables]
    room, count = max(map(len, labels)) * LETTER + 8, len(labels)
    width, height = room + CELL * count, room + CELL * count
    of_pair = {frozenset(edge): share for edge, share in shares.items()}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="heatmap" role="img" aria-label="{escape(title)}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        'font-size="12" fill="currentColor" font-family="Helvetica Neue, Arial, sans-serif">'
    ]
    for i, label in enumerate(labels):
        middle = (i + 0.5) * CELL
        parts.append(
            f'<text x="{room - 6:.1f}" y="{middle + 4:.1f}" text-anchor="end">{escape(label)}</text>'
        )
        at = f"{room + middle + 4:.1f} {count * CELL + 6}"
        parts.append(
            f'<text transform="translate({at}) rotate(-90)" text-anchor="end">{escape(label)}</text>'
        )
        for j in range(i):
            share = of_pair.get(frozenset((variables[i], variables[j])), 0.0)
            about = escape(f"{printable(variables[j])} – {printable(variables[i])}: {share:.2f}")
            parts.append(
                f'<rect x="{room + j * CELL:.1f}" y="{i * CELL}" width="{CELL - 1}" height="{CELL - 1}" '
                f'fill="{TINT}" fill-opacity="{0.04 + 0.96 * share:.3f}"><title>{about}</title></rect>'
            )
    return "".join([*parts, "</svg>"])
