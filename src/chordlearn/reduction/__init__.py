"""Bounds that exclude sets of variables before any solver sees them."""

from chordlearn.reduction.candidates import (
    Candidates,
    all_candidates,
    reduce_candidates,
    tighten_candidates,
)

__all__ = ["Candidates", "all_candidates", "reduce_candidates", "tighten_candidates"]
