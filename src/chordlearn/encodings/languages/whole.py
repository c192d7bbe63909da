"""Integer weights, for languages that know no others."""

from __future__ import annotations

from chordlearn.errors import InputError


def whole(weight: float) -> int:
    """The weight as an integer; refuses one that is none.

    >>> whole(3.0)
    3
    """
    if weight != int(weight):
        raise InputError(
            f"This language takes integer weights only, but one is {weight}; scale the scores first."
        )
    return int(weight)
