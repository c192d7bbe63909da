"""How sure each edge is: what it is worth to the score, and how often resampled data show it."""

from __future__ import annotations

from chordlearn.analysis.edge_strength import EdgeStrength, edge_strengths
from chordlearn.analysis.resampling import Bootstrap, Replicate, bootstrap

__all__ = ["Bootstrap", "EdgeStrength", "Replicate", "bootstrap", "edge_strengths"]
