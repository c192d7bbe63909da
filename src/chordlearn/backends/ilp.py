"""Integer linear programming: HiGHS."""

from __future__ import annotations

from chordlearn.backends.file_run import FileBackend, FileRun
from chordlearn.backends.maxsat import WORKERS, probe_package
from chordlearn.backends.programs import python_command
from chordlearn.backends.registry import Availability
from chordlearn.encodings.languages import MPS


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
        return python_command("-m", f"{WORKERS}.highs", str(run.path), str(run.standing.limits.threads))
