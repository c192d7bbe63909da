"""CP-SAT on an OPB file: ``python -m … FILE.opb WORKERS SEED``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from ortools.sat.python import cp_model

from chordlearn.backends.solvers.workers.printing import print_answer, print_end, print_lower

TERM = re.compile(r"([+-]\d+) x(\d+)")
VARIABLES = re.compile(r"#variable= *(\d+)")


def read_opb(lines: Iterable[str], model: cp_model.CpModel) -> list[cp_model.IntVar]:
    """Add variables, constraints and objective of an OPB file to a model."""
    variables: list[cp_model.IntVar] = []
    for line in lines:
        if line.startswith("*"):
            if not variables and (found := VARIABLES.search(line)):
                variables = [model.new_bool_var(f"x{i}") for i in range(1, int(found.group(1)) + 1)]
            continue
        terms = [(int(value), variables[int(number) - 1]) for value, number in TERM.findall(line)]
        total = cp_model.LinearExpr.weighted_sum([v for _, v in terms], [c for c, _ in terms])
        if line.startswith("min:"):
            model.minimize(total)
        elif ">=" in line:
            add_at_least(model, terms, int(line.split(">=")[1].strip(" ;\n")))
        elif "=" in line:
            model.add(total == int(line.split("=")[1].strip(" ;\n")))
    return variables


def add_at_least(model: cp_model.CpModel, terms: list[tuple[int, cp_model.IntVar]], bound: int) -> None:
    """Add Σ coefficient · variable ≥ bound, as a clause where it is one."""
    negatives = sum(1 for value, _ in terms if value < 0)
    if all(abs(value) == 1 for value, _ in terms) and bound == 1 - negatives:
        model.add_bool_or([v if value > 0 else v.negated() for value, v in terms])
    else:
        total = cp_model.LinearExpr.weighted_sum([v for _, v in terms], [c for c, _ in terms])
        model.add(total >= bound)


class Printer(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
    """Says each better answer."""

    def __init__(self, variables: list[cp_model.IntVar]) -> None:
        super().__init__()
        self.variables = variables

    def on_solution_callback(self) -> None:
        """Say the answer."""
        true = {i for i, variable in enumerate(self.variables, 1) if self.boolean_value(variable)}
        print_answer(round(self.objective_value), true, len(self.variables))


def main(path: str, workers: str, seed: str) -> None:
    """Solve one file."""
    model = cp_model.CpModel()
    with Path(path).open(encoding="utf-8") as lines:
        variables = read_opb(lines, model)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = int(workers)
    solver.parameters.random_seed = int(seed)
    solver.best_bound_callback = lambda bound: print_lower(round(bound))
    status = solver.solve(model, Printer(variables))
    claims = {cp_model.OPTIMAL: "OPTIMUM FOUND", cp_model.INFEASIBLE: "UNSATISFIABLE"}
    print_end(claims.get(status, "UNKNOWN"))


if __name__ == "__main__":
    main(*sys.argv[1:4])
