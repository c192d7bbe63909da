"""How sure each edge is: its worth to the score, how often resampled data show it, and its probability."""

from __future__ import annotations

from chordlearn.analysis.deviance import ModelFit, model_fit
from chordlearn.analysis.edge_strength import EdgeStrength, edge_strengths
from chordlearn.analysis.independence import IndependenceTest
from chordlearn.analysis.network_sources import Probability
from chordlearn.analysis.posteriors import Posterior, posterior
from chordlearn.analysis.resampling import Bootstrap, Replicate, bootstrap

__all__ = [
    "Bootstrap",
    "EdgeStrength",
    "IndependenceTest",
    "ModelFit",
    "Posterior",
    "Probability",
    "Replicate",
    "bootstrap",
    "edge_strengths",
    "model_fit",
    "posterior",
]
