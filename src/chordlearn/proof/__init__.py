"""Writing a proof of optimality that others can check."""

from chordlearn.proof.writing import check_place, write_proof

__all__ = ["check_place", "write_proof"]
