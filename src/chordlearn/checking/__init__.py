"""The check of a whole proof of optimality, without any code of the solver."""

from chordlearn.checking.checker import check_proof
from chordlearn.checking.claim import result_of

__all__ = ["check_proof", "result_of"]
