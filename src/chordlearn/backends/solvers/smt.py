"""SMT solvers, which keep the scores real: z3, and the program OptiMathSAT."""

from __future__ import annotations

from collections.abc import Callable, Collection

from chordlearn.backends.solvers.child import need_program
from chordlearn.backends.solvers.file_run import FileBackend, FileRun, worker
from chordlearn.backends.solvers.output import OPTIMAL, SATISFIABLE, UNKNOWN, UNSATISFIABLE, MaxSatAnswers
from chordlearn.encodings.answers import objective_cost, smt_words
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

    def answers(self, run: FileRun, on_answer: Callable[[Collection[int]], None]) -> MaxSatAnswers:
        """SMT-LIB output."""
        return SmtAnswers(on_answer, {meaning.name: i for i, meaning in enumerate(run.model.meanings, 1)})


class SmtAnswers(MaxSatAnswers):
    """The output of SMT optimisers: sat or unsat, the objective, then the model as definitions or as pairs.

    It is optimal only if the objective has one value, and not one that an interrupted search had reached.

    >>> seen = []
    >>> answers = SmtAnswers(seen.append, {"e_0_1": 1, "e_0_2": 2})
    >>> for line in ("sat", "(objectives", " ((+ 1.5 z) (- (/ 7 2)))", ")", "((e_0_1 true) (e_0_2 false))"):
    ...     answers.read(line)
    >>> answers.finish()
    >>> seen, answers.claim, answers.cost
    ([{1}], 'optimal', 3.5)
    """

    def __init__(self, on_answer: Callable[[Collection[int]], None], numbers: dict[str, int]) -> None:
        super().__init__(on_answer)
        self._numbers = numbers
        self._words: list[str] = []

    def read(self, line: str) -> None:
        """Take in one line."""
        text = line.strip()
        if text in ("sat", "unsat", "unknown"):
            self.claim = {"sat": SATISFIABLE, "unsat": UNSATISFIABLE, "unknown": UNKNOWN}[text]
        else:
            self._words += smt_words(text)

    def finish(self) -> None:
        """Read the objective and the true variables: names before true, perhaps with a sort between."""
        words, self._words = self._words, []
        if not words:
            return
        cost = objective_cost(words)
        if cost is not None and self.claim == SATISFIABLE:
            self.claim, self.cost = OPTIMAL, cost
        true = set()
        for position, word in enumerate(words):
            if word in self._numbers:
                value = [
                    later for later in words[position + 1 : position + 5] if later not in ("(", ")", "Bool")
                ]
                if value and value[0] == "true":
                    true.add(self._numbers[word])
        if self.claim in (OPTIMAL, SATISFIABLE):
            self._on_answer(true)
