"""From the clauses that a solver learned to an LRAT proof: what is not needed is left out, hints are added.

The proof is read backwards from the empty clause. A learned clause that something later uses is checked by
unit propagation, which prefers clauses that are used already, and the clauses that the contradiction comes
from become its hints.
"""

from __future__ import annotations

from collections.abc import Sequence

from chordlearn.certificate.proofs.instance import Clause
from chordlearn.certificate.proofs.lrat import Lemma
from chordlearn.errors import BackendError
from chordlearn.proof.searching import stop_after


def short_proof(
    clauses: Sequence[Clause], learned: Sequence[Clause], deadline: float | None = None
) -> list[Lemma]:
    """An LRAT proof of the last learned clause; raises ``ProofError`` at the deadline (of time.monotonic).

    >>> [str(lemma) for lemma in short_proof([(1, 2), (-1, 2), (1, -2), (-1, -2)], [(2, 3), (2,), ()])]
    ['5 2 0 1 2 0', '6 0 5 3 4 0']
    """
    propagation = _Propagation([*clauses, *learned])
    first = len(clauses)
    last = first + len(learned) - 1
    used = {last}
    hints: dict[int, list[int]] = {}
    for number in range(last, first - 1, -1):
        if number not in used:
            continue
        stop_after(deadline)
        chain = propagation.refute(number)
        if chain is None:
            raise BackendError("The SAT solver learned a clause that does not follow, which is its defect.")
        hints[number] = chain
        used.update(chain)
        propagation.prefer(chain)
    numbers = {number: number + 1 for number in range(first)}
    lemmas: list[Lemma] = []
    for number in sorted(hints):
        numbers[number] = first + len(lemmas) + 1
        chain = [numbers[hint] for hint in hints[number]]
        lemmas.append(Lemma(numbers[number], tuple(learned[number - first]), tuple(chain)))
    return lemmas


class _Propagation:
    """Unit propagation with two watched literals, over the clauses before a given one."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = [list(dict.fromkeys(clause)) for clause in clauses]
        self.short = [number for number, clause in enumerate(self.clauses) if len(clause) < 2]
        self.preferred: dict[int, list[int]] = {}
        self.others: dict[int, list[int]] = {}
        self.is_preferred = [False] * len(clauses)
        for number, clause in enumerate(self.clauses):
            for literal in clause[:2] if len(clause) >= 2 else ():
                self.others.setdefault(literal, []).append(number)

    def prefer(self, numbers: Sequence[int]) -> None:
        """Let propagation look at these clauses first from now on."""
        for number in numbers:
            clause = self.clauses[number]
            if not self.is_preferred[number] and len(clause) >= 2:
                self.is_preferred[number] = True
                for literal in clause[:2]:
                    self.others[literal].remove(number)
                    self.preferred.setdefault(literal, []).append(number)

    def refute(self, limit: int) -> list[int] | None:
        """The clauses before this one, in order, from which it follows; None if propagation ends before."""
        self.limit = limit
        self.reasons: dict[int, int | None] = {-literal: None for literal in self.clauses[limit]}
        """The true literals, in the order they became so, and the clause that made them so."""
        self.trail = list(self.reasons)
        conflict = self._assert_short()
        if conflict is None:
            conflict = self._propagate()
        return None if conflict is None else self._chain(conflict)

    def _assert_short(self) -> int | None:
        for number in self.short:
            if number >= self.limit:
                break
            if not self.clauses[number] or not self._assign(self.clauses[number][0], number):
                return number
        return None

    def _assign(self, literal: int, number: int) -> bool:
        """Make a literal true; False if it is false."""
        if -literal in self.reasons:
            return False
        if literal not in self.reasons:
            self.reasons[literal] = number
            self.trail.append(literal)
        return True

    def _propagate(self) -> int | None:
        """The first clause found with no literal left, None at the end."""
        first, second = 0, 0
        while second < len(self.trail):
            while first < len(self.trail):
                conflict = self._visit(-self.trail[first], self.preferred)
                if conflict is not None:
                    return conflict
                first += 1
            conflict = self._visit(-self.trail[second], self.others)
            if conflict is not None:
                return conflict
            second += 1
        return None

    def _visit(self, false: int, watched: dict[int, list[int]]) -> int | None:
        """Look at the clauses that watch a literal which became false."""
        watching = watched.get(false)
        if not watching:
            return None
        reasons, kept, conflict = self.reasons, [], None
        for position, number in enumerate(watching):
            if number >= self.limit:
                # Clauses that came later are never looked at again.
                continue
            clause = self.clauses[number]
            if clause[0] == false:
                clause[0], clause[1] = clause[1], false
            if clause[0] in reasons:
                kept.append(number)
                continue
            for other in range(2, len(clause)):
                literal = clause[other]
                if -literal not in reasons:
                    clause[1], clause[other] = literal, false
                    watched.setdefault(literal, []).append(number)
                    break
            else:
                kept.append(number)
                if not self._assign(clause[0], number):
                    kept.extend(watching[position + 1 :])
                    conflict = number
                    break
        watched[false] = kept
        return conflict

    def _chain(self, conflict: int) -> list[int]:
        """The clauses that lead to a conflict, in the order of propagation."""
        needed = {-literal for literal in self.clauses[conflict]}
        chain = [conflict]
        for literal in reversed(self.trail):
            number = self.reasons[literal]
            if literal in needed and number is not None:
                chain.append(number)
                needed.update(-other for other in self.clauses[number] if other != literal)
        return chain[::-1]
