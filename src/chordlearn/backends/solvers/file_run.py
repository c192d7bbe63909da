"""A constraint model, written to a file, solved by a program that prints answers as MaxSAT solvers do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar

from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run
from chordlearn.backends.solvers.child import own_directory, probe_package, probe_program, python_command
from chordlearn.backends.solvers.constraint_run import ENOUGH_ERROR, ConstraintRun, Learn
from chordlearn.encodings.answers import Answers, MaxSatAnswers
from chordlearn.encodings.languages import WCNF
from chordlearn.encodings.meanings import Edge
from chordlearn.encodings.model import Model, edges_of_answer
from chordlearn.encodings.registry import find_encoding
from chordlearn.encodings.scaling import absolute_weight, scaled_problem, smallest_factor
from chordlearn.encodings.weights import model_error
from chordlearn.errors import FalseClaimError, InputError
from chordlearn.graphs import edges_of, graph_from_cliques
from chordlearn.problem.problem import Incumbent, Problem

DEFAULT_ENCODING = "edges"
RELATIVE_TO_WEIGHTS = 1e-5
"""A solver with floating-point numbers errs in proportion to the weights, if these are very large."""

SAME_SUM = 1e-12
"""Relative; two ways to add up the score of one network differ by less."""


def worker(module: str, *arguments: str) -> list[str]:
    """The command that runs one of our workers."""
    return python_command("-m", f"chordlearn.backends.solvers.workers.{module}", *arguments)


class FileBackend:
    """A backend that gives a program the file of a model. Subclasses name the program and the language."""

    name: str
    summary: str
    exact = True
    capabilities = Capabilities(encodings=True)
    language = WCNF
    largest_total = 2**62
    """What the weights of the solver's integers may sum to."""
    default_encoding = DEFAULT_ENCODING
    package: ClassVar[str] = ""
    """The Python package that brings the solver, if one does."""
    programs: ClassVar[tuple[str, ...]] = ()
    variable: ClassVar[str] = ""
    """The environment variable that names the program."""
    how_to_get: ClassVar[str] = ""
    limits_memory_itself = False
    """Whether the command tells the program how much memory it may have."""
    bound_error = 0.0
    """By how much the bounds of a solver with floating-point numbers may be off."""

    def probe(self) -> Availability:
        """The package or the program must be there."""
        if self.package:
            return probe_package(self.package, self.how_to_get)
        return probe_program(self.programs, self.variable, self.how_to_get)

    def command(self, run: FileRun) -> list[str]:
        """The command that solves ``run.path``."""
        raise NotImplementedError

    def answers(self, run: FileRun, on_answer: Callable[[Collection[int]], None]) -> Answers:
        """What reads the program's output."""
        return MaxSatAnswers(on_answer)

    def solve(
        self, run: Run, *, factor: float | None = None, encoding_options: dict[str, Any] | None = None
    ) -> Outcome:
        """Write the model, run the program, and prove its answer on the real scores.

        ``factor`` scales scores to integers; ``encoding_options`` are fields of the encoding's options.
        """
        chosen = find_encoding(run.options.encoding or self.default_encoding)
        with own_directory() as directory:
            return FileRun(self, run, chosen.name, directory, factor, encoding_options or {}).outcome()


class FileRun(ConstraintRun):
    """One run of a program on a file."""

    def __init__(
        self,
        backend: FileBackend,
        run: Run,
        encoding: str,
        directory: Path,
        factor: float | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__(backend.name, run, encoding, directory)
        self.backend = backend
        self.factor = factor
        self.options = options
        self.model_error = 0.0
        self.model: Model
        self.path = directory / f"model{backend.language.suffix}"

    @property
    def memory_bytes(self) -> int | None:
        """What the operating system lets the program have."""
        return None if self.backend.limits_memory_itself else super().memory_bytes

    def write(self) -> None:
        """Encode, with scores scaled to integers where the language wants that, and write."""
        problem = self.run.problem
        if self.backend.language.integers:
            self._scale()
        else:
            self.model = self._encode(problem)
            self.model_error = model_error(problem, self.candidates, self.encoding)
        if self.backend.package:
            self.details["solver"] = f"{self.backend.package} {self.backend.probe().version.split()[-1]}"
        self._write_file()
        self.details["input_bytes"] = self.path.stat().st_size
        self.details["model"] = {
            "variables": self.model.variable_count,
            "clauses": self.model.clause_count,
            "linear": self.model.linear_count,
        }

    def known_cost(self) -> int | None:
        """The integer cost of the best network known; None without one, or after it was ruled out."""
        best = self.run.best
        if best is None or self.scaled is None or self.ruled_out:
            return None
        return round(self.backend.language.free(self.model)) - self.total(best)

    def _encode(self, problem: Problem) -> Model:
        encoding = find_encoding(self.encoding)
        try:
            return encoding.encode(problem, self.candidates, self.budget, **self.options)
        except TypeError as error:
            raise InputError(f"The encoding {self.encoding} has no such option: {error}.") from error

    def _scale(self) -> None:
        problem = self.run.problem.restricted(self.candidates.masks.tolist())
        factor = self.factor or smallest_factor(problem, ENOUGH_ERROR)
        while True:
            try:
                self.scaled, self.scaling = scaled_problem(problem, factor)
                self.model = self._encode(self.scaled)
                total = absolute_weight(self.model)
                if total <= self.backend.largest_total:
                    return
                factor *= min(0.999 * self.backend.largest_total / total, 0.999)
            except InputError:
                if factor < 1e-3:
                    raise
                factor /= 10

    def _write_file(self) -> None:
        with self.path.open("w", encoding="utf-8") as file:
            file.writelines(self.budget.watched(self.backend.language.lines(self.model)))

    def rule_out(self, networks: Sequence[Incumbent]) -> None:
        """Write the model again, without these."""
        group = self.model.group("networks already found")
        for network in networks:
            edges = set(edges_of(graph_from_cliques(self.model.n, network.cliques)))
            group.clause(*(-e if (edge.a, edge.b) in edges else e for edge, e in self.model.having(Edge)))
        with self.run.timed("encode"):
            self._write_file()

    def optimise(self, learn_bound: Learn) -> list[Incumbent]:
        """The network that the program claims to be optimal."""
        latest: list[Incumbent] = []

        def answer(true: Collection[int]) -> None:
            latest[:] = [self.run.offer_edges(self.name, edges_of_answer(self.model, true))]

        answers = self.backend.answers(self, answer)
        ended = self.follow(self.backend.command(self), answers, self._bound, learn_bound)
        if not self.has_optimum(answers, ended, latest, weighted=bool(self.model.weights)):
            return []
        free = self.backend.language.free(self.model)
        if self.scaled is not None:
            total = self.total(latest[0])
            self.check_cost(answers.cost, round(free) - total)
            learn_bound(self.bound_from(total))
        elif not self.backend.bound_error:
            if answers.cost is not None:
                self._check_objective(free - answers.cost, latest[0])
            learn_bound(latest[0].score + 2 * self.model_error)
        return latest

    def _bound(self, lower: float) -> float:
        """The real score that no network exceeds when no answer costs less than this."""
        objective = self.backend.language.free(self.model) - lower
        if self.scaled is not None:
            return self.bound_from(round(objective))
        return max(objective + self._bound_error(), self.candidates.lower)

    def _bound_error(self) -> float:
        """By how much a bound in floating-point numbers may be off."""
        solver = self.backend.bound_error
        relative = solver * RELATIVE_TO_WEIGHTS * absolute_weight(self.model)
        return solver + relative + self.model_error

    def _check_objective(self, claimed: float, network: Incumbent) -> None:
        """The claimed objective must be the score of the network."""
        if abs(claimed - network.score) > 2 * self.model_error + SAME_SUM * abs(network.score):
            raise FalseClaimError(
                f"{self.name} claims the objective {claimed:.9g}, but its network has {network.score:.9g}."
            )
