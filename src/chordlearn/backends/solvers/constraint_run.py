"""What all backends share that hand a written problem to a solver's program."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Limits, Outcome, Scaling
from chordlearn.backends.base.preparation import cross_check, prepare
from chordlearn.backends.base.run import Run, RunStopped
from chordlearn.backends.base.ties import settle
from chordlearn.backends.solvers.child import Ended, run_program
from chordlearn.encodings.answers import OPTIMAL, SATISFIABLE, UNSATISFIABLE, Answers
from chordlearn.encodings.scaling import IntegerScaling
from chordlearn.encodings.size import Budget
from chordlearn.errors import BackendError, ChordlearnError, FalseClaimError, StoppedError, TooLargeError
from chordlearn.graphs import separators
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Incumbent, Problem
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import StopReason

Learn = Callable[[float], None]
ENOUGH_ERROR = DEFAULT_TOLERANCE / 2.5
"""With less rounding than this a proof on integer scores is one on the real scores."""


class ConstraintRun(ABC):
    """One run: prepare, write, solve, and make the proof hold for the real scores."""

    def __init__(self, name: str, run: Run, encoding: str, directory: Path) -> None:
        self.name = name
        """The backend's name."""
        self.run = run
        self.encoding = encoding
        self.directory = directory
        self.candidates: Candidates
        self.scaled: Problem | None = None
        self.scaling: IntegerScaling | None = None
        self.details: dict[str, Any] = {}
        self.budget = Budget()
        self.ruled_out = 0
        """How many networks were found and ruled out."""

    @property
    def limits(self) -> Limits:
        """What the run may spend."""
        return self.run.limits

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit; None without one."""
        return self.run.seconds_left

    @property
    def memory_bytes(self) -> int | None:
        """What the operating system lets the program have."""
        return self.limits.memory_bytes

    def outcome(self) -> Outcome:
        """Run to the proof or to the first limit; a failure costs the network only if there is none yet."""
        failure: ChordlearnError | None = None
        try:
            stopped_by = self._solve()
        except RunStopped as stop:
            stopped_by = stop.reason
        except KeyboardInterrupt:
            stopped_by = StopReason.INTERRUPTED
        except StoppedError:
            stopped_by = StopReason.TIME_LIMIT
        except (BackendError, TooLargeError) as error:
            if self.run.best is None:
                raise
            failure = error
            too_large = isinstance(error, TooLargeError)
            stopped_by = StopReason.MEMORY_LIMIT if too_large else StopReason.FAILURE
        if self.run.is_proved:
            self.details["ties"] = settle(self.run, self.run.tolerance).as_json()
        scaling = None if self.scaling is None else Scaling(self.scaling.factor, self.scaling.max_error)
        outcome = self.run.outcome(stopped_by, encoding=self.encoding, scaling=scaling, details=self.details)
        return replace(outcome, failure=failure)

    def _solve(self) -> StopReason:
        run = self.run
        self.candidates = prepare(run)
        run.report("encoding")
        with run.timed("encode"):
            self.budget = Budget(run.deadline, self._bytes_to_encode())
            self.write()
        with run.timed("solve"):
            feasible = self.solve()
        if not feasible:
            if run.best is None:
                cross_check(run, self.name)
            if run.best is not None:
                raise FalseClaimError(f"{self.name} claims that there is no network, but there is one.")
            return StopReason.INFEASIBLE
        if not run.options.reduce:
            cross_check(run, self.name)
        return StopReason.PROOF if run.is_proved else StopReason.ROUNDING

    def _bytes_to_encode(self) -> float:
        memory = self.limits.memory_bytes
        table = self.run.problem.table
        most = math.inf if memory is None else memory - (0 if table is None else table.nbytes)
        return min(most, available_bytes())

    @abstractmethod
    def write(self) -> None:
        """Write the files that the solver reads."""

    @abstractmethod
    def optimise(self, learn_bound: Learn) -> list[Incumbent]:
        """Networks that the solver claims to be optimal, the bound learned; none if it says there is none."""

    @abstractmethod
    def rule_out(self, networks: Sequence[Incumbent]) -> None:
        """Let the solver look for others."""

    def solve(self) -> bool:
        """Optimise, and again without what was found while rounding may hide something better.

        Says whether there is a network at all; the bound goes to the run.
        """
        found = self.optimise(self.learn_bound)
        if not found:
            return False
        while not self.run.is_proved and self.scaled is not None:
            different = {network.cliques: network for network in found}
            self.ruled_out += len(different)
            self.rule_out(list(different.values()))
            found = self.optimise(self.learn_rest)
            if not found:
                self.learn_rest(-math.inf)
                break
        if self.ruled_out:
            self.details["networks_within_rounding"] = self.ruled_out
        return True

    def follow(
        self, command: Sequence[str], answers: Answers, bound: Callable[[float], float], learn: Learn
    ) -> Ended:
        """Run a solver, read its answers, and learn the bounds that follow from those of its costs."""

        def read(line: str) -> None:
            try:
                answers.read(line)
            except (ValueError, IndexError) as error:
                raise BackendError(
                    f"{self.name} printed a line that cannot be read: {line[:60]!r}."
                ) from error
            if answers.lower is not None:
                learn(bound(answers.lower))

        try:
            return self.start(command, read)
        finally:
            answers.finish()

    def has_optimum(
        self, answers: Answers, ended: Ended, found: Sequence[Incumbent], *, weighted: bool
    ) -> bool:
        """Whether the solver claims an optimum, and has a network; not if it claims that there is none."""
        if answers.claim == UNSATISFIABLE:
            return False
        # Solvers need not speak of optima where nothing has a weight.
        if answers.claim != OPTIMAL and (weighted or answers.claim != SATISFIABLE):
            raise self.ended_without_answer(ended)
        if not found:
            raise FalseClaimError(f"{self.name} claims an optimum without a network.")
        return True

    def check_cost(self, claimed: float | None, cost: int) -> None:
        """The claimed cost must be that of the network."""
        if claimed not in (None, cost):
            raise FalseClaimError(f"{self.name} claims the cost {claimed}, but its network costs {cost}.")

    def start(
        self, command: Sequence[str], on_line: Callable[[str], None], output: Path | None = None
    ) -> Ended:
        """Run a command in this run's directory; a limit or Ctrl-C ends the run."""
        ended = run_program(
            command,
            on_line=on_line,
            directory=self.directory,
            deadline=self.run.deadline,
            memory_bytes=self.memory_bytes,
            output=output,
        )
        if ended.stopped_by is not None:
            raise RunStopped(ended.stopped_by)
        if ended.wanted_memory:
            raise RunStopped(StopReason.MEMORY_LIMIT)
        return ended

    def version_of(self, program: str, flag: str = "--version") -> str:
        """Name and version of a program, as in "clasp 3.3.5"; the name alone if it does not say."""
        lines: list[str] = []
        # Some print it as an error.
        self.start(["sh", "-c", 'exec "$@" 2>&1', "sh", program, flag], lines.append)
        name = re.split(r"[-_]?\d+\.", Path(program).name)[0]
        found = re.search(r"(?<![\w.])\d+(?:\.\d+)+", " ".join(lines))
        return f"{name} {found[0]}" if found else name

    def total(self, network: Incumbent) -> int:
        """The integer score of a network."""
        assert self.scaled is not None
        gains = sum(self.scaled.score_sets(network.cliques))
        if gains == -math.inf:
            raise FalseClaimError(f"{self.name} gave a network that its file does not allow.")
        return int(gains - sum(self.scaled.score_sets(separators(network.cliques))))

    def bound_from(self, total: int) -> float:
        """No network scores more if none of candidates only has a larger integer score."""
        assert self.scaling is not None
        return self.scaling.bound(total, self.candidates)

    def least_total_of_better(self, score: float) -> int:
        """Every network with a higher real score has at least this integer score."""
        assert self.scaling is not None
        scaling = self.scaling
        return math.floor((score - scaling.offset - scaling.max_error) * scaling.factor)

    def learn_bound(self, bound: float) -> None:
        """Learn a bound that the solver claims."""
        self.run.tighten_as_claimed(self.name, bound)

    def learn_rest(self, bound: float) -> None:
        """Learn a bound on the networks that are not ruled out."""
        best = self.run.best
        assert best is not None
        self.learn_bound(max(bound, best.score))

    def ended_without_answer(self, ended: Ended) -> BackendError:
        """The error for a solver that ended by itself and said nothing of use."""
        words = f": {ended.stderr_tail.rstrip('.')}" if ended.stderr_tail else ""
        return BackendError(
            ended.failure(self.name)
            or f"{self.name} ended without an answer (exit code {ended.returncode}){words}."
        )
