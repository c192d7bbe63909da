"""SMT solvers, which keep the scores real: z3, and the program OptiMathSAT."""

from __future__ import annotations

from collections.abc import Callable, Collection

from chordlearn.backends.solvers.child import need_program
from chordlearn.backends.solvers.file_run import FileBackend, FileRun, worker
from chordlearn.encodings.answers import Answers, SmtAnswers
from chordlearn.encodings.languages import OPTIMATHSAT, SMTLIB


class Z3(FileBackend):
    """z3's optimiser."""

    name = "smt:z3"
    summary = "SMT optimisation with real scores, z3"
    language = SMTLIB
    package, how_to_get = "z3-solver", "pip install 'chordlearn[smt]'"

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs z3."""
        names = run.directory / "names"
        names.write_text("\n".join(meaning.name for meaning in run.model.meanings), encoding="utf-8")
        return worker("z3_optimize", str(run.path), str(names))


class OptiMathSat(FileBackend):
    """OptiMathSAT, the SMT optimiser of the paper."""

    name = "smt:optimathsat"
    summary = "SMT optimisation with real scores, the program OptiMathSAT"
    language = OPTIMATHSAT
    programs, variable = ("optimathsat",), "CHORDLEARN_OPTIMATHSAT"
    how_to_get = f"Download it from its authors, and set {variable} to its path."

    def command(self, run: FileRun) -> list[str]:
        """The program on the file; without its option, versions from 1.7.0 on only look for some model."""
        program = need_program(self.programs, self.variable)
        run.details.setdefault("solver", run.version_of(program, "-version"))
        return [program, "-optimization=true", str(run.path)]

    def answers(self, run: FileRun, on_answer: Callable[[Collection[int]], None]) -> Answers:
        """SMT-LIB output."""
        return SmtAnswers(on_answer, {meaning.name: i for i, meaning in enumerate(run.model.meanings, 1)})
