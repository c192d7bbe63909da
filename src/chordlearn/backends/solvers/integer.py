"""Integer programming: CP-SAT of OR-Tools, and HiGHS."""

from __future__ import annotations

from chordlearn.backends.base.registry import Availability
from chordlearn.backends.solvers.child import python_command
from chordlearn.backends.solvers.file_run import FileBackend, FileRun
from chordlearn.backends.solvers.maxsat import WORKERS, probe_package
from chordlearn.encodings.languages import MPS, OPB


class CpSat(FileBackend):
    """CP-SAT."""

    name = "cp:cp-sat"
    summary = "constraint programming, CP-SAT of OR-Tools"
    language = OPB

    def probe(self) -> Availability:
        """The Python package ortools must be there."""
        return probe_package("ortools", "pip install 'chordlearn[cp]'")

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs CP-SAT."""
        limits = run.limits
        return python_command("-m", f"{WORKERS}.cp_sat", str(run.path), str(limits.threads), str(limits.seed))


class Highs(FileBackend):
    """HiGHS."""

    name = "ilp:highs"
    summary = "integer linear programming with real scores, HiGHS"
    language = MPS
    bound_error = 1e-7

    def probe(self) -> Availability:
        """The Python package highspy must be there."""
        return probe_package("highspy", "pip install 'chordlearn[ilp]'")

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs HiGHS."""
        return python_command("-m", f"{WORKERS}.highs", str(run.path), str(run.limits.threads))
