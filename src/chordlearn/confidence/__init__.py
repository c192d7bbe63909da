"""How sure each edge is: what it is worth to the score, and how often resampled data show it."""

from __future__ import annotations

from chordlearn.confidence.resampling import Bootstrap, Replicate, bootstrap
from chordlearn.confidence.strength import EdgeStrength, edge_strengths

__all__ = ["Bootstrap", "EdgeStrength", "Replicate", "bootstrap", "edge_strengths"]
