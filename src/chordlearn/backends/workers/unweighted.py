"""Formulas without weights, which some MaxSAT solvers do not expect."""

from __future__ import annotations

from pysat.formula import WCNF
from pysat.solvers import Solver

from chordlearn.backends.workers.speech import say_answer, say_end


def solve_unweighted(formula: WCNF) -> None:
    """Say any answer, since all cost nothing."""
    with Solver(name="cadical195", bootstrap_with=formula.hard) as solver:
        if not solver.solve():
            say_end("UNSATISFIABLE")
            return
        say_answer(0, {literal for literal in solver.get_model() if literal > 0}, formula.nv)
        say_end("OPTIMUM FOUND")
