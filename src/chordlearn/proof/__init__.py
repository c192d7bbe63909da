"""Writing a proof of optimality that others can check."""

from chordlearn.proof.searching import LATE_PROOF
from chordlearn.proof.writing import (
    check_place,
    check_size,
    cuts_prove_best,
    write_proof,
    write_proof_by_cuts,
)

__all__ = [
    "LATE_PROOF",
    "check_place",
    "check_size",
    "cuts_prove_best",
    "write_proof",
    "write_proof_by_cuts",
]
