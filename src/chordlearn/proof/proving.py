"""The texts of a proof by bounds and a SAT solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chordlearn.certificate.proofs import claim as claims
from chordlearn.certificate.proofs.bounds import Case
from chordlearn.certificate.proofs.instance import build_instance, contradiction
from chordlearn.errors import ProofError, option
from chordlearn.problem.problem import Problem
from chordlearn.proof.casework import Casework, TooManyCases
from chordlearn.proof.hints import short_proof
from chordlearn.proof.scaling import Scaled
from chordlearn.proof.searching import find_cores, stop_after

FEW_SETS = 256
"""So many allowed sets all go into the instance; of more, bounds exclude some first."""
MANY_SETS = 2000
"""With more sets left, the instance is not worth trying."""


def prove(
    problem: Problem, scaled: Scaled, *, reduce: bool = True, deadline: float | None = None
) -> dict[str, str]:
    """The texts of bounds.txt and, if a case is left to the SAT solver, of the instance and its refutation.

    Raises ``ProofError`` at the deadline (of time.monotonic), or when the proof gets too long.
    """
    return _Prover(scaled, deadline).prove(_whole_case(problem), reduce)


def _whole_case(problem: Problem) -> Case:
    case = Case(np.isfinite(problem.values), (0,) * problem.n)
    for a, b in problem.required:
        case = case.with_edge(a, b)
    return case


class _Prover:
    def __init__(self, scaled: Scaled, deadline: float | None) -> None:
        self.scaled = scaled
        self.deadline = deadline
        self.tell: Callable[[float], None] = lambda _: stop_after(deadline)

    def prove(self, whole: Case, reduce: bool) -> dict[str, str]:
        if not reduce or int(whole.allowed.sum()) <= FEW_SETS:
            refuted = self._refute(whole)
            if refuted is not None:
                return _bounds(["open"]) | refuted
        if not reduce:
            raise ProofError(
                f"The SAT solver did not finish a proof with every set; "
                f"without {option('reduce', False)} it may be shorter."
            )
        casework = Casework(self.scaled.integers, self.scaled.threshold, self.tell)
        left = casework.exclude(whole, to_the_end=True)
        if left is None:
            return _bounds(casework.lines)
        if int(left.allowed.sum()) <= MANY_SETS:
            refuted = self._refute(left)
            if refuted is not None:
                return _bounds([*casework.lines, "open"]) | refuted
        try:
            casework.close(left)
        except TooManyCases:
            raise ProofError(
                f"The proof has more than the {casework.cases - 1} cases that are tried; "
                f"with fewer columns or a smaller {option('max_clique')} it is shorter."
            ) from None
        return _bounds(casework.lines)

    def _refute(self, case: Case) -> dict[str, str] | None:
        """The texts about the instance, None if it is too hard for the SAT solver."""
        instance = build_instance(self.scaled.integers, case)
        found = find_cores(instance, instance.best - self.scaled.threshold, self.tell, self.deadline)
        self.tell(0.0)
        if found is None:
            return None
        cores, learned = found
        stated, _ = contradiction(instance, cores)
        selectors = range(stated.variables - len(cores) + 1, stated.variables + 1)
        goals = [*((-selector,) for selector in selectors), ()]
        lemmas = short_proof(stated.clauses, [*learned, *goals], self.tell)
        return {
            claims.INSTANCE: "".join(f"{line}\n" for line in stated.lines()),
            claims.CORES: "".join(f"{core}\n" for core in cores),
            claims.LEMMAS: "".join(f"{lemma}\n" for lemma in lemmas),
        }


def _bounds(lines: list[str]) -> dict[str, str]:
    return {claims.BOUNDS: "".join(f"{line}\n" for line in lines)}
