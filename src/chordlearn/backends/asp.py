"""Answer set solvers: clingo in several configurations, and the program clasp.

By hand, the same: write the facts of a problem and run ``clingo edges.lp facts.lp``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from chordlearn.backends.answers import OPTIMAL, SATISFIABLE, UNSATISFIABLE, AspAnswers
from chordlearn.backends.constraint_run import ENOUGH_ERROR, ConstraintRun
from chordlearn.backends.incumbent import Incumbent
from chordlearn.backends.outcome import Limits, Observer, Outcome
from chordlearn.backends.programs import find_program, own_directory, probe_program, python_command
from chordlearn.backends.registry import Availability
from chordlearn.backends.standing import Standing
from chordlearn.encodings.asp import RULE_FILES, fact_lines, largest_weight, rules
from chordlearn.encodings.scaling import FACTORS, scaled_problem, smallest_factor
from chordlearn.encodings.weights import only_candidates
from chordlearn.errors import BackendError, FalseClaimError, InputError
from chordlearn.graphs import graph_from_cliques, members
from chordlearn.problem.problem import Problem

DEFAULT_ENCODING = "edges"
CLASP_VARIABLE = "CHORDLEARN_CLASP"
LARGEST_WEIGHT = 2**31 - 1
"""clingo computes with 32-bit weights."""


class Clingo:
    """clingo, the answer set solver, as the Python package runs it."""

    name = "asp:clingo"
    summary = "answer set programming with clingo"
    exact = True
    options: ClassVar[Sequence[str]] = ("--configuration=trendy",)
    core_options: ClassVar[Sequence[str]] = ("--opt-strategy=usc,oll,stratify", "--opt-usc-shrink=min")
    """Unsatisfiable cores: quickest where the objective is Möbius weights, and lost elsewhere."""
    constants: ClassVar[Mapping[str, str]] = {"balanced_pairs": "1", "moebius_weights": "1"}
    """For the paper's rule file."""

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
        rule_constants: Mapping[str, str] | None = None,
        factor: float | None = None,
        **_options: Any,
    ) -> Outcome:
        """Ground the rules of an encoding with the facts of the problem, and minimise.

        ``rule_constants`` such as {"chordality": "0"} go to the rule file; ``factor`` scales the scores.
        """
        chosen = encoding or DEFAULT_ENCODING
        if chosen not in RULE_FILES:
            raise InputError(
                f"There is no encoding {chosen!r} for {self.name}; there are {', '.join(RULE_FILES)}."
            )
        standing = Standing(self.name, problem, limits, observer)
        with own_directory() as directory:
            constants = {**(self.constants if chosen == "paper" else {}), **(rule_constants or {})}
            return _AspRun(self, standing, chosen, directory, constants, factor).outcome(reduce=reduce)

    def command(self, run: _AspRun) -> list[str]:
        """The command that solves the files of a run."""
        return python_command("-m", "clingo", *run.files, *run.constants, *self.options_for(run))

    def options_for(self, run: _AspRun) -> Sequence[str]:
        """The solver's options that go best with the objective of a run."""
        return [*self.options, *self.core_options] if run.has_moebius_weights else self.options


class HClasp(Clingo):
    """clingo with the domain heuristic: the largest cliques first."""

    name = "asp:hclasp"
    summary = "clingo with the domain heuristic, largest cliques first"
    options = ("--heuristic=Domain",)
    core_options = ()
    constants: ClassVar[Mapping[str, str]] = {}


class Lp2Normal(Clingo):
    """clingo with cardinality and weight rules translated into normal ones."""

    name = "asp:lp2normal"
    summary = "clingo with cardinality constraints translated away"
    options = ("--trans-ext=all", "--configuration=trendy")
    core_options = ()
    constants: ClassVar[Mapping[str, str]] = {}


class Clasp(Clingo):
    """The program clasp on the ground program that clingo writes."""

    name = "asp:clasp"
    summary = "the program clasp on the ground program"
    constants: ClassVar[Mapping[str, str]] = {}

    def probe(self) -> Availability:
        """The program clasp must be found, and the Python package clingo for grounding."""
        grounder = super().probe()
        if not grounder.available:
            return grounder
        return probe_program(("clasp",), CLASP_VARIABLE, "Install it (Debian: apt install clasp).")

    def command(self, run: _AspRun) -> list[str]:
        """Ground the files of a run, and the command that solves the ground program."""
        program = find_program(("clasp",), CLASP_VARIABLE)
        if program is None:
            raise BackendError(
                f"The program clasp was not found; install it or set {CLASP_VARIABLE} to its path."
            )
        ground = run.directory / "ground.aspif"
        grounding = python_command("-m", "clingo", "--mode=gringo", *run.files, *run.constants)
        ended = run.start(grounding, lambda _line: None, ground)
        if ended.returncode != 0:
            raise BackendError(
                f"clingo could not ground the program: {ended.last_words or 'it gave no reason'}."
            )
        run.details["input_bytes"] = ground.stat().st_size
        return [program, str(ground), *self.options_for(run)]


class _AspRun(ConstraintRun):
    """Rules and facts to a solver, answers back."""

    def __init__(
        self,
        solver: Clingo,
        standing: Standing,
        encoding: str,
        directory: Path,
        constants: Mapping[str, str],
        factor: float | None,
    ) -> None:
        super().__init__(standing, encoding, directory)
        self.solver = solver
        self.constants = [f"--const={name}={value}" for name, value in constants.items()]
        self.has_moebius_weights = encoding == "edges" or constants.get("moebius_weights") == "1"
        if constants:
            self.details["rule_constants"] = dict(constants)
        self.factor = factor
        self.files: list[str] = []
        self.ruled_out = 0
        self.offset = 0

    def write(self) -> None:
        """Choose the scale and write rules and facts."""
        problem = only_candidates(self.standing.problem, self.candidates)
        wanted = self.factor or self._largest_factor()
        self.scaled, self.scaling = scaled_problem(problem, wanted)
        self.offset = self._offset()
        stated = self.budget.watched(fact_lines(self.scaled, self.candidates))
        texts = {f"{self.encoding}.lp": rules(self.encoding), "facts.lp": "\n".join([*stated, ""])}
        for name, text in texts.items():
            (self.directory / name).write_text(text, encoding="utf-8")
        self.details["input_bytes"] = sum(len(text) for text in texts.values())
        self.files = [str(self.directory / name) for name in texts]

    def solve(self) -> bool:
        """Minimise, and again without what was found while rounding may hide something better."""
        standing = self.standing
        found = self._minimise(standing.learn_bound)
        if not found:
            return False
        while not standing.proved:
            self._rule_out(found)
            found = self._minimise(self.learn_rest)
            if not found:
                self.learn_rest(-math.inf)
        if self.ruled_out:
            self.details["networks_within_rounding"] = self.ruled_out
        return True

    def _largest_factor(self) -> float:
        problem = self.standing.problem
        weight = max(largest_weight(problem, self.candidates), 1e-300)
        wanted = smallest_factor(problem, ENOUGH_ERROR)
        fitting = (factor for factor in FACTORS if factor * weight < LARGEST_WEIGHT / 1.01)
        return min(wanted, next(fitting, LARGEST_WEIGHT / 2 / weight))

    def _offset(self) -> int:
        """What the cost in the encoding and the integer score of a network add up to."""
        if self.encoding != "elimination":
            return 0
        assert self.scaled is not None
        values = self.scaled.values
        best = [0] * self.scaled.n
        for mask in self.candidates.masks.tolist():
            for vertex in members(mask):
                best[vertex] = max(best[vertex], int(values[mask]) - int(values[mask & ~(1 << vertex)]))
        return sum(best)

    def _minimise(self, learn_bound: Callable[[float], None]) -> list[Incumbent]:
        """Networks of the least cost, and what that says of the others; empty if there is none.

        The first time one is enough; later all of them are listed, for ties would else take a run each.
        """
        standing = self.standing
        latest: list[Incumbent] = []

        def answer(edges: list[tuple[int, int]]) -> None:
            latest.append(standing.offer(edges))

        answers = AspAnswers(answer)

        def read(line: str) -> None:
            answers.read(line)
            if answers.lower is not None:
                learn_bound(self.bound_from(self.offset - round(answers.lower)))

        ended = self.start([*self.solver.command(self), *self._options()], read)
        if answers.claim == UNSATISFIABLE:
            return []
        if answers.claim == SATISFIABLE and answers.cost is None and self._all_cost_the_same():
            # Solvers do not speak of optima where nothing has a weight.
            answers.claim, answers.cost = OPTIMAL, self.offset
        if answers.claim != OPTIMAL:
            raise self.ended_without_answer(ended)
        if not latest or answers.cost is None:
            raise FalseClaimError(f"{self.name} claims an optimum without a network.")
        total = self.total(latest[-1])
        if answers.cost != self.offset - total:
            raise FalseClaimError(
                f"{self.name} claims the cost {answers.cost}, but its network costs {self.offset - total}."
            )
        learn_bound(self.bound_from(total))
        return [network for network in latest if self.total(network) == total]

    def _rule_out(self, networks: Sequence[Incumbent]) -> None:
        """Add rules that only these networks break."""
        masks = self.candidates.masks.tolist()
        pairs = [tuple(members(mask)) for mask in masks if mask.bit_count() == 2]
        path = self.directory / "found.lp"
        if not self.ruled_out:
            self.files.append(str(path))
        with path.open("a", encoding="utf-8") as file:
            for cliques in {network.cliques for network in networks}:
                graph = graph_from_cliques(self.standing.problem.n, cliques)
                literals = (f"{'' if graph[a] >> b & 1 else 'not '}edge({a},{b})" for a, b in pairs)
                file.write(f":- {', '.join(literals)}.\n")
                self.ruled_out += 1

    def _all_cost_the_same(self) -> bool:
        assert self.scaled is not None
        return not self.scaled.values[self.candidates.masks].any()

    def _options(self) -> list[str]:
        limits, best = self.standing.limits, self.standing.best
        threads = [f"--parallel-mode={limits.threads}"] if limits.threads > 1 else []
        options = ["--outf=0", "--quiet=0", f"--seed={limits.seed}", *threads]
        if best is not None:
            # At first the network at hand is an answer too, so that there is one to find; later only those
            # are of interest that may really be better.
            least = self.least_total_of_better(best.score) if self.ruled_out else self.total(best)
            options.append(f"--opt-mode={'optN' if self.ruled_out else 'opt'},{self.offset - least}")
        if self.ruled_out:
            options += ["--project=show", "--models=0"]
        return options
