"""MaxSAT by bisection with a SAT solver: ``python -m … FILE.wcnf [COST]``, COST being that of a known answer.

The weights of violated soft literals are added up by a network of binary adders, whose output bits are
compared with the cost asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from pysat.formula import WCNF
from pysat.solvers import Solver

from chordlearn.backends.solvers.workers.printing import say_answer, say_end, say_lower

AddClause = Callable[[list[int]], None]


class Adders:
    """Adds weighted literals in binary."""

    def __init__(self, top: int, add_clause: AddClause) -> None:
        self.top = top
        self.add_clause = add_clause

    def new(self) -> int:
        """A new variable."""
        self.top += 1
        return self.top

    def full(self, a: int, b: int, c: int) -> tuple[int, int]:
        """Sum and carry of three bits."""
        total, carry = self.new(), self.new()
        for x, y, z in ((a, b, c), (a, -b, -c), (-a, b, -c), (-a, -b, c)):
            self.add_clause([-x, -y, -z, total])
            self.add_clause([x, y, z, -total])
        for x, y in ((a, b), (a, c), (b, c)):
            self.add_clause([-x, -y, carry])
            self.add_clause([x, y, -carry])
        return total, carry

    def half(self, a: int, b: int) -> tuple[int, int]:
        """Sum and carry of two bits."""
        total, carry = self.new(), self.new()
        for clause in ([-a, -b, -total], [a, b, -total], [-a, b, total], [a, -b, total]):
            self.add_clause(clause)
        for clause in ([-a, -b, carry], [a, -carry], [b, -carry]):
            self.add_clause(clause)
        return total, carry

    def add(self, weighted: list[tuple[int, int]]) -> list[int]:
        """The bits of Σ weight · literal, lowest first."""
        width = sum(weight for _, weight in weighted).bit_length()
        columns: list[list[int]] = [[] for _ in range(width + 1)]
        for literal, weight in weighted:
            for bit in range(weight.bit_length()):
                if weight >> bit & 1:
                    columns[bit].append(literal)
        bits = []
        for position in range(width):
            column = columns[position]
            while len(column) > 1:
                taken, column = column[:3], column[3:]
                total, carry = self.full(*taken) if len(taken) == 3 else self.half(*taken)
                column.append(total)
                columns[position + 1].append(carry)
            if not column:
                zero = self.new()
                self.add_clause([-zero])
                column = [zero]
            bits.append(column[0])
        return bits


def forbid_more(bits: list[int], cost: int, condition: int, add_clause: AddClause) -> None:
    """Under the condition, the number in the bits is at most the cost."""
    for position, bit in enumerate(bits):
        if not cost >> position & 1:
            higher = [-bits[j] for j in range(position + 1, len(bits)) if cost >> j & 1]
            add_clause([-condition, -bit, *higher])


def main(path: str, known: int | None) -> None:
    """Solve one file."""
    formula = WCNF(from_file=path)
    with Solver(name="cadical195", bootstrap_with=formula.hard) as solver:
        soft = [(clause[0], weight) for clause, weight in zip(formula.soft, formula.wght, strict=True)]
        adders = Adders(formula.nv, solver.add_clause)
        bits = adders.add([(-literal, weight) for literal, weight in soft])
        lower = 0
        # Until there is an answer, one at the known cost is worth asking for first.
        upper, asked = None, known
        while upper is None or lower < upper:
            assumptions = []
            if asked is not None:
                condition = adders.new()
                forbid_more(bits, asked, condition, solver.add_clause)
                assumptions = [condition]
            if solver.solve(assumptions=assumptions):
                true = {literal for literal in solver.get_model() if 0 < literal <= formula.nv}
                upper = sum(weight for literal, weight in soft if (abs(literal) in true) != (literal > 0))
                say_answer(upper, true, formula.nv)
            elif asked is None:
                say_end("UNSATISFIABLE")
                return
            else:
                lower = asked + 1
                say_lower(lower)
            asked = None if upper is None else (lower + upper - 1) // 2
        say_end("OPTIMUM FOUND")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
