"""Answer set solvers: clingo in several configurations, and the program clasp.

By hand, the same: write the facts of a problem and run ``clingo edges.lp facts.lp``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from chordlearn.backends.answers import OPTIMAL, SATISFIABLE, UNSATISFIABLE, AspAnswers
from chordlearn.backends.incumbent import Incumbent
from chordlearn.backends.outcome import DEFAULT_TOLERANCE, Limits, Observer, Outcome, Scaling
from chordlearn.backends.programs import (
    Ended,
    find_program,
    own_directory,
    probe_program,
    python_command,
    run_program,
)
from chordlearn.backends.registry import Availability
from chordlearn.backends.standing import INFEASIBLE, PROOF, Standing
from chordlearn.encodings.asp import ENCODINGS, Weights, best_weights, facts, rules, weigh
from chordlearn.errors import BackendError, InputError
from chordlearn.graphs import members, separators
from chordlearn.problem.problem import Problem
from chordlearn.reduction.candidates import Candidates
from chordlearn.watching import INTERRUPTED

DEFAULT_ENCODING = "edges"
CLASP_VARIABLE = "CHORDLEARN_CLASP"
ENOUGH_ERROR = DEFAULT_TOLERANCE / 2.5


class Clingo:
    """clingo, the answer set solver, as the Python package runs it."""

    name = "asp:clingo"
    summary = "answer set programming with clingo"
    exact = True
    options: ClassVar[Sequence[str]] = ("--configuration=trendy",)

    def probe(self) -> Availability:
        """The Python package clingo must be there."""
        try:
            return Availability(True, version("clingo"))
        except PackageNotFoundError:
            return Availability(
                False, reason="The Python package clingo is missing.", how_to_get="pip install clingo"
            )

    def solve(
        self,
        problem: Problem,
        limits: Limits,
        observer: Observer,
        *,
        reduce: bool = True,
        encoding: str | None = None,
        rule_constants: Sequence[str] = (),
        factor: float | None = None,
        **_options: Any,
    ) -> Outcome:
        """Ground the rules of an encoding with the facts of the problem, and minimise."""
        chosen = encoding or DEFAULT_ENCODING
        if chosen not in ENCODINGS:
            raise InputError(f"There is no encoding {chosen!r} for {self.name}; there are {', '.join(ENCODINGS)}.")
        standing = Standing(self.name, problem, limits, observer)
        with own_directory() as directory:
            run = AspRun(self, standing, chosen, rule_constants, directory)
            return run.outcome(reduce=reduce, factor=factor)

    def files_to_solve(self, run: AspRun, files: list[str]) -> list[str]:
        """The files to give to the solver; clingo grounds rules and facts itself."""
        return [*files, *run.constants]

    def command(self, files: Sequence[str], options: Sequence[str]) -> list[str]:
        """The command that solves the files."""
        return python_command("-m", "clingo", *files, *self.options, *options)


class HClasp(Clingo):
    """clingo with the domain heuristic: the largest cliques first."""

    name = "asp:hclasp"
    summary = "clingo with the domain heuristic, largest cliques first"
    options = ("--heuristic=Domain",)


class Lp2Normal(Clingo):
    """clingo with cardinality and weight rules translated into normal ones."""

    name = "asp:lp2normal"
    summary = "clingo with cardinality constraints translated away"
    options = ("--trans-ext=all",)


class Clasp(Clingo):
    """The program clasp on the ground program that clingo writes."""

    name = "asp:clasp"
    summary = "the program clasp on the ground program"
    options = ("--configuration=trendy",)

    def probe(self) -> Availability:
        """The program clasp must be found, and the Python package clingo for grounding."""
        grounder = super().probe()
        if not grounder.available:
            return grounder
        return probe_program(("clasp",), CLASP_VARIABLE, "Install it (Debian: apt install clasp).")

    def files_to_solve(self, run: AspRun, files: list[str]) -> list[str]:
        """Ground the rules and the facts."""
        ground = run.directory / "ground.aspif"
        ended = run.start(
            python_command("-m", "clingo", "--mode=gringo", *files, *run.constants), lambda _line: None, ground
        )
        if ended.stopped_by is not None:
            raise StoppedEarly(ended.stopped_by)
        if ended.returncode != 0:
            raise BackendError(f"clingo could not ground the program: {ended.last_words or 'it gave no reason'}.")
        return [str(ground)]

    def command(self, files: Sequence[str], options: Sequence[str]) -> list[str]:
        """The command that solves the ground program."""
        program = find_program(("clasp",), CLASP_VARIABLE)
        if program is None:
            raise BackendError("The program clasp was not found; install it or set CHORDLEARN_CLASP to its path.")
        return [program, *files, *self.options, *options]


class StoppedEarly(Exception):  # noqa: N818
    """Ends a run; its text is the reason."""


class AspRun:
    """One run: write the files, minimise, and make the proof hold for the real scores."""

    def __init__(
        self, solver: Clingo, standing: Standing, encoding: str, constants: Sequence[str], directory: Path
    ) -> None:
        self.solver = solver
        self.standing = standing
        self.encoding = encoding
        self.constants = [f"--const={constant}" for constant in constants]
        self.directory = directory
        self.weights: Weights | None = None
        self.details: dict[str, Any] = {}

    def outcome(self, *, reduce: bool, factor: float | None) -> Outcome:
        """Run to the proof or to the first limit."""
        standing = self.standing
        try:
            stopped_by = self._solve(reduce=reduce, factor=factor)
        except StoppedEarly as stop:
            stopped_by = str(stop)
        except KeyboardInterrupt:
            stopped_by = INTERRUPTED
        except BackendError as failure:
            if standing.best is None:
                raise
            stopped_by = str(failure)
        weights = self.weights
        scaling = None if weights is None else Scaling(weights.factor, weights.max_error)
        return standing.outcome(stopped_by, encoding=self.encoding, scaling=scaling, details=self.details)

    def start(
        self, command: Sequence[str], on_line: Callable[[str], None], output: Path | None = None
    ) -> Ended:
        """Run a command in this run's directory until the deadline."""
        return run_program(
            command,
            on_line=on_line,
            directory=self.directory,
            deadline=self.standing.deadline,
            memory_bytes=self.standing.limits.memory_bytes,
            output=output,
        )

    def _solve(self, *, reduce: bool, factor: float | None) -> str:
        standing = self.standing
        candidates, stopped_by = standing.prepare(reduce=reduce)
        if stopped_by is not None:
            return stopped_by
        standing.tell("encoding")
        with standing.stage("encode"):
            files = self._write(candidates, factor)
            files = self.solver.files_to_solve(self, files)
        with standing.stage("solve"):
            total = self._minimise(files)
            if total is None:
                return INFEASIBLE
            if not standing.proved:
                self._list_near(files, total)
        if not reduce:
            standing.cross_check()
        return PROOF

    def _write(self, candidates: Candidates, factor: float | None) -> list[str]:
        problem = self.standing.problem
        if factor is None:
            self.weights = best_weights(problem, candidates, wanted_error=ENOUGH_ERROR)
        else:
            self.weights = weigh(problem, candidates, factor)
        self.offset = offset(self.encoding, problem.n, candidates, self.weights)
        texts = {f"{self.encoding}.lp": rules(self.encoding), "facts.lp": facts(problem, candidates, self.weights)}
        paths = [self.directory / name for name in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        return [str(path) for path in paths]

    def _minimise(self, files: Sequence[str]) -> int | None:
        """Find the least cost and give the integer score that it stands for; None if there is no network."""
        standing, name = self.standing, self.solver.name
        assert self.weights is not None
        latest: list[Incumbent] = []

        def answer(edges: list[tuple[int, int]]) -> None:
            latest[:] = [standing.offer(edges)]

        answers = AspAnswers(answer)

        def read(line: str) -> None:
            answers.read(line)
            if answers.lower is not None:
                standing.learn_bound(self._real(self.offset - answers.lower))

        options = self._options()
        if standing.best is not None:
            # The network at hand is an answer too, so that there is one to find.
            options.append(f"--opt-mode=opt,{self.offset - self._total(standing.best)}")
        ended = self.start(self.solver.command(files, options), read)
        if ended.stopped_by is not None:
            raise StoppedEarly(ended.stopped_by)
        if answers.claim == UNSATISFIABLE:
            if standing.best is None:
                standing.cross_check()
            if standing.best is not None:
                raise BackendError(f"{name} claims that there is no network, but there is one.")
            return None
        if answers.claim != OPTIMAL:
            raise BackendError(_without_answer(name, ended))
        if not latest or answers.cost is None:
            raise BackendError(f"{name} claims an optimum without a network.")
        total = self._total(latest[0])
        if answers.cost != self.offset - total:
            raise BackendError(
                f"{name} claims the cost {answers.cost}, but its network costs {self.offset - total}."
            )
        standing.learn_bound(self._real(total))
        return total

    def _list_near(self, files: Sequence[str], total: int) -> None:
        """List every network that only the rounding may have put behind, so that the best real one is known."""
        standing, weights = self.standing, self.weights
        assert weights is not None
        assert standing.best is not None
        # A network with a higher real score has at least this integer score.
        least = math.floor((standing.best.score - weights.base - weights.max_error) * weights.factor)
        answers = AspAnswers(lambda edges: self._count(standing.offer(edges)))
        options = [*self._options(), f"--opt-mode=enum,{self.offset - min(least, total)}"]
        ended = self.start(self.solver.command(files, [*options, "--project=show", "-n", "0"]), answers.read)
        if ended.stopped_by is not None:
            raise StoppedEarly(ended.stopped_by)
        if answers.claim not in (SATISFIABLE, OPTIMAL) or not answers.exhausted:
            raise BackendError(_without_answer(self.solver.name, ended))
        standing.learn_bound(standing.best.score)

    def _count(self, _found: Incumbent) -> None:
        self.details["networks_within_rounding"] = self.details.get("networks_within_rounding", 0) + 1

    def _options(self) -> list[str]:
        limits = self.standing.limits
        threads = [f"--parallel-mode={limits.threads}"] if limits.threads > 1 else []
        return ["--outf=0", "--quiet=0", f"--seed={limits.seed}", *threads]

    def _total(self, network: Incumbent) -> int:
        """The integer score of a network."""
        assert self.weights is not None
        scores = self.weights.scores
        cliques = sum(int(scores[clique]) for clique in network.cliques)
        return cliques - sum(int(scores[separator]) for separator in separators(network.cliques))

    def _real(self, total: int) -> float:
        """No network with this integer score has a higher real score."""
        assert self.weights is not None
        return self.weights.real(total) + self.weights.max_error


def offset(encoding: str, n: int, candidates: Candidates, weights: Weights) -> int:
    """What the cost in an encoding and the integer score of a network add up to."""
    if encoding != "elimination":
        return 0
    best = [0] * n
    for mask in candidates.masks.tolist():
        for vertex in members(mask):
            gain = int(weights.scores[mask]) - int(weights.scores[mask & ~(1 << vertex)])
            best[vertex] = max(best[vertex], gain)
    return sum(best)


def _without_answer(name: str, ended: Ended) -> str:
    words = f": {ended.last_words}" if ended.last_words else ""
    return ended.failure(name) or f"{name} ended without an answer (exit code {ended.returncode}){words}."
