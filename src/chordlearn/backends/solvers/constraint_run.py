"""What all backends share that hand a written problem to a solver's program."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chordlearn.backends.base.incumbents import Incumbent
from chordlearn.backends.base.outcome import DEFAULT_TOLERANCE, Outcome, Scaling
from chordlearn.backends.base.run import INFEASIBLE, PROOF, Standing
from chordlearn.backends.solvers.child import Ended, run_program
from chordlearn.encodings.scaling import IntegerScaling
from chordlearn.encodings.size import Budget
from chordlearn.errors import BackendError, ChordlearnError, FalseClaimError, StoppedError, TooLargeError
from chordlearn.graphs import separators
from chordlearn.problem.candidates import Candidates
from chordlearn.problem.problem import Problem
from chordlearn.system.memory import available_bytes
from chordlearn.system.running import INTERRUPTED, MEMORY_LIMIT, TIME_LIMIT

ENOUGH_ERROR = DEFAULT_TOLERANCE / 2.5
"""With less rounding than this a proof on integer scores is one on the real scores."""


ROUNDING = "rounding"
"""Why a run ends whose solver is done, when its numbers leave the proof open."""


class StoppedEarly(Exception):  # noqa: N818
    """Ends a run; its text is the reason."""


class ConstraintRun(ABC):
    """One run: prepare, write, solve, and make the proof hold for the real scores."""

    def __init__(self, standing: Standing, encoding: str, directory: Path) -> None:
        self.standing = standing
        self.encoding = encoding
        self.directory = directory
        self.candidates: Candidates
        self.scaled: Problem | None = None
        self.scaling: IntegerScaling | None = None
        self.details: dict[str, Any] = {}
        self.budget = Budget()

    @property
    def name(self) -> str:
        """The backend's name."""
        return self.standing.name

    @property
    def memory_bytes(self) -> int | None:
        """What the operating system lets the program have."""
        return self.standing.limits.memory_bytes

    def outcome(self, *, reduce: bool) -> Outcome:
        """Run to the proof or to the first limit; a failure costs the network only if there is none yet."""
        failure: ChordlearnError | None = None
        try:
            stopped_by = self._run(reduce=reduce)
        except StoppedEarly as stop:
            stopped_by = str(stop)
        except KeyboardInterrupt:
            stopped_by = INTERRUPTED
        except StoppedError:
            stopped_by = TIME_LIMIT
        except (BackendError, TooLargeError) as error:
            if self.standing.best is None:
                raise
            failure = error
            stopped_by = MEMORY_LIMIT if isinstance(error, TooLargeError) else str(error)
        scaling = None if self.scaling is None else Scaling(self.scaling.factor, self.scaling.max_error)
        outcome = self.standing.outcome(
            stopped_by, encoding=self.encoding, scaling=scaling, details=self.details
        )
        return replace(outcome, failure=failure)

    def _run(self, *, reduce: bool) -> str:
        standing = self.standing
        self.candidates, stopped_by = standing.prepare(reduce=reduce)
        if stopped_by is not None:
            return stopped_by
        standing.tell("encoding")
        with standing.stage("encode"):
            self.budget = Budget(standing.deadline, self._bytes_to_encode())
            self.write()
        with standing.stage("solve"):
            feasible = self.solve()
        if not feasible:
            if standing.best is None:
                standing.cross_check()
            if standing.best is not None:
                raise FalseClaimError(f"{self.name} claims that there is no network, but there is one.")
            return INFEASIBLE
        if not reduce:
            standing.cross_check()
        return PROOF if standing.proved else ROUNDING

    def _bytes_to_encode(self) -> float:
        memory = self.standing.limits.memory_bytes
        most = math.inf if memory is None else memory - self.standing.problem.values.nbytes
        return min(most, available_bytes())

    @abstractmethod
    def write(self) -> None:
        """Write the files that the solver reads."""

    @abstractmethod
    def solve(self) -> bool:
        """Solve them, and say whether there is a network at all; the bound goes to the standing."""

    def start(
        self, command: Sequence[str], on_line: Callable[[str], None], output: Path | None = None
    ) -> Ended:
        """Run a command in this run's directory; a limit or Ctrl-C ends the run."""
        ended = run_program(
            command,
            on_line=on_line,
            directory=self.directory,
            deadline=self.standing.deadline,
            memory_bytes=self.memory_bytes,
            output=output,
        )
        if ended.stopped_by is not None:
            raise StoppedEarly(ended.stopped_by)
        if ended.wanted_memory:
            raise StoppedEarly(MEMORY_LIMIT)
        return ended

    def total(self, network: Incumbent) -> int:
        """The integer score of a network."""
        assert self.scaled is not None
        values = self.scaled.values
        cliques = sum(int(values[clique]) for clique in network.cliques)
        return cliques - sum(int(values[separator]) for separator in separators(network.cliques))

    def bound_from(self, total: int) -> float:
        """No network scores more if none of candidates only has a larger integer score."""
        assert self.scaling is not None
        return self.scaling.bound(total, self.candidates)

    def least_total_of_better(self, score: float) -> int:
        """Every network with a higher real score has at least this integer score."""
        assert self.scaling is not None
        scaling = self.scaling
        return math.floor((score - scaling.offset - scaling.max_error) * scaling.factor)

    def learn_rest(self, bound: float) -> None:
        """Learn a bound on the networks that are not ruled out."""
        best = self.standing.best
        assert best is not None
        self.standing.learn_bound(max(bound, best.score))

    def ended_without_answer(self, ended: Ended) -> BackendError:
        """The error for a solver that ended by itself and said nothing of use."""
        words = f": {ended.last_words}" if ended.last_words else ""
        return BackendError(
            ended.failure(self.name)
            or f"{self.name} ended without an answer (exit code {ended.returncode}){words}."
        )
