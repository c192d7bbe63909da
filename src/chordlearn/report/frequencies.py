"""How often each edge came back in a bootstrap, from the JSON that it wrote."""

from __future__ import annotations

import os

from chordlearn.errors import InputError
from chordlearn.jsontext import parse_json, read_text

Frequencies = tuple[tuple[str, ...], dict[tuple[str, str], float]]


def read_frequencies(path: str | os.PathLike[str]) -> Frequencies:
    """The variables and the share of networks with each edge."""
    try:
        document = parse_json(read_text(path))
        variables = tuple(map(str, document["variables"]))
        shares = {(str(a), str(b)): float(share) for (a, b), share in map(_pair, document["edges"])}
    except (OSError, KeyError, TypeError, ValueError):
        raise InputError(
            f"The bootstrap {os.fspath(path)} is damaged; write it again with chordlearn bootstrap."
        ) from None
    if not {name for edge in shares for name in edge} <= set(variables):
        raise InputError(f"The bootstrap {os.fspath(path)} has edges of variables that it does not name.")
    return variables, shares


def _pair(entry: dict[str, object]) -> tuple[list[str], float]:
    edge, share = entry["edge"], entry["frequency"]
    if not isinstance(edge, list) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise ValueError
    return edge, share
