"""The check of a whole proof of optimality, without any code of the solver."""

from chordlearn.certificate.proofs.claim import result_of
from chordlearn.certificate.proofs.proof_checker import check_proof

__all__ = ["check_proof", "result_of"]
