"""The learned network: its structure, its drawings."""

from chordlearn.network.chordal import ChordalNetwork, JunctionEdge
from chordlearn.network.text import adjacency_text

__all__ = ["ChordalNetwork", "JunctionEdge", "adjacency_text"]
