"""Upper bounds by linear programming on cuts that every chordal graph satisfies, and proofs by branching on edges."""

from chordlearn.cutting.branching import BranchAndCut, Network

__all__ = ["BranchAndCut", "Network"]
