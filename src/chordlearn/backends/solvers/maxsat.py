"""MaxSAT solvers: RC2 of PySAT, those in the package hermax, SAT4J, and programs that read WCNF."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import ClassVar

from chordlearn.backends.base.registry import Availability
from chordlearn.backends.solvers.child import find_program, need_program, probe_package, probe_program
from chordlearn.backends.solvers.file_run import FileBackend, FileRun, worker
from chordlearn.encodings.languages import CLASSIC_WCNF
from chordlearn.errors import BackendError


class RC2(FileBackend):
    """RC2 of PySAT, stratified."""

    name = "maxsat:rc2"
    summary = "core-guided MaxSAT, RC2 of PySAT, stratified"
    package, how_to_get = "python-sat", "pip install python-sat"

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs RC2."""
        return worker("rc2", str(run.path))


class _ProgramOrHermax(FileBackend):
    """A program if one is found, else the solver of the same name in hermax."""

    package, how_to_get = "hermax", "pip install 'chordlearn[maxsat]'"
    programs: ClassVar[tuple[str, ...]] = ()
    variable: ClassVar[str]
    hermax_class: ClassVar[str]

    def probe(self) -> Availability:
        """The program or the package must be there."""
        program = probe_program(self.programs, self.variable, self.how_to_get)
        if program.available or os.environ.get(self.variable):
            return program
        package = probe_package(self.package, f"{self.how_to_get}, or put the program on PATH.")
        return Availability(
            package.available,
            version=f"hermax {package.version}" if package.available else "",
            reason=package.reason and f"{package.reason} {program.reason}",
            how_to_get=package.how_to_get,
        )

    def command(self, run: FileRun) -> list[str]:
        """The program on the file, or the worker that runs hermax."""
        program = find_program(self.programs, self.variable)
        if program is not None:
            run.details["solver"] = Path(program).name
            return [program, str(run.path)]
        return worker("hermax_solver", self.hermax_class, str(run.path))


class UWrMaxSat(_ProgramOrHermax):
    """UWrMaxSat."""

    name = "maxsat:uwrmaxsat"
    summary = "core-guided MaxSAT, UWrMaxSat"
    programs = ("uwrmaxsat",)
    variable = "CHORDLEARN_UWRMAXSAT"
    hermax_class = "UWrMaxSATCompetition"


class EvalMaxSat(_ProgramOrHermax):
    """EvalMaxSAT."""

    name = "maxsat:evalmaxsat"
    summary = "core-guided MaxSAT, EvalMaxSAT"
    programs = ("EvalMaxSAT", "EvalMaxSAT_bin", "evalmaxsat")
    variable = "CHORDLEARN_EVALMAXSAT"
    hermax_class = "EvalMaxSAT"


class OpenWbo(_ProgramOrHermax):
    """Open-WBO."""

    name = "maxsat:open-wbo"
    summary = "MaxSAT, Open-WBO"
    programs = ("open-wbo",)
    variable = "CHORDLEARN_OPEN_WBO"
    hermax_class = "OpenWBO"


class WMaxCdcl(_ProgramOrHermax):
    """WMaxCDCL."""

    name = "maxsat:wmaxcdcl"
    summary = "branch-and-bound MaxSAT with clause learning, WMaxCDCL"
    programs = ("wmaxcdcl",)
    variable = "CHORDLEARN_WMAXCDCL"
    hermax_class = "WMaxCDCL"


class CashwMaxSat(_ProgramOrHermax):
    """CASHWMaxSAT."""

    name = "maxsat:cashwmaxsat"
    summary = "core-guided MaxSAT, CASHWMaxSAT"
    programs = ("cashwmaxsat", "cashwmaxsatcoreplus")
    variable = "CHORDLEARN_CASHWMAXSAT"
    hermax_class = "CASHWMaxSAT"


class Sat4j(FileBackend):
    """SAT4J, in Java."""

    name = "maxsat:sat4j"
    summary = "MaxSAT on the Java virtual machine, SAT4J"
    language = CLASSIC_WCNF
    variable = "CHORDLEARN_SAT4J"
    limits_memory_itself = True  # Java reserves far more than it uses.
    how_to_get = f"Install it (Debian: apt install sat4j), or set {variable} to its class path."
    java: ClassVar[tuple[tuple[str], str]] = ("java",), "CHORDLEARN_JAVA"
    folders = (Path("/usr/share/java"), Path("/usr/local/share/java"))
    jars = ("org.ow2.sat4j.maxsat.jar", "org.ow2.sat4j.pb.jar", "org.ow2.sat4j.core.jar", "commons-cli.jar")

    def probe(self) -> Availability:
        """Java and the jars must be there."""
        java = probe_program(*self.java, "Install a Java runtime.")
        if not java.available:
            return java
        if self._class_path() is None:
            return Availability(False, reason="The jars of SAT4J were not found.", how_to_get=self.how_to_get)
        return Availability(True, version=self._version())

    def command(self, run: FileRun) -> list[str]:
        """Java with SAT4J's MaxSAT launcher."""
        java, class_path = need_program(*self.java), self._class_path()
        if class_path is None:
            raise BackendError(f"The jars of SAT4J were not found. {self.how_to_get}")
        run.details["solver"] = f"SAT4J {self._version()}".rstrip()
        memory = run.limits.memory_bytes
        heap = [f"-Xmx{max(64, memory // 2**20)}m"] if memory else []
        return [java, *heap, "-cp", class_path, "org.sat4j.maxsat.GenericOptLauncher", str(run.path)]

    def _class_path(self) -> str | None:
        named = os.environ.get(self.variable)
        folder = next((f for f in self.folders if all((f / jar).exists() for jar in self.jars)), None)
        return named or (os.pathsep.join(str(folder / jar) for jar in self.jars) if folder else None)

    def _version(self) -> str:
        found = (path for folder in self.folders for path in folder.glob("org.ow2.sat4j.maxsat-*.jar"))
        return next((path.stem.rpartition("-")[2] for path in found), "")


class Pwbo(FileBackend):
    """PWBO 2.2, the parallel solver of the paper."""

    name = "maxsat:pwbo"
    summary = "parallel MaxSAT, the program PWBO"
    language = CLASSIC_WCNF
    largest_total = 2**31 - 2
    """It adds weights up in 32 bits and says "Risk of overflow" beyond, as was seen with version 2.2; the
    weight of hard clauses is one more than the sum of all others."""
    programs, variable = ("pwbo", "pwbo2.2"), "CHORDLEARN_PWBO"
    how_to_get = f"Ask its authors, and set {variable} to its path."
    options: ClassVar[tuple[str, ...]] = ()
    longest_seconds = 10**6
    """Without a limit of its own it gives up after half an hour."""

    def command(self, run: FileRun) -> list[str]:
        """The program on the file."""
        program = need_program(self.programs, self.variable)
        run.details.setdefault("solver", run.version_of(program, "--help"))
        left = run.seconds_left
        seconds = self.longest_seconds if left is None else min(math.ceil(left) + 1, self.longest_seconds)
        # Several threads are refused where nothing has a weight.
        options = self.options if run.model.weights else ("-thread=1",)
        return [program, *options, f"-time-limit={seconds}", str(run.path)]


class PwboUb(Pwbo):
    """PWBO searching from upper bounds."""

    name = "maxsat:pwbo-ub"
    summary = "parallel MaxSAT from upper bounds, the program PWBO"
    options = ("-thread=1", "-search-mode=ub")


class Sat(FileBackend):
    """A SAT solver of PySAT, asked again and again."""

    name = "sat"
    summary = "the decision problem 'a score of at least t', with rising t, by Glucose of PySAT"
    package, how_to_get = "python-sat", "pip install python-sat"

    def command(self, run: FileRun) -> list[str]:
        """The worker that asks."""
        known = run.known_cost()
        return worker("sat_descent", str(run.path), *([] if known is None else [str(known)]))
