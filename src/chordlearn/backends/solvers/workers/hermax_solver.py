"""A solver of the package hermax: ``python -m … CLASS FILE.wcnf``."""

from __future__ import annotations

import sys

from pysat.formula import WCNF

from chordlearn.backends.solvers.workers.printing import print_answer, print_end, solve_unweighted


def main(name: str, path: str) -> None:
    """Solve one file with the class of that name."""
    from hermax import non_incremental

    formula = WCNF(from_file=path)
    if not formula.soft:
        solve_unweighted(formula)
        return
    solver = getattr(non_incremental, name)(formula=formula)
    if not solver.solve():
        print_end("UNSATISFIABLE")
        return
    true = {literal for literal in solver.get_model() if literal > 0}
    print_answer(solver.get_cost(), true, formula.nv)
    print_end("OPTIMUM FOUND")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
