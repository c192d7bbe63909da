"""LRAT proofs: clauses, each with the earlier ones that make it follow by unit propagation.

A line is ``ID LITERALS 0 HINTS 0``. Suppose that all literals of the new clause are false; every hint, in
turn, must have all its literals false but one, which then must be true, and the last hint must have none
left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chordlearn.certificate.proofs.instance import Clause
from chordlearn.certificate.proofs.lines import numbers_in
from chordlearn.certificate.results.report import Failed


@dataclass(frozen=True)
class Lemma:
    """A clause that follows from earlier ones."""

    number: int
    clause: Clause
    hints: Clause

    def __str__(self) -> str:
        """The line of the file."""
        return " ".join(map(str, (self.number, *self.clause, 0, *self.hints, 0)))

    @property
    def drat(self) -> str:
        """The line of a DRAT file, which has no hints."""
        return " ".join(map(str, (*self.clause, 0)))


def read_lemmas(text: Sequence[str]) -> list[Lemma]:
    """The lemmas in a file.

    >>> read_lemmas(["4 1 -2 0 3 1 0"])
    [Lemma(number=4, clause=(1, -2), hints=(3, 1))]
    """
    lemmas = []
    for position, line in enumerate(text, start=1):
        numbers = numbers_in(line, f"line {position} of proof.lrat")
        if numbers.count(0) != 2 or numbers[-1] != 0 or numbers[0] <= 0:
            raise Failed(f"line {position} of proof.lrat is not a number, a clause and hints")
        middle = numbers.index(0)
        lemmas.append(Lemma(numbers[0], tuple(numbers[1:middle]), tuple(numbers[middle + 1 : -1])))
    return lemmas


def check_lemmas(clauses: Iterable[Clause], lemmas: Iterable[Lemma]) -> int:
    """Check that the lemmas derive the empty clause; returns how many there are.

    >>> check_lemmas([(1, 2), (-1,), (-2,)], [Lemma(4, (), (2, 1, 3))])
    1
    """
    known = dict(enumerate(clauses, start=1))
    for count, lemma in enumerate(lemmas, start=1):
        if lemma.number in known:
            raise Failed(f"the number {lemma.number} stands for two clauses of the proof")
        _follow(lemma, known)
        known[lemma.number] = lemma.clause
        if not lemma.clause:
            return count
    raise Failed("the proof does not reach the empty clause")


def _follow(lemma: Lemma, known: dict[int, Clause]) -> None:
    false = set(lemma.clause)
    for position, hint in enumerate(lemma.hints, start=1):
        clause = known.get(hint)
        if clause is None:
            raise Failed(f"clause {lemma.number} of the proof uses {hint}, which is not known by then")
        left = [literal for literal in clause if literal not in false]
        if not left:
            if position != len(lemma.hints):
                raise Failed(f"clause {lemma.number} of the proof goes on after it was proved")
            return
        if len(left) > 1:
            raise Failed(f"clause {lemma.number} of the proof does not follow: {hint} leaves a choice")
        # The one literal left is true, so its negation is false.
        false.add(-left[0])
    raise Failed(f"clause {lemma.number} of the proof does not follow from its hints")
