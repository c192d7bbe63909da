"""Programs that know nothing of chordlearn, run on the files it writes."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def solve_wcnf(path: Path) -> str:
    """What RC2 finds, through PySAT's reader of WCNF."""
    from pysat.examples.rc2 import RC2, RC2Stratified
    from pysat.formula import WCNF

    formula = WCNF(from_file=str(path))
    # Stratified, it fails on a formula without soft clauses.
    kind = RC2Stratified if formula.soft else RC2
    with kind(formula, solver="g4", adapt=True, exhaust=True, minz=True) as solver:
        answer = solver.compute()
    if answer is None:
        return "s UNSATISFIABLE\n"
    return f"s OPTIMUM FOUND\nv {' '.join(map(str, answer))} 0\n"


def solve_lp(folder: Path, program: str) -> str:
    """What clingo prints for the program, its last answer only."""
    (folder / "program.lp").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "clingo", "program.lp", "--quiet=1"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600).stdout


def solve_smt2(path: Path) -> str:
    """What z3 prints."""
    pytest.importorskip("z3")
    program = shutil.which("z3") or Path(sys.executable).with_name("z3")
    return subprocess.run(
        [program, "opt.maxsat_engine=rc2", path], capture_output=True, text=True, timeout=600
    ).stdout


def solve_mps(path: Path) -> str:
    """The solution file that HiGHS writes."""
    highspy = pytest.importorskip("highspy")
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 1e-9)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.run()
    solution = path.with_suffix(".sol")
    highs.writeSolution(str(solution), 0)
    return solution.read_text()


CP_SAT = """
import sys
from ortools.linear_solver.python import model_builder
for path in sys.argv[1:]:
    model = model_builder.Model()
    assert model.import_from_mps_file(path)
    solver = model_builder.Solver("sat")
    status = solver.solve(model).name
    print("status", status)
    if status == "OPTIMAL":
        for variable in model.get_variables():
            print(variable.name, solver.value(variable))
    print("---")
"""


def solve_mps_by_cp_sat(paths: list[Path]) -> list[str]:
    """What CP-SAT finds in each file, through OR-Tools' own reader of MPS.

    In a process of its own: OR-Tools and highspy each bring a HiGHS, and the two do not go together.
    """
    if importlib.util.find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed")
    command = [sys.executable, "-c", CP_SAT, *map(str, paths)]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout
    return printed.split("---\n")[:-1]


def solve_opb(path: Path) -> str:
    """What SAT4J prints."""
    jars = [
        Path("/usr/share/java") / f"{name}.jar" for name in ("org.sat4j.core", "org.sat4j.pb", "commons-cli")
    ]
    if not all(jar.is_file() for jar in jars):
        pytest.skip("SAT4J is not installed")
    command = ["java", "-cp", ":".join(map(str, jars)), "org.sat4j.pb.LanceurPseudo2007", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600).stdout
