"""Probabilities as every reader understands them."""

from __future__ import annotations

import numpy as np

from chordlearn.network.forest import Table


def decimal(probability: float) -> str:
    """All digits and no exponent, which some readers do not know.

    >>> decimal(1e-7), decimal(0.1), decimal(1.0)
    ('0.0000001', '0.1', '1.0')
    """
    return np.format_float_positional(probability, unique=True, trim="0")


def decimals(table: Table) -> list[str]:
    """The same for each number in a table, row by row."""
    return [decimal(number) for number in table.ravel().tolist()]
