"""HiGHS on an MPS file: ``python -m … FILE.mps THREADS``. Columns are the variables, in their order."""

from __future__ import annotations

import sys
from typing import Any

from chordlearn.backends.solvers.workers.printing import print_answer, print_end, print_lower


def main(path: str, threads: str) -> None:
    """Solve one file."""
    # Not at the top: OR-Tools brings a HiGHS of its own, and one process cannot hold both.
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", int(threads))
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 1e-7)
    highs.setOptionValue("mip_feasibility_tolerance", 1e-9)
    highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
    highs.readModel(path)
    printed = float("-inf")

    def on_solution(event: Any) -> None:
        solution = list(event.data_out.mip_solution)
        print_answer(event.data_out.objective_function_value, true_columns(solution), len(solution))

    def on_log(event: Any) -> None:
        nonlocal printed
        if printed < event.data_out.mip_dual_bound < float("inf"):
            printed = event.data_out.mip_dual_bound
            print_lower(printed)

    highs.cbMipImprovingSolution += on_solution
    highs.cbMipLogging += on_log
    highs.run()
    status = highs.getModelStatus()
    infeasible = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
    if status in infeasible:
        # Presolve sometimes takes a model for infeasible that is not.
        highs.setOptionValue("presolve", "off")
        highs.run()
        status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kOptimal:
        info = highs.getInfo()
        solution = list(highs.getSolution().col_value)
        print_answer(info.objective_function_value, true_columns(solution), len(solution))
        print_lower(max(printed, info.mip_dual_bound))
        print_end("OPTIMUM FOUND")
    else:
        print_end("UNSATISFIABLE" if status in infeasible else "UNKNOWN")


def true_columns(solution: list[float]) -> set[int]:
    """The columns, counted from 1, that are 1."""
    return {i for i, value in enumerate(solution, 1) if value > 0.5}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
