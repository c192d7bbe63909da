"""What a worker prints, line by line, at once; and formulas without weights, which need no MaxSAT solver."""

from __future__ import annotations

from collections.abc import Collection

from pysat.formula import WCNF
from pysat.solvers import Solver


def print_answer(cost: float, true: Collection[int], count: int) -> None:
    """A better answer: its cost, and the true ones of so many variables."""
    print(f"o {cost}")
    print("v " + "".join("1" if variable in true else "0" for variable in range(1, count + 1)))
    # The line after an answer says that it is whole.
    print("c", flush=True)


def print_lower(bound: float) -> None:
    """A bound: no answer costs less."""
    print(f"c lower {bound}", flush=True)


def print_end(claim: str) -> None:
    """The result of the run: OPTIMUM FOUND, UNSATISFIABLE or UNKNOWN."""
    print(f"s {claim}", flush=True)


def solve_unweighted(formula: WCNF) -> None:
    """Say any answer, since all cost nothing."""
    with Solver(name="cadical195", bootstrap_with=formula.hard) as solver:
        if not solver.solve():
            print_end("UNSATISFIABLE")
            return
        print_answer(0, {literal for literal in solver.get_model() if literal > 0}, formula.nv)
        print_end("OPTIMUM FOUND")
