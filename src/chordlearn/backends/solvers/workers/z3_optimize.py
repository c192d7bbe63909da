"""z3 on SMT-LIB 2 with one objective to maximise: ``python -m … FILE.smt2 NAMES``.

NAMES lists the variables to report, one per line.
"""

from __future__ import annotations

import sys
from pathlib import Path

import z3

from chordlearn.backends.solvers.workers.printing import print_answer, print_end


def main(path: str, names_path: str) -> None:
    """Solve one file."""
    names = Path(names_path).read_text(encoding="utf-8").split()
    variables = [z3.Bool(name) for name in names]
    optimize = z3.Optimize()
    optimize.set("maxsat_engine", "wmax")
    optimize.from_file(path)
    (objective,) = optimize.objectives()

    def report(model: z3.ModelRef) -> None:
        true = {i for i, variable in enumerate(variables, 1) if z3.is_true(model.eval(variable))}
        # z3 keeps objectives to maximise as negated ones to minimise.
        cost = model.eval(objective, model_completion=True).as_fraction()
        print_answer(float(cost), true, len(variables))

    optimize.set_on_model(report)
    verdict = optimize.check()
    if verdict == z3.sat:
        report(optimize.model())
        print_end("OPTIMUM FOUND")
    else:
        print_end("UNSATISFIABLE" if verdict == z3.unsat else "UNKNOWN")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
