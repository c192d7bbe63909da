"""Upper bounds by linear programs with cuts that chordal graphs satisfy; proofs by branching on edges."""

from chordlearn.bounds.branching import BranchAndCut, GivenCut, Prices, Step

__all__ = ["BranchAndCut", "GivenCut", "Prices", "Step"]
