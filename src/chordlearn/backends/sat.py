"""Plain SAT: is there a network with a score of at least t? Bisection finds the largest t."""

from __future__ import annotations

from chordlearn.backends.file_run import FileBackend, FileRun
from chordlearn.backends.maxsat import WORKERS, probe_package
from chordlearn.backends.programs import python_command
from chordlearn.backends.registry import Availability


class Sat(FileBackend):
    """A SAT solver of PySAT, asked again and again."""

    name = "sat"
    summary = "the decision problem 'a score of at least t', with bisection, by CaDiCaL of PySAT"

    def probe(self) -> Availability:
        """The Python package python-sat must be there."""
        return probe_package("python-sat", "pip install python-sat")

    def command(self, run: FileRun) -> list[str]:
        """The worker that bisects."""
        known = run.known_cost()
        start = [] if known is None else [str(known)]
        return python_command("-m", f"{WORKERS}.sat_bisection", str(run.path), *start)
