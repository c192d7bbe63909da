"""SMT solvers, which keep the scores real: z3, and the program OptiMathSAT."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias, Union

from chordlearn.backends.answers import OPTIMAL, SATISFIABLE, UNKNOWN, UNSATISFIABLE, MaxSatAnswers
from chordlearn.backends.file_run import FileBackend, FileRun
from chordlearn.backends.maxsat import WORKERS, probe_package
from chordlearn.backends.programs import find_program, probe_program, python_command
from chordlearn.backends.registry import Availability
from chordlearn.encodings.languages import OPTIMATHSAT, SMTLIB
from chordlearn.errors import BackendError

Expression: TypeAlias = Union[str, "list[Expression]"]


class Z3(FileBackend):
    """z3's optimiser."""

    name = "smt:z3"
    summary = "SMT optimisation with real scores, z3"
    language = SMTLIB

    def probe(self) -> Availability:
        """The Python package z3-solver must be there."""
        return probe_package("z3-solver", "pip install 'chordlearn[smt]'")

    def command(self, run: FileRun) -> list[str]:
        """The worker that runs z3."""
        names = run.directory / "names"
        names.write_text("\n".join(meaning.name for meaning in run.model.meanings), encoding="utf-8")
        return python_command("-m", f"{WORKERS}.z3_optimize", str(run.path), str(names))


class OptiMathSat(FileBackend):
    """OptiMathSAT, the SMT optimiser of the paper."""

    name = "smt:optimathsat"
    summary = "SMT optimisation with real scores, the program OptiMathSAT"
    language = OPTIMATHSAT
    options_for_paper: ClassVar[Mapping[str, Any]] = {}
    variable = "CHORDLEARN_OPTIMATHSAT"

    def probe(self) -> Availability:
        """The program must be there."""
        how_to_get = f"Download it from its authors, and set {self.variable} to its path."
        return probe_program(("optimathsat",), self.variable, how_to_get)

    def command(self, run: FileRun) -> list[str]:
        """The program on the file; without its option, versions from 1.7.0 on only look for some model."""
        program = find_program(("optimathsat",), self.variable)
        if program is None:
            raise BackendError(f"The program optimathsat was not found; set {self.variable} to its path.")
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
            self._words += text.replace("(", " ( ").replace(")", " ) ").split()

    def finish(self) -> None:
        """Read the objective and the true variables: names before true, perhaps with a sort between."""
        words, self._words = self._words, []
        if not words:
            return
        for expression in _expressions(words):
            if isinstance(expression, list) and expression[:1] == ["objectives"]:
                self._read_objective(expression[1:])
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

    def _read_objective(self, objectives: Sequence[Expression]) -> None:
        if len(objectives) != 1 or not isinstance(objectives[0], list) or len(objectives[0]) != 2:
            # An interrupted search says more, as in `(objectives (x 12), partial search, range: [12, 20])`.
            return
        value = _number(objectives[0][1])
        if value is not None and self.claim == SATISFIABLE:
            self.claim, self.cost = OPTIMAL, -float(value)


def _expressions(words: Sequence[str]) -> list[Expression]:
    """The expressions of a text; what a cut off text leaves open is closed at its end."""
    stack: list[list[Expression]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) > 1:
            stack[-2].append(stack.pop())
    while len(stack) > 1:
        stack[-2].append(stack.pop())
    return stack[0]


def _number(expression: Expression) -> Fraction | None:
    """A number as SMT-LIB writes it; None for anything else, such as infinity or an interval.

    >>> _number(["-", ["/", "7", "2.0"]]), _number("oo")
    (Fraction(-7, 2), None)
    """
    match expression:
        case str():
            try:
                return Fraction(expression)
            except (ValueError, ZeroDivisionError):
                return None
        case ["-", value]:
            negated = _number(value)
            return None if negated is None else -negated
        case ["/", over, under]:
            parts = _number(over), _number(under)
            return None if parts[0] is None or not parts[1] else parts[0] / parts[1]
    return None
