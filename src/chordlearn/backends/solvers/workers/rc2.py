"""RC2 of PySAT, stratified, with core minimisation and exhaustion: ``python -m … FILE.wcnf``."""

from __future__ import annotations

import sys

from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

from chordlearn.backends.solvers.workers.printing import (
    print_answer,
    print_end,
    print_lower,
    solve_unweighted,
)


class PrintingRC2(RC2Stratified):  # type: ignore[misc]
    """RC2 that prints its bound after each core and its answer after each stratum."""

    def __init__(self, formula: WCNF) -> None:
        self.formula = formula
        self.cheapest = float("inf")
        super().__init__(formula, solver="g4", adapt=True, exhaust=True, minz=True, blo="full")

    def process_core(self) -> None:
        """Take a core into account."""
        super().process_core()
        print_lower(self.cost)

    def finish_level(self) -> None:
        """Close a stratum, whose model is an answer to the whole formula."""
        self.print_model(self.oracle.get_model() or [])
        super().finish_level()

    def print_model(self, internal: list[int]) -> None:
        """Say the answer in a model of the oracle if it is the cheapest so far."""
        outside = self.vmap.i2e
        true = {outside[literal] for literal in internal if literal > 0 and literal in outside}
        self.print_true(true)

    def print_true(self, true: set[int]) -> None:
        """Say the answer with these true variables if it is the cheapest so far."""
        cost = sum(
            weight
            for clause, weight in zip(self.formula.soft, self.formula.wght, strict=True)
            if not any((abs(literal) in true) == (literal > 0) for literal in clause)
        )
        if cost < self.cheapest:
            self.cheapest = cost
            print_answer(cost, true, self.formula.nv)


def main(path: str) -> None:
    """Solve one file."""
    formula = WCNF(from_file=path)
    if not formula.soft:
        solve_unweighted(formula)
        return
    solver = PrintingRC2(formula)
    model = solver.compute()
    if model is None:
        print_end("UNSATISFIABLE")
    else:
        solver.print_true({literal for literal in model if literal > 0})
        print_end("OPTIMUM FOUND")


if __name__ == "__main__":
    main(sys.argv[1])
