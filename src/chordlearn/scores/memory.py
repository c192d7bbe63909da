"""How many variables a dense score table may have in the memory there is."""

from __future__ import annotations

from chordlearn.limits import available_bytes

_MOST_VARIABLES = 30
"""Beyond this a table of all sets is out of reach of any solver, whatever the memory."""


def most_variables(tables: int = 1) -> int:
    """Most variables for which so many dense tables take no more than half the available memory."""
    entries = int(available_bytes() / 2 / 8 / tables)
    return max(1, min(_MOST_VARIABLES, entries.bit_length() - 1))
