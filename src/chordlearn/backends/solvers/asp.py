"""Answer set solvers: clingo in several configurations, and the program clasp.

By hand, the same: write the facts of a problem and run ``clingo edges.lp facts.lp``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

from chordlearn.backends.base.annealing import anneal
from chordlearn.backends.base.outcome import Outcome
from chordlearn.backends.base.registry import Availability, Capabilities
from chordlearn.backends.base.run import Run
from chordlearn.backends.solvers.child import (
    find_program,
    need_program,
    own_directory,
    probe_package,
    probe_program,
    python_command,
)
from chordlearn.backends.solvers.constraint_run import ENOUGH_ERROR, ConstraintRun, Learn
from chordlearn.encodings.answers import AspAnswers
from chordlearn.encodings.asp import RULE_FILES, fact_lines, largest_weight, rules
from chordlearn.encodings.asp.facts import free_in_rules
from chordlearn.encodings.scaling import FACTORS, scaled_problem, smallest_factor
from chordlearn.encodings.weights import moebius_weights
from chordlearn.errors import BackendError, InputError
from chordlearn.graphs import graph_from_cliques, members
from chordlearn.problem.problem import Incumbent

DEFAULT_ENCODING = "edges"
CLASP, CLASP_VARIABLE = ("clasp",), "CHORDLEARN_CLASP"
LP2NORMAL, LP2NORMAL_VARIABLE = ("lp2normal", "lp2normal2"), "CHORDLEARN_LP2NORMAL"
LARGEST_WEIGHT = 2**31 - 1
"""clingo computes with 32-bit weights."""
TRENDY = "--configuration=trendy"
CLINGO_AS_CLASP = python_command("-m", "clingo", "--mode=clasp")


class Clingo:
    """clingo, the answer set solver, as the Python package runs it."""

    name = "asp:clingo"
    summary = "answer set programming with clingo"
    exact = True
    capabilities = Capabilities(encodings=True)
    options: ClassVar[Sequence[str]] = (TRENDY,)
    more_options: ClassVar[Mapping[str, Sequence[str]]] = {
        # Unsatisfiable cores: quickest where the objective is Möbius weights, and lost elsewhere.
        "edges": ("--opt-strategy=usc,oll,stratify", "--opt-usc-shrink=min"),
        "paper-implied": ("--heuristic=Domain",),
    }
    """Those that go best with an encoding."""

    def probe(self) -> Availability:
        """The Python package clingo must be there."""
        return probe_package("clingo", "pip install clingo")

    def solve(
        self, run: Run, *, rule_constants: Mapping[str, str] | None = None, factor: float | None = None
    ) -> Outcome:
        """Ground the rules of an encoding with the facts of the problem, and minimise.

        ``rule_constants`` such as {"chordality": "0"} go to the rule file; ``factor`` scales the scores.
        """
        chosen = run.options.encoding or DEFAULT_ENCODING
        if chosen not in RULE_FILES:
            raise InputError(
                f"There is no encoding {chosen!r} for {self.name}; there are {', '.join(RULE_FILES)}."
            )
        with own_directory() as directory:
            return _AspRun(self, run, chosen, directory, rule_constants or {}, factor).outcome()

    def command(self, run: _AspRun) -> list[str]:
        """Ground the files of a run, and the command that solves the ground program."""
        run.details["solver"] = f"clingo {version('clingo')}"
        return [*CLINGO_AS_CLASP, str(run.ground()), *self.options_for(run)]

    def options_for(self, run: _AspRun) -> Sequence[str]:
        """The solver's options for the encoding of a run."""
        return [*self.options, *self.more_options.get(run.encoding, ())]


class HClasp(Clingo):
    """clingo with the domain heuristic: the largest cliques first."""

    name = "asp:hclasp"
    summary = "clingo with the domain heuristic, largest cliques first"
    options = ("--heuristic=Domain",)
    more_options: ClassVar[Mapping[str, Sequence[str]]] = {}


class Clasp(Clingo):
    """The program clasp on the ground program that clingo writes."""

    name = "asp:clasp"
    summary = "the program clasp on the ground program"

    def probe(self) -> Availability:
        """The program clasp must be found, and the Python package clingo for grounding."""
        grounder = super().probe()
        if not grounder.available:
            return grounder
        return probe_program(CLASP, CLASP_VARIABLE, "Install it (Debian: apt install clasp).")

    def command(self, run: _AspRun) -> list[str]:
        """Ground the files of a run, and the command that solves the ground program."""
        clasp = need_program(CLASP, CLASP_VARIABLE)
        run.ask_version(clasp)
        options = self.options if run.is_old_clasp else self.options_for(run)
        return [clasp, str(run.ground(smodels=run.is_old_clasp)), *options]


class Lp2Normal(Clingo):
    """Cardinality and weight rules translated into normal ones, by lp2normal or else by clingo.

    What lp2normal writes is solved by the program clasp, or else by clingo.
    """

    name = "asp:lp2normal"
    summary = "cardinality constraints translated away, by lp2normal or by clingo"
    more_options: ClassVar[Mapping[str, Sequence[str]]] = {"paper-implied": ("--heuristic=Domain",)}

    def command(self, run: _AspRun) -> list[str]:
        """Translate, and the command that solves what comes of it."""
        translator = find_program(LP2NORMAL, LP2NORMAL_VARIABLE)
        if translator is None:
            command = [*super().command(run), "--trans-ext=all"]
            run.details["solver"] += " --trans-ext=all"
            return command
        clasp = find_program(CLASP, CLASP_VARIABLE)
        if clasp:
            run.ask_version(clasp)
        else:
            run.details["solver"] = f"clingo {version('clingo')}"
        normal = run.translate(translator)
        run.details["solver"] = f"{run.version_of(translator)} + {run.details['solver']}"
        return [*([clasp] if clasp else CLINGO_AS_CLASP), str(normal), *self.options]


class _AspRun(ConstraintRun):
    """Rules and facts to a solver, answers back."""

    def __init__(
        self,
        solver: Clingo,
        run: Run,
        encoding: str,
        directory: Path,
        constants: Mapping[str, str],
        factor: float | None,
    ) -> None:
        super().__init__(solver.name, run, encoding, directory)
        self.solver = solver
        self.given_constants = [f"--const={name}={value}" for name, value in constants.items()]
        self.constants = self.given_constants
        if constants:
            self.details["rule_constants"] = dict(constants)
        self.factor = factor
        self.files: list[str] = []
        self.pairs: list[tuple[int, int]] = []
        """What may be adjacent."""
        self.offset = 0
        """What the cost in the encoding and the integer score of a network add up to."""
        self.is_old_clasp = False
        """Whether the program is a clasp before version 3, which reads the smodels format only."""
        self.shift = 0
        """What the costs that the program prints are too high by."""

    def ask_version(self, clasp: str) -> None:
        """Ask a program clasp for its version."""
        self.details["solver"] = self.version_of(clasp)
        self.is_old_clasp = re.search(r" [12]\.", self.details["solver"]) is not None

    def write(self) -> None:
        """Choose the scale and write rules and facts."""
        if self.encoding == "paper-implied" and self.run.problem.has_values:
            self.find_start()
        problem = self.run.problem.restricted(self.candidates.masks.tolist())
        wanted = self.factor or self._largest_factor()
        self.scaled, self.scaling = scaled_problem(problem, wanted)
        self.offset = free_in_rules(self.encoding, self.scaled, self.candidates)
        stated = self.budget.watched(fact_lines(self.scaled, self.candidates, self.encoding))
        texts = {f"{self.encoding}.lp": rules(self.encoding), "facts.lp": "\n".join([*stated, ""])}
        for name, text in texts.items():
            (self.directory / name).write_text(text, encoding="utf-8")
        self.files = [str(self.directory / name) for name in texts]
        masks = self.candidates.masks.tolist()
        self.pairs = [(a, b) for a, b in (members(mask) for mask in masks if mask.bit_count() == 2)]

    def find_start(self) -> None:
        """Look for a network to begin with, where the encoding can make use of one."""
        run = self.run
        if run.best is None:
            run.report("searching")
            found = run.watch("searching", lambda control: anneal(run.problem, run.limits, control))
            run.offer(next(iter(found), None))
            run.report("encoding")

    def ground(self, *, smodels: bool = False) -> Path:
        """The ground program, in the format of smodels or in aspif."""
        plain = ["--const=plain=1"] if smodels else []
        ground = python_command("-m", "clingo", "--mode=gringo", *self.files, *self.constants, *plain)
        aspif = self.directory / "ground.aspif"
        self._run_translator(ground, aspif)
        if not smodels:
            return aspif
        path = self.directory / "ground.smodels"
        self._run_translator([*ground, "--output=smodels"], path)
        _make_readable(path)
        # That format has no negative weights: the literal is negated instead, which adds a constant.
        with aspif.open(encoding="utf-8") as file:
            self.shift = -sum(map(_negative_weights, file))
        return path

    def translate(self, lp2normal: str) -> Path:
        """The ground program without cardinality and weight rules; optimisation is kept."""
        path = self.directory / "normal.smodels"
        self._run_translator([lp2normal, "-ko", str(self.ground(smodels=True))], path)
        _make_readable(path)
        return path

    def _run_translator(self, command: Sequence[str], output: Path) -> None:
        ended = self.start(command, lambda _line: None, output)
        if ended.returncode != 0:
            reason = ended.stderr_tail or "it gave no reason"
            raise BackendError(
                ended.failure(self.name) or f"{Path(command[0]).name} could not ground the program: {reason}."
            )
        self.details["input_bytes"] = output.stat().st_size

    def _largest_factor(self) -> float:
        problem = self.run.problem
        weight = max(largest_weight(problem, self.candidates), 1e-300)
        wanted = smallest_factor(problem, ENOUGH_ERROR)
        fitting = (factor for factor in FACTORS if factor * weight < LARGEST_WEIGHT / 1.01)
        return min(wanted, next(fitting, LARGEST_WEIGHT / 2 / weight))

    def optimise(self, learn_bound: Learn) -> list[Incumbent]:
        """Networks of the least cost.

        The first time one is enough; later all of them are listed, for ties would else take a run each.
        """
        run = self.run
        latest: list[Incumbent] = []

        def answer(true: Collection[int]) -> None:
            latest.append(run.offer_edges(self.name, [self.pairs[number - 1] for number in true]))

        answers = AspAnswers(answer, {f"edge_{a}_{b}": n for n, (a, b) in enumerate(self.pairs, 1)})
        least = self._least_total()
        if self.encoding == "paper-implied" and least is not None and self._sum_fits(least):
            self.constants = [*self.given_constants, f"--const=known={least}"]
        solver = self.solver.command(self)
        free = self.offset + self.shift
        ended = self.follow(
            [*solver, *self._options(least)],
            answers,
            lambda cost: self.bound_from(free - round(cost)),
            learn_bound,
        )
        if not self.has_optimum(answers, ended, latest, weighted=not self._all_cost_the_same()):
            return []
        total = self.total(latest[-1])
        self.check_cost(answers.cost, free - total)
        learn_bound(self.bound_from(total))
        return [network for network in latest if self.total(network) == total]

    def rule_out(self, networks: Sequence[Incumbent]) -> None:
        """Add rules that only these networks break."""
        path = self.directory / "found.lp"
        if str(path) not in self.files:
            self.files.append(str(path))
        with path.open("a", encoding="utf-8") as file:
            for network in networks:
                graph = graph_from_cliques(self.run.problem.n, network.cliques)
                literals = (f"{'' if graph[a] >> b & 1 else 'not '}edge({a},{b})" for a, b in self.pairs)
                file.write(f":- {', '.join(literals)}.\n")

    def _all_cost_the_same(self) -> bool:
        assert self.scaled is not None
        return not any(self.scaled.score_sets(self.candidates.masks.tolist()))

    def _least_total(self) -> int | None:
        """The integer score below which no network is of interest; None without a network."""
        best = self.run.best
        if best is None:
            return None
        # At first the network at hand is an answer too, so that there is one to find; later only those
        # are of interest that may really be better.
        return self.least_total_of_better(best.score) if self.ruled_out else self.total(best)

    def _sum_fits(self, least: int) -> bool:
        """Whether clasp can compare the sum over the complete sets: within rules, sums have 32 bits."""
        assert self.scaled is not None
        weights = moebius_weights(self.scaled, self.candidates).values()
        return sum(map(abs, weights)) + abs(least) <= LARGEST_WEIGHT

    def _options(self, least: int | None) -> list[str]:
        limits = self.run.limits
        options = ["--outf=0", "--quiet=0", f"--seed={limits.seed}"]
        if limits.threads > 1 and not self.is_old_clasp:
            options.append(f"--parallel-mode={limits.threads}")
        if least is not None:
            options.append(self._most_cost(self.offset + self.shift - least))
        if self.ruled_out:
            options += ["--project" if self.is_old_clasp else "--project=show", "0"]
        return options

    def _most_cost(self, cost: int) -> str:
        """Look for answers that cost no more: one of the cheapest, or later all of them."""
        if self.is_old_clasp:
            return f"--opt-all={cost}" if self.ruled_out else f"--opt-value={cost}"
        return f"--opt-mode={'optN' if self.ruled_out else 'opt'},{cost}"


def _negative_weights(line: str) -> int:
    r"""The sum of the negative weights of a minimize statement in aspif; 0 for any other line.

    >>> _negative_weights("2 0 3 84 -9 85 7 -86 -2\n"), _negative_weights("1 0 1 2 0 0\n")
    (-11, 0)
    """
    numbers = line.split()
    return sum(min(0, int(weight)) for weight in numbers[4::2]) if numbers[:1] == ["2"] else 0


def _make_readable(path: Path) -> None:
    """Leave out what old solvers do not know: that a program is incremental, and the section of externals."""
    changed = path.with_suffix(".changed")
    inside = False
    with path.open(encoding="utf-8") as old, changed.open("w", encoding="utf-8") as new:
        for line in old:
            inside = inside or line == "E\n"
            if not inside and line != "90 0\n":
                new.write(line)
            inside = inside and line != "0\n"
    changed.replace(path)
