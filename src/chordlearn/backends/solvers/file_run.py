"""A constraint model, written to a file, solved by a program that prints answers as MaxSAT solvers do."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, ClassVar

from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run
from chordlearn.backends.solvers.child import own_directory, probe_package, probe_program, python_command
from chordlearn.backends.solvers.constraint_run import ENOUGH_ERROR, ConstraintRun
from chordlearn.backends.solvers.output import OPTIMAL, SATISFIABLE, UNSATISFIABLE, MaxSatAnswers
from chordlearn.encodings.languages import WCNF
from chordlearn.encodings.meanings import Edge
from chordlearn.encodings.model import Model, edges_of_answer
from chordlearn.encodings.registry import find_encoding
from chordlearn.encodings.scaling import absolute_weight, scaled_problem, smallest_factor
from chordlearn.encodings.weights import model_error
from chordlearn.errors import BackendError, FalseClaimError, InputError
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

    def answers(self, run: FileRun, on_answer: Callable[[Collection[int]], None]) -> MaxSatAnswers:
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
        self.ruled_out = 0
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
        self._write_file()
        self.details["input_bytes"] = self.path.stat().st_size
        self.details["model"] = {
            "variables": self.model.variable_count,
            "clauses": self.model.clause_count,
            "linear": self.model.linear_count,
        }

    def solve(self) -> bool:
        """Run the program, and again without what it found while rounding may hide something better."""
        run = self.run
        if self.backend.package:
            self.details["solver"] = f"{self.backend.package} {self.backend.probe().version.split()[-1]}"
        found = self._optimise(self.learn_bound)
        if found is None:
            return False
        while not run.is_proved and self.scaled is not None:
            self._forbid(found)
            with run.timed("encode"):
                self._write_file()
            again = self._optimise(self.learn_rest)
            if again is None:
                self.learn_rest(-math.inf)
                break
            found = again
        if self.ruled_out:
            self.details["networks_within_rounding"] = self.ruled_out
        return True

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

    def _forbid(self, network: Incumbent) -> None:
        """Rule a network out of the model."""
        self.ruled_out += 1
        edges = set(edges_of(graph_from_cliques(self.model.n, network.cliques)))
        self.model.group("networks already found").clause(*_other_edges(self.model, edges))

    def _optimise(self, learn_bound: Callable[[float], None]) -> Incumbent | None:
        """The network that the program claims to be optimal, the bound learned; None if there is none."""
        run = self.run
        latest: list[Incumbent] = []

        def answer(true: Collection[int]) -> None:
            latest[:] = [run.offer_edges(self.name, edges_of_answer(self.model, true))]

        answers = self.backend.answers(self, answer)

        def read(line: str) -> None:
            try:
                answers.read(line)
            except ValueError as error:
                raise BackendError(
                    f"{self.name} printed a line that cannot be read: {line[:60]!r}."
                ) from error
            if answers.lower is not None:
                learn_bound(self._bound(answers.lower))

        try:
            ended = self.start(self.backend.command(self), read)
        finally:
            answers.finish()
        if answers.claim == UNSATISFIABLE:
            return None
        if answers.claim == SATISFIABLE and not self.model.weights:
            # Solvers need not speak of optima where nothing has a weight.
            answers.claim = OPTIMAL
        if answers.claim != OPTIMAL:
            raise self.ended_without_answer(ended)
        if not latest:
            raise FalseClaimError(f"{self.name} claims an optimum without a network.")
        self._check_cost(answers.cost, latest[0])
        if self.scaled is not None:
            learn_bound(self.bound_from(self.total(latest[0])))
        elif not self.backend.bound_error:
            learn_bound(latest[0].score + 2 * self.model_error)
        return latest[0]

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

    def _check_cost(self, cost: float | None, network: Incumbent) -> None:
        """The claimed cost must be that of the network."""
        if cost is None or self.backend.bound_error:
            return
        if self.scaled is None:
            objective = self.backend.language.free(self.model) - cost
            if abs(objective - network.score) > 2 * self.model_error + SAME_SUM * abs(network.score):
                raise FalseClaimError(
                    f"{self.name} claims the objective {objective:.9g}, "
                    f"but its network has {network.score:.9g}."
                )
            return
        true_cost = round(self.backend.language.free(self.model)) - self.total(network)
        if cost != true_cost:
            raise FalseClaimError(f"{self.name} claims the cost {cost}, but its network costs {true_cost}.")


def _other_edges(model: Model, edges: set[tuple[int, int]]) -> Iterator[int]:
    """Literals of which one is true in every graph but the one with these edges."""
    for number, meaning in enumerate(model.meanings, 1):
        if isinstance(meaning, Edge):
            yield -number if (meaning.a, meaning.b) in edges else number
