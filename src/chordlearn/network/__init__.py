"""The learned network: its structure, its tables, its drawings."""

from chordlearn.network.chordal import ChordalNetwork, JunctionEdge
from chordlearn.network.distribution import Distribution
from chordlearn.network.fitted import Explanation, FittedNetwork
from chordlearn.network.parameters import Estimation

__all__ = [
    "ChordalNetwork",
    "Distribution",
    "Estimation",
    "Explanation",
    "FittedNetwork",
    "JunctionEdge",
]
