"""Linear constraints as clauses, by sequential counters (Sinz 2005).

A counter reads literals one after the other and keeps in unary how many were true: register j after the
i-th literal says "at least j of the first i". A coefficient k makes its literal count k times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chordlearn.encodings.model import Linear

NewVariable = Callable[[], int]
AddClause = Callable[[Sequence[int]], None]


def translate(constraint: Linear, new_variable: NewVariable, add_clause: AddClause) -> None:
    """Write a linear constraint as clauses with new variables.

    >>> clauses = []
    >>> translate(Linear((1, 1), (1, 2), "<=", 1), lambda: 3, clauses.append)
    >>> clauses
    [[-1, 3], [-2, -3]]
    """
    guard = () if constraint.condition is None else (-constraint.condition,)
    counters = _Counters(new_variable, add_clause, lambda clause: add_clause([*guard, *clause]))
    gains, losses = _unary(constraint)
    if losses:
        counters.compare_difference(gains, losses, constraint)
        return
    if constraint.relation in (">=", "="):
        counters.at_least(gains, constraint.bound)
    if constraint.relation in ("<=", "="):
        counters.at_most(gains, constraint.bound)


def _unary(constraint: Linear) -> tuple[list[int], list[int]]:
    """The literals with positive and those with negative coefficients, each as often as it counts."""
    gains: list[int] = []
    losses: list[int] = []
    for coefficient, literal in zip(constraint.coefficients, constraint.literals, strict=True):
        (gains if coefficient > 0 else losses).extend([literal] * abs(coefficient))
    return gains, losses


@dataclass(frozen=True)
class _Counters:
    """Registers hold whatever a condition says (``always``); only ``demand`` depends on it."""

    new_variable: NewVariable
    always: AddClause
    demand: AddClause

    def at_most(self, literals: list[int], bound: int) -> None:
        if bound < 0:
            self.demand([])
        elif bound == 0:
            for literal in literals:
                self.demand([-literal])
        elif bound < len(literals):
            registers: list[int] = []
            for position, literal in enumerate(literals):
                if position >= bound:
                    self.demand([-literal, -registers[-1]])
                if position + 1 < len(literals):
                    registers = self.step(registers, literal, bound, up=True, down=False)

    def at_least(self, literals: list[int], bound: int) -> None:
        if bound == 1:
            self.demand(literals)
        elif bound > 1:
            self.at_most([-literal for literal in literals], len(literals) - bound)

    def step(self, registers: list[int], literal: int, width: int, *, up: bool, down: bool) -> list[int]:
        """The registers after one more literal; counts beyond the width are not kept.

        ``up``: a count makes its register true. ``down``: a true register stands for a count.
        """
        following = [self.new_variable() for _ in range(min(len(registers) + 1, width))]
        for j, register in enumerate(following):
            kept = [registers[j]] if j < len(registers) else []
            carry = [registers[j - 1]] if j else []
            if up:
                for before in kept:
                    self.always([-before, register])
                self.always([-literal, *(-before for before in carry), register])
            if down:
                self.always([-register, *kept, literal])
                for before in carry:
                    self.always([-register, *kept, before])
        return following

    def count(self, literals: list[int], most: int, *, up: bool, down: bool) -> list[int]:
        """The registers after all literals; demands that no more than ``most`` are true."""
        registers: list[int] = []
        for position, literal in enumerate(literals):
            if position >= most:
                self.demand([-literal, *(-register for register in registers[-1:])])
            registers = self.step(registers, literal, most, up=up or len(literals) > most, down=down)
        return registers

    def compare_difference(self, gains: list[int], losses: list[int], constraint: Linear) -> None:
        """Compare two counters: gains − losses with the bound."""
        bound = constraint.bound
        at_most = constraint.relation in ("<=", "=")
        at_least = constraint.relation in (">=", "=")
        most_gains, most_losses = len(gains), len(losses)
        if constraint.most is not None:
            most_gains = min(most_gains, constraint.most)
            if at_least:
                most_losses = min(most_losses, max(0, most_gains - bound))
        gained = self.count(gains, most_gains, up=at_most, down=at_least)
        lost = self.count(losses, most_losses, up=at_least, down=at_most)
        if at_most:
            for j in range(max(bound, 0) + 1, len(gained) + 1):
                self.imply(gained[j - 1], lost, j - bound)
            for j in range(1, -bound + 1):
                self.imply(None, lost, j)
        if at_least:
            for j in range(max(-bound, 0) + 1, len(lost) + 1):
                self.imply(lost[j - 1], gained, j + bound)
            for j in range(1, bound + 1):
                self.imply(None, gained, j)

    def imply(self, premise: int | None, registers: list[int], count: int) -> None:
        """If the premise holds, the counter with these registers has reached the count."""
        conclusion = [registers[count - 1]] if count <= len(registers) else []
        self.demand([*(() if premise is None else (-premise,)), *conclusion])
