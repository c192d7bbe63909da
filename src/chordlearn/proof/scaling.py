"""From real scores to the whole numbers of a proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chordlearn.certificate.proofs.scores import (
    LARGEST,
    Integers,
    Values,
    interactions,
    largest_error,
    score_of_network,
    threshold,
)
from chordlearn.certificate.proofs.sets import Flags
from chordlearn.errors import ProofError
from chordlearn.network.result import Result

KEPT_BACK = 0.25
"""The part of the tolerance that is not used up, for scores that another program rounds otherwise."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """The integer problem: scores, what they were multiplied by, and the score that nothing exceeds."""

    allowed: Flags
    integers: Integers
    factor: float
    threshold: int


def scale(result: Result, values: Values) -> Scaled:
    """Integers fine enough to prove the result within its tolerance."""
    tolerance = result.tolerance
    terms = max(1, 2 * len(result.variables) - 3)
    # Half a unit for each term then takes an eighth of the tolerance.
    factor = float(2.0 ** np.ceil(np.log2(4 * terms / tolerance)))
    exact = interactions(values) * factor
    finite = np.isfinite(exact)
    if np.abs(exact[finite]).max() > LARGEST:
        raise ProofError(
            f"The scores are too large for a proof to within {tolerance:g}; learn from fewer rows."
        )
    integers = np.zeros(len(exact), dtype=np.int64)
    integers[finite] = np.rint(exact[finite])
    error = largest_error(integers, values, factor)
    score = min(result.score, score_of_network(values, result.variables, result.to_dict()))
    used = (1 - KEPT_BACK) * tolerance
    highest = threshold(score, values, used, factor, error)
    return Scaled(finite, integers, factor, highest)
