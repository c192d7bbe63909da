"""Constraint programming: CP-SAT of OR-Tools."""

from __future__ import annotations

from chordlearn.backends.file_run import FileBackend, FileRun
from chordlearn.backends.maxsat import WORKERS, probe_package
from chordlearn.backends.programs import python_command
from chordlearn.backends.registry import Availability
from chordlearn.encodings.languages import OPB


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
        limits = run.standing.limits
        return python_command("-m", f"{WORKERS}.cp_sat", str(run.path), str(limits.threads), str(limits.seed))
