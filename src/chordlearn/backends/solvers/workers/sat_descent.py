"""MaxSAT with a SAT solver: ``python -m … FILE.wcnf [COST]``, COST being that of a known answer.

An answer that costs less is asked for until there is none. The sum of the weights is a polynomial watchdog
(Bailleux, Boufkhad, Roussel 2009): for each bit the literals whose weight has it are sorted, with every
second output of the bit below as carries, so that unit propagation sees when a sum is too large. A number
that is added, chosen by assumptions, makes the outputs of the highest bit serve any cost (Paxian, Reimer,
Becker 2018).
"""

from __future__ import annotations

import sys

from pysat.formula import WCNF
from pysat.solvers import Solver

from chordlearn.backends.solvers.workers.printing import print_answer, print_end, print_lower

MOST_CLAUSES = 20_000_000
"""More would take gigabytes."""


class Watchdog:
    """Says for any cost that the true ones of some weighted literals cost no more."""

    def __init__(self, solver: Solver, last: int, weighted: list[tuple[int, int]]) -> None:
        self.solver = solver
        self.last = last
        self.bits = max(weight for _, weight in weighted).bit_length()
        self.added = [self.new() for _ in range(self.bits - 1)]
        """The bits of the number that is added, lowest first."""
        carries: list[int] = []
        for bit in range(self.bits):
            literals = [literal for literal, weight in weighted if weight >> bit & 1]
            self.outputs = self.merged(self.sorted([*literals, *self.added[bit : bit + 1]]), carries)
            carries = self.outputs[1::2]

    def new(self) -> int:
        """A new variable."""
        self.last += 1
        return self.last

    def sorted(self, literals: list[int]) -> list[int]:
        """As many outputs: the k-th is true if k of the literals are."""
        if len(literals) < 2:
            return literals
        half = len(literals) // 2
        return self.merged(self.sorted(literals[:half]), self.sorted(literals[half:]))

    def merged(self, first: list[int], second: list[int]) -> list[int]:
        """Two sorted lists as one."""
        if not first or not second:
            return first or second
        merged = [self.new() for _ in range(len(first) + len(second))]
        for i in range(len(first) + 1):
            for j in range(len(second) + 1):
                if i + j:
                    inputs = [*first[i - 1 : i], *second[j - 1 : j]]
                    self.solver.add_clause([*(-literal for literal in inputs), merged[i + j - 1]])
        return merged

    def at_most(self, cost: int) -> list[int]:
        """Assumptions under which the true literals cost no more."""
        unit = 1 << (self.bits - 1)
        forbidden, rest = divmod(cost, unit)
        add = unit - 1 - rest
        bits = [variable if add >> bit & 1 else -variable for bit, variable in enumerate(self.added)]
        return [*bits, *(-output for output in self.outputs[forbidden : forbidden + 1])]


def clauses_needed(weighted: list[tuple[int, int]]) -> int:
    """About how many clauses a watchdog takes."""
    total = carries = 0
    for bit in range(max(weight for _, weight in weighted).bit_length()):
        literals = sum(weight >> bit & 1 for _, weight in weighted) + 1
        total += literals**2 // 2 + literals * carries
        carries = (literals + carries) // 2
    return total


def main(path: str, known: int | None) -> None:
    """Solve one file."""
    formula = WCNF(from_file=path)
    weighted = [(-clause[0], weight) for clause, weight in zip(formula.soft, formula.wght, strict=True)]
    weighted.sort(key=lambda pair: -pair[1])
    if weighted and clauses_needed(weighted) > MOST_CLAUSES:
        sys.exit(f"The sum of {len(weighted):,} weights takes more than {MOST_CLAUSES:,} clauses.")
    with Solver(name="glucose4", bootstrap_with=formula.hard) as solver:
        watchdog = Watchdog(solver, formula.nv, weighted) if weighted else None
        solver.set_phases([-literal for literal, _ in weighted])
        asked, answered = known, False
        while solver.solve(assumptions=watchdog.at_most(asked) if watchdog and asked is not None else []):
            true = {literal for literal in solver.get_model() if 0 < literal <= formula.nv}
            cost = sum(weight for literal, weight in weighted if (abs(literal) in true) == (literal > 0))
            print_answer(cost, true, formula.nv)
            asked, answered = cost - 1, True
            if not cost:
                break
        if answered:
            print_lower(asked + 1 if asked is not None else 0)
        print_end("OPTIMUM FOUND" if answered else "UNSATISFIABLE")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
