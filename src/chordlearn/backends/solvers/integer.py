"""Integer programming: CP-SAT of OR-Tools, and HiGHS."""

from __future__ import annotations

from chordlearn.backends.solvers.file_run import FileBackend, FileRun, worker
from chordlearn.encodings.languages import MPS, OPB


class CpSat(FileBackend):
    """CP-SAT."""

    name = "cp:cp-sat"
    summary = "constraint programming, CP-SAT of OR-Tools"
    language = OPB
    package, how_to_get = "ortools", "pip install 'chordlearn[cp]'"

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs CP-SAT."""
        return worker("cp_sat", str(run.path), str(run.limits.threads), str(run.limits.seed))


class Highs(FileBackend):
    """HiGHS."""

    name = "ilp:highs"
    summary = "integer linear programming with real scores, HiGHS"
    language = MPS
    bound_error = 1e-7
    package, how_to_get = "highspy", "pip install 'chordlearn[ilp]'"

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs HiGHS."""
        return worker("highs", str(run.path), str(run.limits.threads))
